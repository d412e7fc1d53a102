// The limits a job meets, one after the other, in the order in which slurmctld 22.05 looks.
//
// Deciding and explaining walk the same way and differ only in their visitor, so that they cannot
// disagree. For one kind of limit and one dimension the first QoS of the pair that sets it hides
// the other QoS and every association, group limits too. Among associations every group limit
// binds, and of the others the nearest that is set.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "model/reason.h"
#include "state/state.h"

namespace sluice {

// A submission that stands in the books already: that of a job about to be changed.
struct CountedSubmission {
  const Shape& shape;
  std::int64_t tasks = 1;
};

struct LimitQuestion {
  const State& state;
  const Shape& shape;
  PartitionId partition;
  Duration limit;
  const TresVector& tres;  // What it asks for, or what it would hold.
  Instant now;
  std::int64_t tasks = 1;
  const CountedSubmission* counted = nullptr;
  const Allocation* allocation = nullptr;  // Where it would run, if that is known.
};

// Calls visit(reason, passed) for every limit that is set; the visitor returns whether to go on.
template <class Visit>
class LimitWalk {
 public:
  LimitWalk(const LimitQuestion& question, Visit& visit)
      : q_(question),
        policy_(question.state.policy()),
        visit_(visit),
        pair_(qos_in_order(policy_, question.partition, question.shape.qos)),
        enforced_(policy_.enforce.limits),
        safe_(policy_.enforce.safe),
        time_counts_(question.counted == nullptr ||
                     question.counted->shape.limit != question.limit),
        // Slurm's limits are whole minutes: a job of ninety seconds counts as two.
        limit_minutes_((to_seconds(question.limit) + 59) / 60),
        now_seconds_(to_seconds(question.now - question.state.origin())) {
    if (question.shape.assoc) account_ = policy_.associations[question.shape.assoc->index()].parent;
    // UsageFactor counts for what is still to come only where UsageFactorSafe says so.
    for (const std::optional<QosId>& qos : {pair_.second, pair_.first})
      if (qos && safe_ && policy_.qos[qos->index()].flags.usage_factor_safe)
        factor_millionths_ = policy_.qos[qos->index()].usage_factor_millionths;
  }

  // acct_policy_validate: what refuses a submission. All three return whether the walk got through.
  bool at_submission() {
    if (!enforced_) return true;
    strict_ = !pair_.first || denies_on_limit(pair_.first) || denies_on_limit(pair_.second);
    return over_qos(&LimitWalk::qos_at_submission) &&
           over_associations(&LimitWalk::group_at_submission, &LimitWalk::max_at_submission);
  }
  // acct_policy_job_runnable_pre_select, and the node counts that select_nodes looks at.
  bool before_placement() {
    if (!enforced_) return true;
    return over_qos(&LimitWalk::qos_before) &&
           over_associations(&LimitWalk::group_before, &LimitWalk::max_before) && node_counts();
  }
  // acct_policy_job_runnable_post_select.
  bool after_placement() {
    if (!enforced_) return true;
    return over_qos(&LimitWalk::qos_after) &&
           over_associations(&LimitWalk::group_after, &LimitWalk::max_after);
  }

 private:
  struct Level {
    LimitHolder holder;
    std::uint32_t id;
  };
  // What a QoS has set already: one bit for a dimension, or for a count.
  struct Hidden {
    std::uint32_t group_tres = 0;
    std::uint32_t group_minutes = 0;
    std::uint32_t group_run_minutes = 0;
    std::uint32_t job_tres = 0;
    std::uint32_t node_tres = 0;
    std::uint32_t job_minutes = 0;
    std::uint32_t min_tres = 0;
    std::uint32_t user_tres = 0;
    std::uint32_t account_tres = 0;
    bool group_jobs = false;
    bool group_submit = false;
    bool group_wall = false;
    bool max_wall = false;
    bool user_jobs = false;
    bool account_jobs = false;
    bool user_submit = false;
    bool account_submit = false;
  };

  bool denies_on_limit(const std::optional<QosId>& qos) const {
    return qos && policy_.qos[qos->index()].flags.deny_on_limit;
  }

  bool say(Rule rule, Level level, std::int64_t limit, std::int64_t used, std::int64_t asked,
           bool passed, TresIndex tres = {}) {
    return visit_(Reason{rule, level.holder, tres, level.id, limit, used, asked}, passed);
  }

  // Calls check(dimension, limit) for what is set and not hidden.
  template <class Check>
  static bool each(const TresLimits& limits, std::uint32_t hidden, Check check) {
    for (std::uint32_t left = limits.bits() & ~hidden; left != 0; left &= left - 1) {
      const TresIndex tres(static_cast<std::uint8_t>(std::countr_zero(left)));
      if (!check(tres, limits[tres])) return false;
    }
    return true;
  }
  // The same, and hides it from those who come later.
  template <class Check>
  static bool each_and_hide(const TresLimits& limits, std::uint32_t& hidden, Check check) {
    const std::uint32_t before = hidden;
    hidden |= limits.bits();
    return each(limits, before, check);
  }
  // Runs check(limit) where a single limit is set and was not hidden; then it is.
  template <class Limit, class Check>
  static bool once(const std::optional<Limit>& limit, bool& hidden, Check check) {
    if (!limit || hidden) return true;
    hidden = true;
    return check(*limit);
  }

