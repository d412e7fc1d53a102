// Events that bring an engine to where the live queue is, then one pass under each policy.
#include "sim/blast_radius.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/engine.h"
#include "model/event.h"

namespace sluice {
namespace {

// Every waiting job is looked at, however long the queue is.
std::shared_ptr<const Policy> looking_at_all(const Policy& policy, std::size_t jobs) {
  auto out = std::make_shared<Policy>(policy);
  out->jobs.first_job_id = 1;
  const auto many = static_cast<std::int32_t>(std::min<std::size_t>(jobs + 1, 1'000'000));
  out->scheduler.default_queue_depth = std::max(out->scheduler.default_queue_depth, many);
  out->scheduler.backfill_max_job_test = std::max(out->scheduler.backfill_max_job_test, many);
  return out;
}

class Rehearsal {
 public:
  Rehearsal(std::shared_ptr<const Policy> live, const std::vector<QueuedJob>& jobs) {
    Instant first = jobs.front().submitted;
    for (const QueuedJob& job : jobs) first = std::min(first, job.submitted);
    engine_.replay(Event(first, PolicyAdopted{live}));
    // Numbers go by submission, and time does not run backwards.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < jobs.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return jobs[a].submitted < jobs[b].submitted;
    });
    std::vector<Event> starts;
    ids_.resize(jobs.size());
    std::uint32_t number = 0;
    std::vector<Event> events;
    for (const std::size_t i : order) {
      const JobId id(++number);
      const SpecId spec(engine_.state().next_spec_id().value() + number - 1);
      ids_[i] = id;
      events.emplace_back(
          jobs[i].submitted,
          SpecDefined{spec, std::make_shared<const JobSpec>(jobs[i].request), false});
      events.emplace_back(jobs[i].submitted, JobSubmitted{id, spec, std::nullopt});
      if (!jobs[i].started) continue;
      const auto partition = live->find_partition(jobs[i].request.partitions.front());
      CHECK(partition.has_value());
      starts.emplace_back(std::max(*jobs[i].started, jobs[i].submitted),
                          JobStarted{id, 1, *partition, allocation(*live, jobs[i])});
      if (jobs[i].state == JobState::kSuspended)
        starts.emplace_back(starts.back().at, JobSuspended{id, SuspendedBy::kUser, {}});
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    std::vector<Event> all;
    std::merge(events.begin(), events.end(), starts.begin(), starts.end(), std::back_inserter(all),
               [](const Event& a, const Event& b) { return a.at < b.at; });
    for (const Event& event : all) engine_.replay(event);
  }

  Standings decide(std::shared_ptr<const Policy> policy, Instant now) {
    return standings_under(engine_, std::move(policy), ids_, now);
  }

  const std::vector<JobId>& ids() const { return ids_; }

 private:
  static Allocation allocation(const Policy& policy, const QueuedJob& job) {
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

  Engine engine_;
  std::vector<JobId> ids_;
};

bool has_association(const Policy& policy, const JobSpec& spec) {
  return policy
      .find_association(spec.account, spec.user,
                        spec.partitions.empty() ? std::string() : spec.partitions.front())
      .has_value();
}

}  // namespace

std::vector<JobEffect> blast_radius(std::shared_ptr<const Policy> before,
                                    std::shared_ptr<const Policy> after,
                                    const std::vector<QueuedJob>& jobs, Instant now) {
  if (jobs.empty()) return {};
  const auto live = looking_at_all(*before, jobs.size());
  const auto next = looking_at_all(*after, jobs.size());
  Rehearsal as_it_is(live, jobs);
  Rehearsal as_it_will_be(live, jobs);
  const Standings was = as_it_is.decide(live, now);
  const Standings becomes = as_it_will_be.decide(next, now);
  std::vector<JobEffect> out;
  std::vector<KnownJob> others;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    // Slurm ends what has lost its association.
    if (next->enforce.associations && has_association(*live, jobs[i].request) &&
        !has_association(*next, jobs[i].request))
      out.push_back({job_label(jobs[i]), Effect::kEnds,
                     fmt::format("{} is no longer in account {}", jobs[i].request.user,
                                 jobs[i].request.account)});
    else
      others.push_back({jobs[i], as_it_will_be.ids()[i]});
  }
  for (JobEffect& effect : effects_between(others, *live, was, *next, becomes))
    out.push_back(std::move(effect));
  return out;
}

}  // namespace sluice
