// The limits that refuse a submission. Included by walk.h alone.
#pragma once

namespace sluice {

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::qos_at_submission(Level level, QosId id) {
  const Qos& qos = policy_.qos[id.index()];
  const TresVector& asked = q_.tres;
  if (strict_) {
    if (!each_and_hide(qos.account.max_tres, hidden_[Rule::kMaxTresPerAccount],
                       [&](TresIndex t, auto limit) {
                         return alone(Rule::kMaxTresPerAccount, level, t, limit, asked[t]);
                       }))
      return false;
    // MaxTRESPerUser and GrpTRES are looked at together, dimension by dimension, and one that
    // either of them hides is hidden for both.
    const std::uint32_t hidden = hidden_[Rule::kMaxTresPerUser] | hidden_[Rule::kGrpTres];
    for (std::uint32_t left = (qos.user.max_tres.bits() | qos.group.tres.bits()) & ~hidden;
         left != 0; left &= left - 1) {
      const TresIndex t(static_cast<std::uint8_t>(std::countr_zero(left)));
      if (qos.user.max_tres.has(t) &&
          !alone(Rule::kMaxTresPerUser, level, t, qos.user.max_tres[t], asked[t]))
        return false;
      if (qos.group.tres.has(t) && !alone(Rule::kGrpTres, level, t, qos.group.tres[t], asked[t]))
        return false;
    }
    hidden_[Rule::kMaxTresPerUser] |= qos.user.max_tres.bits() & ~hidden;
    hidden_[Rule::kGrpTres] |= qos.group.tres.bits() & ~hidden;
  }
  if (!once(qos.group.submit_jobs, hidden_[Rule::kGrpSubmitJobs], [&](auto limit) {
        return submitted(Rule::kGrpSubmitJobs, level, limit,
                         usage_.now(id).submitted - usage_.own(id));
      }))
    return false;
  if (strict_ && time_counts_) {
    const auto minutes = [&](const TresLimits& limits, std::uint32_t& hidden, Rule rule) {
      return each_and_hide(limits, hidden, [&](TresIndex t, std::int64_t limit) {
        return alone(rule, level, t, limit, minutes_of(t));
      });
    };
    if (!minutes(qos.job.max_tres_minutes, hidden_[Rule::kMaxTresMinutesPerJob],
                 Rule::kMaxTresMinutesPerJob) ||
        !minutes(qos.group.tres_minutes, hidden_[Rule::kGrpTresMinutes], Rule::kGrpTresMinutes) ||
        !minutes(qos.group.tres_run_minutes, hidden_[Rule::kGrpTresRunMinutes],
                 Rule::kGrpTresRunMinutes) ||
        !once(qos.job.max_wall, hidden_[Rule::kMaxWall],
              [&](Duration limit) { return wall(Rule::kMaxWall, level, limit); }) ||
        !once(qos.group.wall, hidden_[Rule::kGrpWall],
              [&](Duration limit) { return wall(Rule::kGrpWall, level, limit); }))
      return false;
  }
  if (strict_) {
    if (!each_and_hide(qos.job.max_tres, hidden_[Rule::kMaxTresPerJob],
                       [&](TresIndex t, std::int64_t limit) {
                         return alone(Rule::kMaxTresPerJob, level, t, limit, asked[t]);
                       }) ||
        !each_and_hide(qos.job.max_tres_node, hidden_[Rule::kMaxTresPerNode],
                       [&](TresIndex t, std::int64_t limit) { return per_node(level, t, limit); }))
      return false;
  }
  if (!once(qos.account.max_submit_jobs, hidden_[Rule::kMaxSubmitJobsPerAccount], [&](auto limit) {
        return submitted(Rule::kMaxSubmitJobsPerAccount, level, limit,
                         usage_.of_account(id).submitted - usage_.own_of_account(id));
      }))
    return false;
  if (!once(qos.user.max_submit_jobs, hidden_[Rule::kMaxSubmitJobsPerUser], [&](auto limit) {
        return submitted(Rule::kMaxSubmitJobsPerUser, level, limit,
                         usage_.of_user(id).submitted - usage_.own(id));
      }))
    return false;
  return !strict_ ||
         each_and_hide(qos.job.min_tres, hidden_[Rule::kMinTresPerJob],
                       [&](TresIndex t, std::int64_t limit) { return minimum(level, t, limit); });
}

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::group_at_submission(Level level, AssocId id) {
  const GroupLimits& group = policy_.associations[id.index()].group;
  if (strict_ && !each(group.tres, hidden_[Rule::kGrpTres], [&](TresIndex t, std::int64_t limit) {
        return alone(Rule::kGrpTres, level, t, under_factor(limit), q_.tres[t]);
      }))
    return false;
  if (group.submit_jobs && !hidden_.has(Rule::kGrpSubmitJobs) &&
      !submitted(Rule::kGrpSubmitJobs, level, *group.submit_jobs,
                 usage_.now(id).submitted - usage_.own(id)))
    return false;
  // A change of a waiting job is not held against the association's limits on time.
  if (!strict_ || q_.is_change) return true;
  const auto minutes = [&](const TresLimits& limits, std::uint32_t hidden, Rule rule) {
    return each(limits, hidden, [&](TresIndex t, std::int64_t limit) {
      return alone(rule, level, t, limit, minutes_of(t));
    });
  };
  return minutes(group.tres_minutes, hidden_[Rule::kGrpTresMinutes], Rule::kGrpTresMinutes) &&
         minutes(group.tres_run_minutes, hidden_[Rule::kGrpTresRunMinutes],
                 Rule::kGrpTresRunMinutes) &&
         (!group.wall || hidden_.has(Rule::kGrpWall) || wall(Rule::kGrpWall, level, *group.wall));
}

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::max_at_submission() {
  if (strict_) {
    if (!each_inherited(&JobLimits::max_tres, hidden_[Rule::kMaxTresPerJob],
                        [&](Level level, TresIndex t, std::int64_t limit) {
                          return alone(Rule::kMaxTresPerJob, level, t, under_factor(limit),
                                       q_.tres[t]);
                        }) ||
        !each_inherited(&JobLimits::max_tres_node, hidden_[Rule::kMaxTresPerNode],
                        [&](Level level, TresIndex t, std::int64_t limit) {
                          return per_node(level, t, limit);
                        }))
      return false;
  }
  if (!hidden_.has(Rule::kMaxSubmitJobsPerUser) && !hidden_.has(Rule::kMaxSubmitJobsPerAccount) &&
      !first_inherited(
          [](const Association& a) -> const auto& { return a.max_submit_jobs; },
          [&](Level level, std::int64_t limit) {
            const AssocId own = *q_.assoc;
            return submitted(Rule::kMaxSubmitJobsPerUser, level, limit,
                             usage_.now(own).submitted - usage_.own(own));
          }))
    return false;
  if (!strict_ || q_.is_change) return true;
  return each_inherited(&JobLimits::max_tres_minutes, hidden_[Rule::kMaxTresMinutesPerJob],
                        [&](Level level, TresIndex t, std::int64_t limit) {
                          return alone(Rule::kMaxTresMinutesPerJob, level, t, limit, minutes_of(t));
                        }) &&
         (hidden_.has(Rule::kMaxWall) ||
          first_inherited(
              [](const Association& a) -> const auto& { return a.job.max_wall; },
              [&](Level level, Duration limit) { return wall(Rule::kMaxWall, level, limit); }));
}

}  // namespace sluice
