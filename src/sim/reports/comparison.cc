// Reads the other schedule and looks for the same jobs in ours.
#include "sim/reports/comparison.h"

#include <algorithm>

#include "sim/workloads/swf.h"

namespace sluice {
namespace {

constexpr std::size_t kShown = 10;

}  // namespace

Result<Comparison> compare_with_swf(const Workload& workload, const Simulation& simulation,
                                    std::string_view text, std::string_view name) {
  TRY(const std::vector<SwfWait> theirs, parse_swf_waits(text, name));
  Comparison out;
  std::size_t found = 0;
  for (std::size_t i = 0; i < workload.items.size(); ++i) {
    const WorkItem& item = workload.items[i];
    const auto at = std::lower_bound(
        theirs.begin(), theirs.end(), item.number,
        [](const SwfWait& wait, std::uint32_t number) { return wait.number < number; });
    if (at == theirs.end() || at->number != item.number) {
      ++out.only_ours;
      continue;
    }
    ++found;
    ++out.compared;
    const SimulatedJob& job = simulation.jobs[i];
    const Instant start = at->wait ? at->submit + *at->wait : SimulatedJob::kNever;
    if (job.start == start) continue;
    ++out.differing;
    if (out.first.size() < kShown)
      out.first.push_back({item.number, item.submit, job.start, start});
  }
  out.only_theirs = theirs.size() - std::min(found, theirs.size());
  return out;
}

}  // namespace sluice
