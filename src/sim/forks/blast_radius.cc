// An engine where the live queue is, then one pass under each policy.
#include "sim/forks/blast_radius.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/engine.h"
#include "sim/forks/live_queue.h"

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
  Rehearsal(std::shared_ptr<const Policy> live, const std::vector<QueuedJob>& jobs)
      : ids_(bring_to(engine_, std::move(live), jobs)) {}

  Standings decide(std::shared_ptr<const Policy> policy, Instant now) {
    return standings_under(engine_, std::move(policy), ids_, now);
  }

  const std::vector<JobId>& ids() const { return ids_; }

 private:
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
