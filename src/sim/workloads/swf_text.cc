// Writes a workload, or the schedule it got, as a trace.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "sim/workloads/swf.h"

namespace sluice {
namespace {

// "u17" is 17 again; names that no trace gave are numbered as they come.
std::int64_t number_of(const std::string& name, std::size_t index) {
  if (name == "unknown" || name.empty()) return -1;
  std::int64_t number = 0;
  if (name.size() < 2 || name.size() > 12) return static_cast<std::int64_t>(index) + 1;
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] < '0' || name[i] > '9') return static_cast<std::int64_t>(index) + 1;
    number = number * 10 + (name[i] - '0');
  }
  return number;
}

std::int64_t memory_kb_per_cpu(const WorkRequest& request) {
  if (request.memory_mb <= 0) return -1;
  // Megabytes were rounded up, and may be more than the longest number is.
  const std::int64_t kb = std::min(request.memory_mb * 1024, kMostSwfNumber);
  return request.memory_per == MemoryPer::kCpu ? kb : kb / std::max(request.cpus, 1);
}

int status_of(JobState state) {
  if (state == JobState::kCancelled) return 5;
  return state == JobState::kFailed || state == JobState::kOutOfMemory ? 0 : 1;
}

// What the numbers of queues and partitions stand for.
std::string names_text(std::string_view key, const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("; {}: {} {}\n", key, i + 1, names[i]);
  return out;
}

}  // namespace

std::string write_swf(const Workload& workload,
                      const std::function<std::optional<SwfRun>(std::size_t)>& run_of) {
  fmt::memory_buffer out;
  auto at = std::back_inserter(out);
  fmt::format_to(at, "; Version: 2.2\n; Computer: {}\n; MaxJobs: {}\n; MaxNodes: {}\n",
                 workload.name, workload.items.size(), workload.machine_cpus);
  fmt::format_to(at, "; MaxProcs: {}\n", workload.machine_cpus);
  out.append(names_text("Queue", workload.qos));
  out.append(names_text("Partition", workload.partitions));
  if (run_of) fmt::format_to(at, "; Note: a schedule made by sluice; column 3 is the wait\n");
  for (std::size_t i = 0; i < workload.items.size(); ++i) {
    const WorkItem& item = workload.items[i];
    const WorkRequest& request = workload.request_of(item);
    const auto run = run_of ? run_of(i) : std::nullopt;
    const Duration length = run ? run->run : item.run;
    fmt::format_to(at, "{} {} {} {} {} -1 -1 {} {} {} {} {} {} -1 {} {} -1 -1\n", item.number,
                   to_seconds(item.submit), run ? to_seconds(run->wait) : -1, to_seconds(length),
                   run ? run->cpus : request.cpus, request.cpus, to_seconds(request.limit),
                   memory_kb_per_cpu(request), run || !run_of ? status_of(item.ends) : 5,
                   number_of(workload.users[request.user], request.user),
                   number_of(workload.accounts[request.account], request.account),
                   request.qos > 0 ? static_cast<std::int64_t>(request.qos) : -1,
                   request.partition > 0 ? static_cast<std::int64_t>(request.partition) : -1);
  }
  return fmt::to_string(out);
}

}  // namespace sluice
