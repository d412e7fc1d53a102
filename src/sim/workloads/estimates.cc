// After Tsafrir, Etsion and Feitelson: users choose among few round values, each user a factor.
#include "sim/workloads/estimates.h"

#include <algorithm>

#include "sim/workloads/generated_parts.h"
#include "sim/workloads/request_table.h"

namespace sluice {
namespace {

Duration modelled(Duration run, Draws& draws) {
  // From just enough to sixteen times too long, every factor of two as likely.
  const auto factor = static_cast<std::int64_t>(64 + draws.below(64)) << draws.below(4);
  const Duration wanted = run * factor / 64;
  for (const std::int64_t each : generated::kLimits)
    if (minutes(each) >= wanted) return minutes(each);
  return std::max(run, minutes(generated::kLimits.back()));
}

}  // namespace

void set_estimates(Workload& workload, Estimates estimates, std::uint64_t seed) {
  if (estimates == Estimates::kGiven) return;
  const std::vector<WorkRequest> before = std::move(workload.requests);
  workload.requests.clear();
  RequestTable requests(workload.requests);
  Draws draws(seed, generated::kEstimateStream);
  for (WorkItem& item : workload.items) {
    WorkRequest request = before[item.request];
    if (item.run <= request.limit)
      request.limit =
          estimates == Estimates::kExact
              ? std::max(minutes(1), Duration(std::chrono::ceil<std::chrono::minutes>(item.run)))
              : modelled(item.run, draws);
    item.request = requests.number_of(request);
  }
}

}  // namespace sluice
