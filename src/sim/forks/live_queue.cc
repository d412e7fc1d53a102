// Events that lead to the queue, replayed.
#include "sim/forks/live_queue.h"

#include <algorithm>
#include <iterator>

#include "model/event.h"

namespace sluice {
namespace {

Allocation allocation(const Policy& policy, const QueuedJob& job) {
  std::vector<NodeShare> shares;
  for (const QueuedShare& held : job.shares) {
    const auto node = policy.find_node(held.node);
    CHECK(node.has_value());
    NodeShare share;
    share.node = *node;
    share.cpus = held.cpus;
    share.memory_mb = policy.jobs.memory_is_consumable ? held.memory_mb : 0;
    for (const std::uint32_t gpu : held.gpus)
      if (gpu < policy.nodes[node->index()].gpus.size()) share.gpus |= std::uint64_t{1} << gpu;
    shares.push_back(share);
  }
  std::sort(shares.begin(), shares.end(),
            [](const NodeShare& a, const NodeShare& b) { return a.node < b.node; });
  Allocation out;
  for (const NodeShare& share : shares) out.add(share);
  return out;
}

}  // namespace

std::vector<JobId> bring_to(Engine& engine, std::shared_ptr<const Policy> policy,
                            const std::vector<QueuedJob>& jobs) {
  Instant first = jobs.empty() ? Instant{} : jobs.front().submitted;
  for (const QueuedJob& job : jobs) first = std::min(first, job.submitted);
  engine.replay(Event(first, PolicyAdopted{policy}));
  // Numbers go by submission, and time does not run backwards.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < jobs.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return jobs[a].submitted < jobs[b].submitted;
  });
  std::vector<Event> starts;
  std::vector<JobId> ids(jobs.size());
  std::uint32_t number = 0;
  std::vector<Event> events;
  for (const std::size_t i : order) {
    const JobId id(++number);
    const SpecId spec(engine.state().next_spec_id().value() + number - 1);
    ids[i] = id;
    events.emplace_back(jobs[i].submitted,
                        SpecDefined{spec, std::make_shared<const JobSpec>(jobs[i].request), false});
    events.emplace_back(jobs[i].submitted, JobSubmitted{id, spec, std::nullopt});
    if (!jobs[i].started) continue;
    const auto partition = policy->find_partition(jobs[i].request.partitions.front());
    CHECK(partition.has_value());
    starts.emplace_back(std::max(*jobs[i].started, jobs[i].submitted),
                        JobStarted{id, 1, *partition, allocation(*policy, jobs[i])});
    if (jobs[i].state == JobState::kSuspended)
      starts.emplace_back(starts.back().at, JobSuspended{id, SuspendedBy::kUser, {}});
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Event& a, const Event& b) { return a.at < b.at; });
  std::vector<Event> all;
  std::merge(events.begin(), events.end(), starts.begin(), starts.end(), std::back_inserter(all),
             [](const Event& a, const Event& b) { return a.at < b.at; });
  for (const Event& event : all) engine.replay(event);
  return ids;
}

}  // namespace sluice
