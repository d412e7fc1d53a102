// Driver::rehearse: the policy comes into force in a copy of the daemon.
#include "daemon/driver.h"
#include "model/event.h"
#include "views/policy_effects.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

std::vector<PolicyEffect> effects_in(Engine& engine, std::shared_ptr<const Policy> policy,
                                     Instant now) {
  // Whatever was about to happen anyway happens first.
  Turn turn;
  engine.handle(Tick{}, now, turn);
  const std::vector<KnownJob> jobs = known_jobs(engine);
  std::vector<JobId> ids;
  for (const KnownJob& job : jobs) ids.push_back(job.id);
  const std::shared_ptr<const Policy> before = engine.state().shared_policy();
  Standings was = places_in_queue(engine);
  note_reasons(engine, ids, now, was);
  const Standings becomes = standings_under(engine, policy, ids, now);
  std::vector<PolicyEffect> out;
  for (const JobEffect& each : effects_between(jobs, *before, was, *policy, becomes))
    out.push_back({each.job, std::string(effect_word(each.effect)), each.text});
  return out;
}

}  // namespace

std::vector<PolicyEffect> Driver::rehearse(std::shared_ptr<const Policy> policy) {
  return effects_in(engine_, std::move(policy), now());
}

}  // namespace sluice
