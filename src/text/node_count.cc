// One number or a range.
#include "text/node_count.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms = "write a count or a range, as in 2 or 2-4";

std::optional<std::int32_t> parse_count(std::string_view text) {
  std::int64_t unit = 1;
  text = without_blanks_around(text);
  if (!text.empty() && (text.back() == 'k' || text.back() == 'K')) unit = 1024;
  if (!text.empty() && (text.back() == 'm' || text.back() == 'M')) unit = 1024 * 1024;
  if (unit != 1) text.remove_suffix(1);
  const auto count = whole_number(text);
  if (!count || *count > std::numeric_limits<std::int32_t>::max() / unit) return std::nullopt;
  return static_cast<std::int32_t>(*count * unit);
}

}  // namespace

Result<NodeCount> parse_node_count(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view low = dash == 0 ? "1" : text.substr(0, dash);
  const auto least = parse_count(low);
  const auto most = dash == std::string_view::npos ? least : parse_count(text.substr(dash + 1));
  if (!least || !most)
    return bad_input(fmt::format("\"{}\" is not a valid node count", text), kForms);
  if (*most < *least)
    return bad_input(
        fmt::format("Maximum node count {} is less than minimum node count {}", *most, *least),
        fmt::format("write {}-{}", *most, *least));
  if (*most == 0) return bad_input("a job needs at least one node", kForms);
  return NodeCount{*least, *most};
}

std::string format_node_count(const NodeCount& count) {
  return count.least == count.most ? fmt::format("{}", count.least)
                                   : fmt::format("{}-{}", count.least, count.most);
}

}  // namespace sluice