  // One job by itself.
  bool alone(Rule rule, Level level, TresIndex tres, std::int64_t limit, std::int64_t asked) {
    return say(rule, level, limit, 0, asked, asked <= limit, tres);
  }
  // Together with what is held. Who asks for none of it is not stopped by what others hold, even
  // where they hold more than the limit.
  bool together(Rule rule, Level level, TresIndex tres, std::int64_t limit, std::int64_t used,
                std::int64_t asked) {
    return say(rule, level, limit, used, asked, q_.tres[tres] == 0 || used + asked <= limit, tres);
  }
  bool minimum(Level level, TresIndex tres, std::int64_t limit) {
    return say(Rule::kMinTresPerJob, level, limit, 0, q_.tres[tres], q_.tres[tres] >= limit, tres);
  }
  bool per_node(Level level, TresIndex tres, std::int64_t limit) {
    const std::int64_t nodes = q_.tres[kTresNode];
    const std::int64_t asked = nodes > 1 ? q_.tres[tres] / nodes : q_.tres[tres];
    return alone(Rule::kMaxTresPerNode, level, tres, limit, asked);
  }
  bool jobs(Rule rule, Level level, std::int64_t limit, std::int64_t used) {
    return say(rule, level, limit, used, 1, used < limit);
  }
  bool submitted(Rule rule, Level level, std::int64_t limit, std::int64_t used) {
    return say(rule, level, limit, used, q_.tasks, used + q_.tasks <= limit);
  }
  bool wall(Rule rule, Level level, Duration limit) {
    return say(rule, level, to_seconds(limit), 0, to_seconds(q_.limit), q_.limit <= limit);
  }
  // Without `safe` only what was used counts; with it, what is asked must fit beside it.
  bool group_wall(Level level, Duration limit, const PastUsage& past) {
    const auto used = static_cast<std::int64_t>(past.wall_seconds);
    const std::int64_t most = to_seconds(limit);
    const std::int64_t asked = safe_ ? to_seconds(q_.limit) : 0;
    return say(Rule::kGrpWall, level, most, used, asked,
               used < most && (!safe_ || used / 60 * 60 + asked <= most));
  }
  // Together with what a book holds; a node that two jobs share counts once.
  bool beside(Rule rule, Level level, TresIndex tres, std::int64_t limit, const Holding& holding) {
    if (tres == kTresNode)
      return together(rule, level, tres, limit, holding.nodes, more_nodes(holding));
    return together(rule, level, tres, limit, holding.tres[tres], q_.tres[tres]);
  }
  // How many nodes it would add; where it would run is not known, as few as can be.
  std::int64_t more_nodes(const Holding& holding) const {
    if (q_.allocation == nullptr)
      return std::max<std::int64_t>(0, q_.tres[kTresNode] - holding.nodes);
    const auto shares = q_.allocation->shares();
    return std::count_if(shares.begin(), shares.end(), [&](const NodeShare& share) {
      return holding.node_jobs.empty() || holding.node_jobs[share.node.index()] == 0;
    });
  }
  bool group_minutes(Level level, TresIndex tres, std::int64_t limit, const Holding& now,
                     const PastUsage& past) {
    auto used = static_cast<std::int64_t>(past.tres_seconds[tres.index()] / 60);
    bool passed = used < limit;
    std::int64_t asked = 0;
    if (safe_) {
      asked = minutes_of(tres);
      used += run_minutes(level, now, tres);
      passed = passed && asked + used <= limit;
    }
    return say(Rule::kGrpTresMinutes, level, limit, used, asked, q_.tres[tres] == 0 || passed,
               tres);
  }
  bool group_run_minutes(Level level, TresIndex tres, std::int64_t limit, const Holding& now) {
    return together(Rule::kGrpTresRunMinutes, level, tres, limit, run_minutes(level, now, tres),
                    minutes_of(tres));
  }

  std::int64_t minutes_of(TresIndex tres) const {
    const std::int64_t minutes = q_.tres[tres] * limit_minutes_;
    if (factor_millionths_ == 1'000'000) return minutes;
    return static_cast<std::int64_t>(static_cast<double>(minutes) *
                                     static_cast<double>(factor_millionths_) / 1e6);
  }
  // What the running jobs may still use until their limits.
  std::int64_t run_minutes(Level level, const Holding& now, TresIndex tres) const {
    std::int64_t left = now.tres_end[tres] - now.tres[tres] * now_seconds_;
    // Whoever is there beyond its limit has nothing left, not less.
    for (JobId id : q_.state.overstaying()) {
      const Run& run = q_.state.run_of(q_.state.job(id));
      const std::int64_t late = now_seconds_ - to_seconds(run.planned_end - q_.state.origin());
      if (late > 0 && stands_in(level, q_.state.job(id), run)) left += run.tres[tres] * late;
    }
    return std::max<std::int64_t>(0, left) / 60;
  }
  bool stands_in(Level level, const Job& job, const Run& run) const {
    const Shape& shape = q_.state.shape_of_job(job);
    if (!shape.counted) return false;
    if (level.holder != LimitHolder::kAssociation) {
      const QosPair pair = qos_in_order(policy_, run.partition, shape.qos);
      const QosId id(level.id);
      return pair.first == id || pair.second == id;
    }
    for (std::optional<AssocId> a = shape.assoc; a; a = parent_of(*a))
      if (a->value() == level.id) return true;
    return false;
  }

