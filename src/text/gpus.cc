// GPUs by type and count.
#include "text/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kGresForms = "write gpu, gpu:2, gpu:a100:2 or none";
constexpr const char* kGpusForms = "write a count or type:count, as in 2 or a100:2,h100:1";

// Digits, or digits with k (1024), as Slurm counts. The count of GPUs fits 32 bits.
std::optional<std::int32_t> parse_count(std::string_view text) {
  std::int64_t unit = 1;
  if (!text.empty() && (text.back() == 'k' || text.back() == 'K')) {
    unit = 1024;
    text.remove_suffix(1);
  }
  const auto count = whole_number(text);
  if (!count || *count > std::numeric_limits<std::int32_t>::max() / unit) return std::nullopt;
  return static_cast<std::int32_t>(*count * unit);
}

bool is_type(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.' || c == '+';
  });
}

// "", "2", "a100", "a100:2"; nothing when it is none of these.
std::optional<GpuRequest> parse_type_and_count(std::string_view text, GpusPer per) {
  GpuRequest request{per, "", 1};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    if (const auto count = parse_count(text)) {
      request.count = *count;
      return request;
    }
    if (!is_type(text) || is_digit(text.front())) return std::nullopt;
    request.type = text;
    return request;
  }
  const auto count = parse_count(text.substr(colon + 1));
  const std::string_view type = text.substr(0, colon);
  // Where a count follows, a type may begin with a digit: "4090:2".
  if (!count || !is_type(type)) return std::nullopt;
  request.type = type;
  request.count = *count;
  return request;
}

// Of two requests for one type the last counts, as in Slurm; a request for none is no request.
Result<void> put(std::vector<GpuRequest>& requests, GpuRequest request) {
  std::erase_if(requests, [&](const GpuRequest& other) { return other.type == request.type; });
  if (request.count == 0) return {};
  for (const GpuRequest& other : requests)
    if (other.type.empty() != request.type.empty())
      return bad_input("Invalid GRES specification (with and without type identification)",
                       "name a type for every GPU, or for none");
  requests.push_back(std::move(request));
  return {};
}

}  // namespace

Result<std::vector<GpuRequest>> parse_gres(std::string_view text) {
  std::vector<GpuRequest> requests;
  if (text.empty() || same_ignoring_case(text, "none")) return requests;
  for (std::string_view member : split(text, ',')) {
    std::string_view rest = member;
    if (rest.starts_with("gres:")) rest.remove_prefix(5);
    const std::string_view name = rest.substr(0, rest.find(':'));
    if (name != "gpu")
      return bad_input(
          fmt::format("there is no generic resource {}, in --gres={}", quoted(name), text),
          fmt::format("only GPUs are known: {}", kGresForms));
    std::optional<GpuRequest> request = GpuRequest{GpusPer::kNode, "", 1};
    if (rest.size() > name.size())
      request = parse_type_and_count(rest.substr(name.size() + 1), GpusPer::kNode);
    if (!request)
      return bad_input(fmt::format("{} is not a request for GPUs", quoted(member)), kGresForms);
    TRY_VOID(put(requests, *std::move(request)));
  }
  return requests;
}

Result<std::vector<GpuRequest>> parse_gpus(std::string_view text, GpusPer per) {
  std::vector<GpuRequest> requests;
  for (std::string_view member : split(text, ',')) {
    auto request = parse_type_and_count(member, per);
    // Slurm takes "gpu:2" for two GPUs of a type called gpu, which then wait for ever.
    if (!request || request->type == "gpu")
      return bad_input(fmt::format("{} is not a number of GPUs", quoted(member)), kGpusForms);
    TRY_VOID(put(requests, *std::move(request)));
  }
  return requests;
}

Result<std::vector<GpuRequest>> merge_gpus(std::span<const GpuRequest> first,
                                           std::span<const GpuRequest> second) {
  std::vector<GpuRequest> requests(first.begin(), first.end());
  for (const GpuRequest& request : second) TRY_VOID(put(requests, request));
  return requests;
}

std::string format_gpus(std::span<const GpuRequest> requests, GpusPer per) {
  std::string out;
  for (const GpuRequest& request : requests) {
    if (request.per != per) continue;
    if (!out.empty()) out += ',';
    out += request.type.empty() ? fmt::format("{}", request.count)
                                : fmt::format("{}:{}", request.type, request.count);
  }
  return out;
}

std::string format_tres_per(std::span<const GpuRequest> requests, GpusPer per) {
  std::string out;
  for (const GpuRequest& request : requests) {
    if (request.per != per) continue;
    if (!out.empty()) out += ',';
    out += request.type.empty() ? fmt::format("gres:gpu:{}", request.count)
                                : fmt::format("gres:gpu:{}:{}", request.type, request.count);
  }
  return out;
}

}  // namespace sluice
