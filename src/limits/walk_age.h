// The limit on how many waiting jobs gain priority by age. Included by walk.h alone.
#pragma once

namespace sluice {

// Only the first that is set counts, whatever the others say: of the job's QoS (never the
// partition's) before those of associations, and of these the nearest.
template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::gains_age() {
  if (!enforced_ || policy_.priority.accrue_always) return true;
  if (q_.qos) {
    const Qos& qos = policy_.qos[q_.qos->index()];
    const Level level{LimitHolder::kJobQos, q_.qos->value()};
    if (qos.group.jobs_accrue)
      return jobs(Rule::kGrpJobsAccrue, level, *qos.group.jobs_accrue, usage_.ageing(*q_.qos));
    if (qos.account.max_jobs_accrue)
      return jobs(Rule::kMaxJobsAccruePerAccount, level, *qos.account.max_jobs_accrue,
                  usage_.ageing_of_account(*q_.qos));
    if (qos.user.max_jobs_accrue)
      return jobs(Rule::kMaxJobsAccruePerUser, level, *qos.user.max_jobs_accrue,
                  usage_.ageing_of_user(*q_.qos));
  }
  bool own_is_set = false;
  for (std::optional<AssocId> a = q_.assoc; a; a = parent_of(*a)) {
    if (const auto& limit = policy_.associations[a->index()].group.jobs_accrue)
      return jobs(Rule::kGrpJobsAccrue, Level{LimitHolder::kAssociation, a->value()}, *limit,
                  usage_.ageing(*a));
    if (a != q_.assoc) continue;
    const bool has_room = first_inherited(
        [](const Association& assoc) -> const auto& { return assoc.max_jobs_accrue; },
        [&](Level level, std::int64_t limit) {
          own_is_set = true;
          return jobs(Rule::kMaxJobsAccruePerUser, level, limit, usage_.ageing(*q_.assoc));
        });
    if (own_is_set) return has_room;
  }
  return true;
}

}  // namespace sluice
