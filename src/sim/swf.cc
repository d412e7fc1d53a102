// Reads a workload trace line by line.
#include "sim/swf.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>

namespace sluice {
namespace {

constexpr std::size_t kColumns = 18;
// The columns used, counted from 0 (the format counts from 1).
enum Column : std::size_t {
  kNumber = 0,
  kSubmit = 1,
  kRun = 3,
  kAllocated = 4,
  kRequested = 7,
  kEstimate = 8,
  kUser = 11,
  kGroup = 12,
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Reads up to 18 numbers; fractions are cut off. Returns how many there were, or nothing where
// something is not a number.
std::optional<std::size_t> read_columns(std::string_view line,
                                        std::array<std::int64_t, kColumns>& out) {
  std::size_t count = 0;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end || count == kColumns) return count;
    std::int64_t value = 0;
    if (*at == '+') ++at;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return std::nullopt;
    at = next;
    if (at != end && *at == '.') {
      ++at;
      while (at != end && *at >= '0' && *at <= '9') ++at;
    }
    if (at != end && !is_blank(*at)) return std::nullopt;
    out[count++] = value;
  }
}

std::optional<std::int32_t> header_number(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + key.size());
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::int32_t value = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec != std::errc())
    return std::nullopt;
  return value > 0 ? std::optional(value) : std::nullopt;
}

// Requests of the same size, limit and owner share one number.
class Requests {
 public:
  explicit Requests(Workload& workload) : workload_(workload) {}
  std::uint32_t number_of(std::int32_t cpus, std::int64_t limit, std::int64_t user,
                          std::int64_t group) {
    const auto [it, is_new] = known_.try_emplace({cpus, limit, user, group}, next_);
    if (!is_new) return it->second;
    JobSpec request;
    request.user = "u" + std::to_string(user);
    request.account = "g" + std::to_string(group);
    request.tasks = cpus;
    request.time_limit = seconds(limit);
    workload_.requests.push_back(std::move(request));
    return next_++;
  }

 private:
  Workload& workload_;
  std::map<std::tuple<std::int32_t, std::int64_t, std::int64_t, std::int64_t>, std::uint32_t>
      known_;
  std::uint32_t next_ = 0;
};

}  // namespace

Result<Workload> parse_swf(std::string_view text, std::string_view name) {
  Workload workload;
  workload.name = name;
  Requests requests(workload);
  std::optional<std::int32_t> processors;
  std::optional<std::int32_t> nodes;
  std::array<std::int64_t, kColumns> column{};
  std::int64_t line_number = 0;
  bool sorted = true;
  while (!text.empty()) {
    ++line_number;
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.empty()) continue;
    if (line.front() == ';') {
      if (!processors) processors = header_number(line, "MaxProcs:");
      if (!nodes) nodes = header_number(line, "MaxNodes:");
      continue;
    }
    column.fill(-1);
    const auto count = read_columns(line, column);
    if (count && *count == 0) continue;
    if (!count || *count < 5)
      return tl::unexpected<Error>(Error{
          ErrorKind::kBadInput,
          count ? "a job needs at least 5 of SWF's 18 columns, this line has " +
                      std::to_string(*count)
                : "a column is not a number",
          std::string(name) + ":" + std::to_string(line_number),
          "expected lines such as: 1 0 -1 97225 56 -1 -1 56 210000 -1 1 1 -1 -1 -1 -1 -1 -1"});
    const std::int64_t cpus = column[kRequested] > 0 ? column[kRequested] : column[kAllocated];
    if (cpus <= 0 || cpus > 1'000'000'000 || column[kRun] < 0 || column[kSubmit] < 0) {
      ++workload.skipped;
      continue;
    }
    const std::int64_t limit =
        column[kEstimate] > 0 ? column[kEstimate] : std::max<std::int64_t>(column[kRun], 1);
    WorkItem item;
    item.submit = instant_at(seconds(column[kSubmit]));
    item.run = seconds(column[kRun]);
    item.number = static_cast<std::uint32_t>(column[kNumber]);
    item.request =
        requests.number_of(static_cast<std::int32_t>(cpus), limit, column[kUser], column[kGroup]);
    item.trace_line = line_number;
    if (!workload.items.empty() && item.submit < workload.items.back().submit) sorted = false;
    workload.items.push_back(item);
  }
  if (!sorted)
    std::stable_sort(workload.items.begin(), workload.items.end(),
                     [](const WorkItem& a, const WorkItem& b) { return a.submit < b.submit; });
  workload.machine_cpus = processors ? *processors : nodes.value_or(0);
  return workload;
}

}  // namespace sluice
