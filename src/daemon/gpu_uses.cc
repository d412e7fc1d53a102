#include "daemon/gpu_uses.h"

#include <string>
#include <utility>
#include <vector>

#include "model/event.h"

namespace sluice {
namespace {

std::vector<std::string> devices_of(const Policy& policy, const Allocation& allocation) {
  std::vector<std::string> out;
  for (const NodeShare& share : allocation.shares()) {
    const std::vector<Gpu>& gpus = policy.nodes[share.node.index()].gpus;
    for (std::size_t i = 0; i < gpus.size() && i < 64; ++i)
      if ((share.gpus >> i & 1) != 0 && !gpus[i].device.empty()) out.push_back(gpus[i].device);
  }
  return out;
}

}  // namespace

void watch_gpus(Driver& driver, GpuWatch& watch) {
  const State& state = driver.engine().state();
  if (state.has_policy())
    state.for_each_job([&](const Job& job) {
      if (holds_nodes(job.state))
        watch.begin({job.id, job.attempt},
                    devices_of(state.policy(), state.run_of(job).allocation));
    });
  driver.on_events([&state, &watch](std::span<const Event> events) {
    for (const Event& event : events)
      if (const auto* started = std::get_if<JobStarted>(&event.body))
        // Of one that has ended in the same turn nobody will ask again.
        if (const Job* job = state.find_job(started->job);
            job != nullptr && job->attempt == started->attempt && holds_nodes(job->state))
          watch.begin({started->job, started->attempt},
                      devices_of(state.policy(), started->allocation));
  });
}

}  // namespace sluice
