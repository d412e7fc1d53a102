// acct_policy_job_time_out: the same order of levels as everywhere, but only what is over already.
#include "policy/used_up.h"

#include <algorithm>

namespace sluice {
namespace {

bool limits_the_past(const GroupLimits& group, const JobLimits& job) {
  return !group.tres_minutes.empty() || group.wall || !job.max_tres_minutes.empty();
}

class UsedUp {
 public:
  UsedUp(const State& state, const Job& job, Instant now)
      : state_(state),
        policy_(state.policy()),
        shape_(state.shape_of_job(job)),
        run_(state.run_of(job)),
        // Whole minutes, without those it was suspended for.
        minutes_(to_seconds(now - run_.started - run_.suspended_for) / 60) {}

  std::optional<Reason> find() {
    const QosPair pair = qos_in_order(policy_, run_.partition, shape_.qos);
    if (pair.first) look_at(*pair.first, pair.first_holder);
    if (pair.second) look_at(*pair.second, pair.second_holder);
    for (std::optional<AssocId> a = shape_.assoc; a && !found_;
         a = policy_.associations[a->index()].parent)
      look_at(*a);
    return found_;
  }

 private:
  void say(Rule rule, LimitHolder holder, std::uint32_t id, TresIndex tres, std::int64_t limit,
           std::int64_t used) {
    if (!found_ && used >= limit) found_ = Reason{rule, holder, tres, id, limit, used, 0};
  }
  // Of one kind and dimension the first QoS that sets it counts; `hidden` are those set before.
  template <class Used>
  void each(const TresLimits& limits, std::uint32_t hidden, Used used) {
    for (std::size_t i = 0; i < policy_.tres.size(); ++i) {
      const TresIndex tres(static_cast<std::uint8_t>(i));
      if (!limits.has(tres) || (hidden >> i & 1) != 0 || run_.tres[tres] == 0) continue;
      used(tres, limits[tres]);
    }
  }
  void look(const GroupLimits& group, const TresLimits& own, const PastUsage& past,
            LimitHolder holder, std::uint32_t id) {
    each(group.tres_minutes, group_hidden_, [&](TresIndex tres, std::int64_t limit) {
      say(Rule::kGrpTresMinutes, holder, id, tres, limit,
          static_cast<std::int64_t>(past.tres_seconds[tres.index()] / 60));
    });
    if (group.wall && !wall_hidden_)
      say(Rule::kGrpWall, holder, id, {}, to_seconds(*group.wall),
          static_cast<std::int64_t>(past.wall_seconds) / 60 * 60);
    each(own, own_hidden_, [&](TresIndex tres, std::int64_t limit) {
      say(Rule::kMaxTresMinutesPerJob, holder, id, tres, limit, minutes_ * run_.tres[tres]);
    });
  }
  void look_at(QosId id, LimitHolder holder) {
    const Qos& qos = policy_.qos[id.index()];
    look(qos.group, qos.job.max_tres_minutes, state_.usage(id).past, holder, id.value());
    group_hidden_ |= qos.group.tres_minutes.bits();
    own_hidden_ |= qos.job.max_tres_minutes.bits();
    wall_hidden_ = wall_hidden_ || qos.group.wall.has_value();
  }
  // Every group limit on the way up binds; of a job's own the nearest.
  void look_at(AssocId id) {
    const Association& assoc = policy_.associations[id.index()];
    look(assoc.group, assoc.job.max_tres_minutes, state_.past(id), LimitHolder::kAssociation,
         id.value());
    own_hidden_ |= assoc.job.max_tres_minutes.bits();
  }

  const State& state_;
  const Policy& policy_;
  const Shape& shape_;
  const Run& run_;
  std::int64_t minutes_;
  std::uint32_t group_hidden_ = 0;
  std::uint32_t own_hidden_ = 0;
  bool wall_hidden_ = false;
  std::optional<Reason> found_;
};

}  // namespace

bool ends_what_is_used_up(const Policy& policy) {
  if (!policy.enforce.limits || policy.enforce.safe ||
      policy.priority.type != PriorityType::kMultifactor)
    return false;
  return std::any_of(policy.qos.begin(), policy.qos.end(),
                     [](const Qos& qos) { return limits_the_past(qos.group, qos.job); }) ||
         std::any_of(policy.associations.begin(), policy.associations.end(),
                     [](const Association& a) { return limits_the_past(a.group, a.job); });
}

std::optional<Reason> used_up(const State& state, const Job& job, Instant now) {
  if (!state.shape_of_job(job).counted) return std::nullopt;
  return UsedUp(state, job, now).find();
}

}  // namespace sluice
