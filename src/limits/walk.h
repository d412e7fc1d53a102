// The limits a job meets, one after the other, in the order in which slurmctld 22.05 looks.
//
// Deciding, explaining and counting room walk the same way. They differ in their visitor and in
// where usage is read from: the engine's state, or what was observed of a cluster. For one kind of
// limit and one dimension the first QoS of the pair that sets it hides the other QoS and every
// association, group limits too. Among associations every group limit binds, and of the others the
// nearest that is set.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "base/time.h"
#include "model/limit_table.h"
#include "model/policy.h"
#include "model/reason.h"

namespace sluice {

// So many millionths of a number.
constexpr std::int64_t scaled_by_millionths(std::int64_t number, std::int64_t factor) {
  constexpr std::int64_t kMillion = 1'000'000;
  return number / kMillion * factor + number % kMillion * factor / kMillion;
}

struct LimitQuestion {
  std::optional<AssocId> assoc;
  std::optional<QosId> qos;
  PartitionId partition;
  Duration limit;
  const TresVector& tres;  // What it asks for, or what it would hold.
  std::int64_t min_nodes = 1;
  std::int64_t tasks = 1;
  // A job that waits already is changed; whether its time limit is among what changes.
  bool is_change = false;
  bool time_changes = true;
  bool limit_by_operator = false;  // Then no MaxWall counts.
};

// Whose limits are looked at: a QoS or an association by its id.
struct LimitLevel {
  LimitHolder holder;
  std::uint32_t id;
};

// Usage says what is held, by members that take a QosId or an AssocId:
//   policy()
//   qos_pair(partition, qos)         the partition's QoS and the job's, in slurmctld's order
//   now(id)                          a book: tres, jobs and submitted
//   of_user(qos), of_account(qos)    the books of the job's user and account inside a QoS
//   used_minutes(id, tres)           what was used up so far
//   used_wall_seconds(id)
//   run_minutes(level, book, tres)   what running jobs may still use until their limits
//   nodes(book), more_nodes(book)    nodes in use, each once, and how many the job would add
//   own(id), own_of_account(qos)     submissions in the book that are the job itself
//   ageing(id), ageing_of_user(qos), ageing_of_account(qos)   waiting jobs that gain age
// A walk needs those that it counts.
//
// Calls visit(reason, passed) for every limit that is set; the visitor returns whether to go on.
template <class Usage, class Visit>
class LimitWalk {
 public:
  LimitWalk(const LimitQuestion& question, const Usage& usage, Visit& visit)
      : q_(question),
        usage_(usage),
        policy_(usage.policy()),
        visit_(visit),
        pair_(usage.qos_pair(question.partition, question.qos)),
        enforced_(policy_.enforce.limits),
        safe_(policy_.enforce.safe),
        // A change that leaves the time as it is is not held against limits on time.
        time_counts_((!question.is_change || question.time_changes) && !question.limit_by_operator),
        // Slurm's limits are whole minutes: a job of ninety seconds counts as two.
        limit_minutes_((to_seconds(question.limit) + 59) / 60) {
    // UsageFactor counts for what is still to come only where UsageFactorSafe says so.
    for (const std::optional<QosId>& qos : {pair_.second, pair_.first})
      if (qos && safe_ && policy_.qos[qos->index()].flags.usage_factor_safe)
        factor_millionths_ = policy_.qos[qos->index()].usage_factor_millionths;
    // Of two QoS the first that has a LimitFactor.
    for (const std::optional<QosId>& qos : {pair_.second, pair_.first})
      if (qos && policy_.qos[qos->index()].limit_factor_millionths)
        limit_factor_ = policy_.qos[qos->index()].limit_factor_millionths;
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

  // The one limit within which nodes are looked for: visited, if there is any.
  bool node_counts();
  // acct_policy_handle_accrue_time: whether one more waiting job gains priority by age.
  bool gains_age();

 private:
  using Level = LimitLevel;
  // What a QoS has set already, by its rule: one bit for a dimension, or for a count.
  class Hidden {
   public:
    std::uint32_t& operator[](Rule rule) { return bits_[place(rule)]; }
    bool has(Rule rule) const { return bits_[place(rule)] != 0; }

   private:
    static constexpr auto kFirst = static_cast<std::size_t>(Rule::kGrpTres);
    static constexpr auto kLast = static_cast<std::size_t>(
        std::max_element(std::begin(kLimitTable), std::end(kLimitTable),
                         [](const LimitRow& a, const LimitRow& b) { return a.rule < b.rule; })
            ->rule);
    static std::size_t place(Rule rule) { return static_cast<std::size_t>(rule) - kFirst; }
    std::array<std::uint32_t, kLast - kFirst + 1> bits_{};
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
  static bool once(const std::optional<Limit>& limit, std::uint32_t& hidden, Check check) {
    if (!limit || hidden != 0) return true;
    hidden = 1;
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
    if (q_.limit_by_operator) return true;
    return say(rule, level, to_seconds(limit), 0, to_seconds(q_.limit), q_.limit <= limit);
  }
  // Without `safe` only what was used counts; with it, what is asked must fit beside it.
  bool group_wall(Level level, Duration limit, std::int64_t used) {
    const std::int64_t most = to_seconds(limit);
    const std::int64_t asked = safe_ ? to_seconds(q_.limit) : 0;
    return say(Rule::kGrpWall, level, most, used, asked,
               used < most && (!safe_ || used / 60 * 60 + asked <= most));
  }
  // Together with what a book holds; a node that two jobs share counts once.
  template <class Book>
  bool beside(Rule rule, Level level, TresIndex tres, std::int64_t limit, const Book& book) {
    if (tres == kTresNode)
      return together(rule, level, tres, limit, usage_.nodes(book), usage_.more_nodes(book));
    return together(rule, level, tres, limit, book.tres[tres], q_.tres[tres]);
  }
  // slurmctld does not add to what others use, or have used, where the job's QoS has UsageFactor=0.
  bool is_free() const {
    return q_.qos && policy_.qos[q_.qos->index()].usage_factor_millionths == 0;
  }
  template <class Id>
  bool group_minutes(Level level, TresIndex tres, std::int64_t limit, Id id) {
    std::int64_t used = is_free() ? 0 : usage_.used_minutes(id, tres);
    bool passed = used < limit;
    std::int64_t asked = 0;
    if (safe_) {
      asked = minutes_of(tres);
      if (!is_free()) used += usage_.run_minutes(level, usage_.now(id), tres);
      passed = passed && asked + used <= limit;
    }
    return say(Rule::kGrpTresMinutes, level, limit, used, asked, q_.tres[tres] == 0 || passed,
               tres);
  }
  template <class Book>
  bool group_run_minutes(Level level, TresIndex tres, std::int64_t limit, const Book& book) {
    const std::int64_t used = is_free() ? 0 : usage_.run_minutes(level, book, tres);
    return together(Rule::kGrpTresRunMinutes, level, tres, limit, used, minutes_of(tres));
  }

  std::int64_t minutes_of(TresIndex tres) const {
    const std::int64_t minutes = q_.tres[tres] * limit_minutes_;
    if (factor_millionths_ == 1'000'000) return minutes;
    return static_cast<std::int64_t>(static_cast<double>(minutes) *
                                     static_cast<double>(factor_millionths_) / 1e6);
  }

  bool over_qos(bool (LimitWalk::*look)(Level, QosId)) {
    return (!pair_.first ||
            (this->*look)(Level{pair_.first_holder, pair_.first->value()}, *pair_.first)) &&
           (!pair_.second ||
            (this->*look)(Level{pair_.second_holder, pair_.second->value()}, *pair_.second));
  }
  // Group limits of the user's association and of all above; after the first, the other limits.
  bool over_associations(bool (LimitWalk::*group)(Level, AssocId), bool (LimitWalk::*max)()) {
    for (std::optional<AssocId> a = q_.assoc; a; a = parent_of(*a)) {
      if (!(this->*group)(Level{LimitHolder::kAssociation, a->value()}, *a)) return false;
      if (a == q_.assoc && !(this->*max)()) return false;
    }
    return true;
  }
  // An association's GrpTRES or MaxTRESPerJob, as it counts for jobs of these QoS: 22.05 multiplies
  // no other limits.
  std::int64_t under_factor(std::int64_t limit) const {
    return limit_factor_ ? scaled_by_millionths(limit, *limit_factor_) : limit;
  }
  std::optional<AssocId> parent_of(AssocId assoc) const {
    return policy_.associations[assoc.index()].parent;
  }
  // Limits that children inherit: the nearest association that sets a dimension decides it.
  template <class Member, class Check>
  bool each_inherited(Member member, std::uint32_t hidden, Check check) {
    for (std::optional<AssocId> a = q_.assoc; a; a = parent_of(*a)) {
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
    for (std::optional<AssocId> a = q_.assoc; a; a = parent_of(*a))
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
  bool qos_after(Level level, QosId id);
  bool group_after(Level level, AssocId id);
  bool max_after();

  const LimitQuestion& q_;
  const Usage& usage_;
  const Policy& policy_;
  Visit& visit_;
  decltype(std::declval<const Usage&>().qos_pair(PartitionId{}, std::optional<QosId>{})) pair_;
  bool enforced_;
  bool safe_;
  bool time_counts_;
  bool strict_ = true;
  std::int64_t limit_minutes_;
  std::int64_t factor_millionths_ = 1'000'000;
  std::optional<std::int64_t> limit_factor_;
  Hidden hidden_;
};

}  // namespace sluice

#include "limits/walk_age.h"         // IWYU pragma: export
#include "limits/walk_placement.h"   // IWYU pragma: export
#include "limits/walk_submission.h"  // IWYU pragma: export