  static const Holding& or_nothing(const Holding* holding) {
    static const Holding nothing{};
    return holding != nullptr ? *holding : nothing;
  }
  const Holding& of_user(const QosUsage& usage) const {
    return or_nothing(usage.users.find(q_.shape.user.index()));
  }
  const Holding& of_account(const QosUsage& usage) const {
    return or_nothing(account_ ? usage.accounts.find(account_->index()) : nullptr);
  }

  // How much of a book's submissions is the very job that is being changed.
  std::int64_t own_in(QosId qos) const {
    if (q_.counted == nullptr || q_.counted->shape.partitions.empty()) return 0;
    std::int64_t own = 0;
    for_each_waiting_qos(policy_, q_.counted->shape, [&](QosId counted) {
      if (counted == qos) own = q_.counted->tasks;
    });
    return own;
  }
  std::int64_t own_of_account_in(QosId qos) const {
    const std::int64_t own = own_in(qos);
    if (own == 0 || !q_.counted->shape.assoc) return 0;
    return policy_.associations[q_.counted->shape.assoc->index()].parent == account_ ? own : 0;
  }
  std::int64_t own_in(AssocId assoc) const {
    if (q_.counted == nullptr) return 0;
    for (std::optional<AssocId> a = q_.counted->shape.assoc; a;
         a = policy_.associations[a->index()].parent)
      if (*a == assoc) return q_.counted->tasks;
    return 0;
  }

  bool over_qos(bool (LimitWalk::*look)(Level, QosId)) {
    return (!pair_.first ||
            (this->*look)(Level{pair_.first_holder, pair_.first->value()}, *pair_.first)) &&
           (!pair_.second ||
            (this->*look)(Level{pair_.second_holder, pair_.second->value()}, *pair_.second));
  }
  // Group limits of the user's association and of all above; after the first, the other limits.
  bool over_associations(bool (LimitWalk::*group)(Level, AssocId), bool (LimitWalk::*max)()) {
    for (std::optional<AssocId> a = q_.shape.assoc; a; a = parent_of(*a)) {
      if (!(this->*group)(Level{LimitHolder::kAssociation, a->value()}, *a)) return false;
      if (a == q_.shape.assoc && !(this->*max)()) return false;
    }
    return true;
  }
  std::optional<AssocId> parent_of(AssocId assoc) const {
    return policy_.associations[assoc.index()].parent;
  }
  // Limits that children inherit: the nearest association that sets a dimension decides it.
  template <class Member, class Check>
  bool each_inherited(Member member, std::uint32_t hidden, Check check) {
    for (std::optional<AssocId> a = q_.shape.assoc; a; a = parent_of(*a)) {
      const TresLimits& limits = policy_.associations[a->index()].job.*member;
      if (limits.empty()) continue;
      const Level level{LimitHolder::kAssociation, a->value()};
      if (!each_and_hide(limits, hidden, [&](TresIndex tres, std::int64_t limit) {
            return check(level, tres, limit);
          }))
        return false;
    }
    return true;
  }
  template <class Get, class Check>
  bool first_inherited(Get get, Check check) {
    for (std::optional<AssocId> a = q_.shape.assoc; a; a = parent_of(*a))
      if (const auto& limit = get(policy_.associations[a->index()]))
        return check(Level{LimitHolder::kAssociation, a->value()}, *limit);
    return true;
  }

  bool qos_at_submission(Level level, QosId id);
  bool group_at_submission(Level level, AssocId id);
  bool max_at_submission();
  bool qos_before(Level level, QosId id);
  bool group_before(Level level, AssocId id);
  bool max_before();
  bool node_counts();
  bool qos_after(Level level, QosId id);
  bool group_after(Level level, AssocId id);
  bool max_after();

  const LimitQuestion& q_;
  const Policy& policy_;
  Visit& visit_;
  QosPair pair_;
  std::optional<AssocId> account_;
  bool enforced_;
  bool safe_;
  bool time_counts_;  // A change that leaves the time as it is is not held against limits on time.
  bool strict_ = true;
  std::int64_t limit_minutes_;
  std::int64_t now_seconds_;
  std::int64_t factor_millionths_ = 1'000'000;
  Hidden hidden_;
};

}  // namespace sluice

#include "policy/limit_walk_placement.h"   // IWYU pragma: export
#include "policy/limit_walk_submission.h"  // IWYU pragma: export
