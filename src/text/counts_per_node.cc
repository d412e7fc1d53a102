#include "text/counts_per_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "text/scan.h"

namespace sluice {
namespace {

// More nodes than any job has; the text may come from an environment that people set.
constexpr std::int64_t kMostNodes = 100'000;

}  // namespace

std::string counts_per_node(const std::vector<std::int32_t>& counts) {
  std::string out;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t same = 1;
    while (i + same < counts.size() && counts[i + same] == counts[i]) ++same;
    if (!out.empty()) out += ',';
    out += std::to_string(counts[i]);
    if (same > 1) out += fmt::format("(x{})", same);
    i += same;
  }
  return out;
}

std::vector<std::int32_t> parse_counts_per_node(std::string_view text) {
  std::vector<std::int32_t> out;
  if (text.empty()) return out;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t times = part.find("(x");
    std::int64_t nodes = 1;
    if (times != std::string_view::npos && part.ends_with(')'))
      nodes = whole_number(part.substr(times + 2, part.size() - times - 3)).value_or(1);
    const auto room = kMostNodes - static_cast<std::int64_t>(out.size());
    const auto count = std::min<std::int64_t>(whole_number(part.substr(0, times)).value_or(0),
                                              std::numeric_limits<std::int32_t>::max());
    out.insert(out.end(), static_cast<std::size_t>(std::clamp<std::int64_t>(nodes, 0, room)),
               static_cast<std::int32_t>(count));
  }
  return out;
}

}  // namespace sluice
