// The engine's state as a source of usage for the walk over limits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limits/walk.h"
#include "policy/run_minutes.h"
#include "state/state.h"

namespace sluice {

// A submission that stands in the books already: that of a job about to be changed.
struct CountedSubmission {
  const Shape& shape;
  std::int64_t tasks = 1;
};

class StateUsage {
 public:
  StateUsage(const State& state, const Shape& shape, const TresVector& tres, Instant now,
             const CountedSubmission* counted = nullptr, const Allocation* allocation = nullptr)
      : state_(state),
        shape_(shape),
        tres_(tres),
        counted_(counted),
        allocation_(allocation),
        now_seconds_(to_seconds(now - state.origin())) {
    if (shape.assoc) account_ = policy().associations[shape.assoc->index()].parent;
  }

  const Policy& policy() const { return state_.policy(); }
  QosPair qos_pair(PartitionId partition, std::optional<QosId> qos) const {
    return qos_in_order(policy(), partition, qos);
  }

  const Holding& now(QosId id) const { return state_.usage(id).now; }
  const Holding& now(AssocId id) const { return state_.usage(id).now; }
  const Holding& of_user(QosId id) const {
    return or_nothing(state_.usage(id).users.find(shape_.user.index()));
  }
  const Holding& of_account(QosId id) const {
    return or_nothing(account_ ? state_.usage(id).accounts.find(account_->index()) : nullptr);
  }

  template <class Id>
  std::int64_t used_minutes(Id id, TresIndex tres) const {
    return static_cast<std::int64_t>(past(id).tres_seconds[tres.index()] / 60);
  }
  template <class Id>
  std::int64_t used_wall_seconds(Id id) const {
    return static_cast<std::int64_t>(past(id).wall_seconds);
  }
  std::int64_t run_minutes(LimitLevel level, const Holding& book, TresIndex tres) const {
    // With priority/basic slurmctld never takes off what has been run.
    if (policy().priority.type == PriorityType::kBasic) return whole_run_minutes(level, tres);
    FactoredSum left = run_seconds(policy(), book, tres, now_seconds_);
    // A job that runs beyond its limit has nothing left, not less.
    for (JobId id : state_.overstaying()) {
      const Job& job = state_.job(id);
      const Run& run = state_.run_of(job);
      const std::int64_t late = now_seconds_ - to_seconds(run.planned_end - state_.origin());
      if (late > 0 && stands_in(level, job, run)) left.add(run.tres[tres] * late, factor_of(job));
    }
    return std::max<std::int64_t>(0, left.value()) / 60;
  }

  std::int64_t nodes(const Holding& book) const { return book.nodes; }
  // Where it would run is not known: all that it asks for, but for those that it names.
  std::int64_t more_nodes(const Holding& book) const {
    if (allocation_ == nullptr) {
      const std::int64_t known = shape_.names_nodes ? named_nodes_of(book) : 0;
      return tres_[kTresNode] - (known <= tres_[kTresNode] ? known : 0);
    }
    const auto shares = allocation_->shares();
    return std::count_if(shares.begin(), shares.end(), [&](const NodeShare& share) {
      return book.node_jobs.empty() || book.node_jobs[share.node.index()] == 0;
    });
  }

  std::int64_t own(QosId qos) const {
    if (counted_ == nullptr || counted_->shape.partitions.empty()) return 0;
    std::int64_t own = 0;
    for_each_waiting_qos(policy(), counted_->shape, [&](QosId counted) {
      if (counted == qos) own = counted_->tasks;
    });
    return own;
  }
  std::int64_t own_of_account(QosId qos) const {
    const std::int64_t tasks = own(qos);
    if (tasks == 0 || !counted_->shape.assoc) return 0;
    return policy().associations[counted_->shape.assoc->index()].parent == account_ ? tasks : 0;
  }
  std::int64_t own(AssocId assoc) const {
    if (counted_ == nullptr) return 0;
    for (std::optional<AssocId> a = counted_->shape.assoc; a; a = parent_of(*a))
      if (*a == assoc) return counted_->tasks;
    return 0;
  }

 private:
  std::int64_t factor_of(const Job& job) const {
    return usage_factor_of(policy(), state_.shape_of_job(job).qos);
  }
  std::int64_t whole_run_minutes(LimitLevel level, TresIndex tres) const {
    FactoredSum seconds;
    for_each_run(state_, [&](const Job& job, const Run& run) {
      if (stands_in(level, job, run))
        seconds.add(run.tres[tres] * to_seconds(job.limit), factor_of(job));
    });
    return seconds.value() / 60;
  }
  // Of the nodes that the request names those on which jobs of the book run.
  std::int64_t named_nodes_of(const Holding& book) const {
    if (book.node_jobs.empty()) return 0;
    std::vector<NodeId> nodes;
    for (const std::string& name : shape_.request->require_nodes)
      if (const auto node = policy().find_node(name); node && book.node_jobs[node->index()] > 0)
        nodes.push_back(*node);
    std::sort(nodes.begin(), nodes.end());
    return std::unique(nodes.begin(), nodes.end()) - nodes.begin();
  }
  static const Holding& or_nothing(const Holding* holding) {
    static const Holding nothing{};
    return holding != nullptr ? *holding : nothing;
  }
  const PastUsage& past(QosId id) const { return state_.usage(id).past; }
  const PastUsage& past(AssocId id) const { return state_.past(id); }
  std::optional<AssocId> parent_of(AssocId assoc) const {
    return policy().associations[assoc.index()].parent;
  }
  bool stands_in(LimitLevel level, const Job& job, const Run& run) const {
    const bool of_association = level.holder == LimitHolder::kAssociation;
    bool found = false;
    for_each_book_of(
        state_, job, run,
        [&](AssocId id) { found = found || (of_association && id.value() == level.id); },
        [&](QosId id) { found = found || (!of_association && id.value() == level.id); });
    return found;
  }

  const State& state_;
  const Shape& shape_;
  const TresVector& tres_;
  const CountedSubmission* counted_;
  const Allocation* allocation_;
  std::optional<AssocId> account_;
  std::int64_t now_seconds_;
};

}  // namespace sluice
