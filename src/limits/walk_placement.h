// The limits that keep a waiting job from starting. Included by walk.h alone.
#pragma once

namespace sluice {

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::qos_before(Level level, QosId id) {
  const Qos& qos = policy_.qos[id.index()];
  return once(qos.group.jobs, hidden_[Rule::kGrpJobs],
              [&](std::int64_t limit) {
                return jobs(Rule::kGrpJobs, level, limit, usage_.now(id).jobs);
              }) &&
         once(qos.group.wall, hidden_[Rule::kGrpWall],
              [&](Duration limit) {
                return group_wall(level, limit, usage_.used_wall_seconds(id));
              }) &&
         once(qos.account.max_jobs, hidden_[Rule::kMaxJobsPerAccount],
              [&](std::int64_t limit) {
                return jobs(Rule::kMaxJobsPerAccount, level, limit, usage_.of_account(id).jobs);
              }) &&
         once(qos.user.max_jobs, hidden_[Rule::kMaxJobsPerUser],
              [&](std::int64_t limit) {
                return jobs(Rule::kMaxJobsPerUser, level, limit, usage_.of_user(id).jobs);
              }) &&
         once(qos.job.max_wall, hidden_[Rule::kMaxWall],
              [&](Duration limit) { return wall(Rule::kMaxWall, level, limit); });
}

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::group_before(Level level, AssocId id) {
  const GroupLimits& group = policy_.associations[id.index()].group;
  if (group.jobs && !hidden_.has(Rule::kGrpJobs) &&
      !jobs(Rule::kGrpJobs, level, *group.jobs, usage_.now(id).jobs))
    return false;
  return !group.wall || hidden_.has(Rule::kGrpWall) ||
         group_wall(level, *group.wall, usage_.used_wall_seconds(id));
}

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::max_before() {
  if (!hidden_.has(Rule::kMaxJobsPerUser) && !hidden_.has(Rule::kMaxJobsPerAccount) &&
      !first_inherited(
          [](const Association& a) -> const auto& { return a.max_jobs; },
          [&](Level level, std::int64_t limit) {
            return jobs(Rule::kMaxJobsPerUser, level, limit, usage_.now(*q_.assoc).jobs);
          }))
    return false;
  return hidden_.has(Rule::kMaxWall) ||
         first_inherited(
             [](const Association& a) -> const auto& { return a.job.max_wall; },
             [&](Level level, Duration limit) { return wall(Rule::kMaxWall, level, limit); });
}

// Nodes are looked for within the smallest number that any limit allows; a job that asks for more
// is told so before anything else is counted. acct_policy_get_max_nodes.
template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::node_counts() {
  constexpr TresIndex kNode = kTresNode;
  std::optional<Reason> least;
  const auto consider = [&](Rule rule, Level level, const TresLimits& limits) {
    if (!limits.has(kNode)) return;
    const std::int64_t most =
        level.holder == LimitHolder::kAssociation ? under_factor(limits[kNode]) : limits[kNode];
    if (least && least->limit <= most) return;
    least = Reason{rule, level.holder, kNode, level.id, most, 0, q_.min_nodes};
  };
  const auto consider_qos = [&](const std::optional<QosId>& id, LimitHolder holder) {
    if (!id || least) return;
    const Qos& qos = policy_.qos[id->index()];
    const Level level{holder, id->value()};
    consider(Rule::kMaxTresPerUser, level, qos.user.max_tres);
    consider(Rule::kMaxTresPerAccount, level, qos.account.max_tres);
    consider(Rule::kMaxTresPerJob, level, qos.job.max_tres);
  };
  consider_qos(pair_.first, pair_.first_holder);
  consider_qos(pair_.second, pair_.second_holder);
  const bool qos_sets_max = least.has_value();
  bool group_set = false;
  const auto consider_group = [&](const TresLimits& limits, Level level) {
    if (group_set || !limits.has(kNode)) return;
    group_set = true;
    consider(Rule::kGrpTres, level, limits);
  };
  if (pair_.first)
    consider_group(policy_.qos[pair_.first->index()].group.tres,
                   Level{pair_.first_holder, pair_.first->value()});
  if (pair_.second)
    consider_group(policy_.qos[pair_.second->index()].group.tres,
                   Level{pair_.second_holder, pair_.second->value()});
  bool max_set = qos_sets_max;
  for (std::optional<AssocId> a = q_.assoc; a; a = parent_of(*a)) {
    const Association& assoc = policy_.associations[a->index()];
    const Level level{LimitHolder::kAssociation, a->value()};
    consider_group(assoc.group.tres, level);
    if (!max_set && assoc.job.max_tres.has(kNode)) {
      max_set = true;
      consider(Rule::kMaxTresPerJob, level, assoc.job.max_tres);
    }
  }
  return !least || visit_(*least, least->asked <= least->limit);
}

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::qos_after(Level level, QosId id) {
  const Qos& qos = policy_.qos[id.index()];
  const TresVector& asked = q_.tres;
  return each_and_hide(
             qos.group.tres_minutes, hidden_[Rule::kGrpTresMinutes],
             [&](TresIndex t, std::int64_t limit) { return group_minutes(level, t, limit, id); }) &&
         each_and_hide(qos.group.tres, hidden_[Rule::kGrpTres],
                       [&](TresIndex t, std::int64_t limit) {
                         return beside(Rule::kGrpTres, level, t, limit, usage_.now(id));
                       }) &&
         each_and_hide(qos.group.tres_run_minutes, hidden_[Rule::kGrpTresRunMinutes],
                       [&](TresIndex t, std::int64_t limit) {
                         return group_run_minutes(level, t, limit, usage_.now(id));
                       }) &&
         each_and_hide(qos.job.max_tres_minutes, hidden_[Rule::kMaxTresMinutesPerJob],
                       [&](TresIndex t, std::int64_t limit) {
                         return alone(Rule::kMaxTresMinutesPerJob, level, t, limit, minutes_of(t));
                       }) &&
         each_and_hide(qos.job.max_tres, hidden_[Rule::kMaxTresPerJob],
                       [&](TresIndex t, std::int64_t limit) {
                         return alone(Rule::kMaxTresPerJob, level, t, limit, asked[t]);
                       }) &&
         each_and_hide(
             qos.job.max_tres_node, hidden_[Rule::kMaxTresPerNode],
             [&](TresIndex t, std::int64_t limit) { return per_node(level, t, limit); }) &&
         each_and_hide(qos.job.min_tres, hidden_[Rule::kMinTresPerJob],
                       [&](TresIndex t, std::int64_t limit) { return minimum(level, t, limit); }) &&
         each_and_hide(qos.account.max_tres, hidden_[Rule::kMaxTresPerAccount],
                       [&](TresIndex t, std::int64_t limit) {
                         return beside(Rule::kMaxTresPerAccount, level, t, limit,
                                       usage_.of_account(id));
                       }) &&
         // 22.05 stores MaxTRESRunMinsPerUser and …PerAccount and enforces neither.
         each_and_hide(qos.user.max_tres, hidden_[Rule::kMaxTresPerUser],
                       [&](TresIndex t, std::int64_t limit) {
                         return beside(Rule::kMaxTresPerUser, level, t, limit, usage_.of_user(id));
                       });
}

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::group_after(Level level, AssocId id) {
  const GroupLimits& group = policy_.associations[id.index()].group;
  return each(
             group.tres_minutes, hidden_[Rule::kGrpTresMinutes],
             [&](TresIndex t, std::int64_t limit) { return group_minutes(level, t, limit, id); }) &&
         each(group.tres, hidden_[Rule::kGrpTres],
              [&](TresIndex t, std::int64_t limit) {
                return beside(Rule::kGrpTres, level, t, under_factor(limit), usage_.now(id));
              }) &&
         each(group.tres_run_minutes, hidden_[Rule::kGrpTresRunMinutes],
              [&](TresIndex t, std::int64_t limit) {
                return group_run_minutes(level, t, limit, usage_.now(id));
              });
}

template <class Usage, class Visit>
bool LimitWalk<Usage, Visit>::max_after() {
  return each_inherited(&JobLimits::max_tres_minutes, hidden_[Rule::kMaxTresMinutesPerJob],
                        [&](Level level, TresIndex t, std::int64_t limit) {
                          return alone(Rule::kMaxTresMinutesPerJob, level, t, limit, minutes_of(t));
                        }) &&
         each_inherited(&JobLimits::max_tres, hidden_[Rule::kMaxTresPerJob],
                        [&](Level level, TresIndex t, std::int64_t limit) {
                          return alone(Rule::kMaxTresPerJob, level, t, under_factor(limit),
                                       q_.tres[t]);
                        }) &&
         each_inherited(&JobLimits::max_tres_node, hidden_[Rule::kMaxTresPerNode],
                        [&](Level level, TresIndex t, std::int64_t limit) {
                          return per_node(level, t, limit);
                        });
}

}  // namespace sluice
