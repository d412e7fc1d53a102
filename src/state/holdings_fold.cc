// What jobs hold: nodes, licenses, and the books of associations and QoS.
#include <algorithm>
#include <bit>

#include "state/fold.h"

namespace sluice {
namespace {

void add(std::int64_t& to, std::int64_t amount, int sign) { to += sign * amount; }

// Dimensions that are not registered are zero everywhere.
void add(TresVector& to, const TresVector& amount, int sign, std::size_t dimensions) {
  for (std::size_t i = 0; i < dimensions; ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    to[tres] += sign * amount[tres];
  }
}

// base to the power of a whole number, by squaring: the same on every machine.
double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

// What is left of one second's usage after another second, as Slurm computes it.
double decay_per_second(const PrioritySettings& settings) {
  if (settings.half_life <= Duration(0)) return 1;
  return 1 - 0.693 / static_cast<double>(to_seconds(settings.half_life));
}

}  // namespace

template <class Change>
void StateFold::for_each_association(const Shape& shape, Change change) {
  const Policy& policy = *s_.policy_;
  for (std::optional<AssocId> a = shape.assoc; a; a = policy.associations[a->index()].parent)
    change(s_.assoc_usage_[a->index()].now, policy.associations[a->index()].group.tres);
}

// The QoS as a whole, and the job's user and account inside it. Each book comes with the limits
// that are looked up in it.
template <class Change>
void StateFold::for_each_in_qos(const Shape& shape, QosId qos, Change change) {
  const Policy& policy = *s_.policy_;
  const Qos& level = policy.qos[qos.index()];
  QosUsage& usage = s_.qos_usage_[qos.index()];
  change(usage.now, level.group.tres);
  change(usage.users.at(shape.user.index()), level.user.max_tres);
  if (shape.assoc)
    if (auto account = policy.associations[shape.assoc->index()].parent)
      change(usage.accounts.at(account->index()), level.account.max_tres);
}

// Every book that a job of this shape in this partition stands in: its association and all above,
// its QoS and the partition's, and its user and account inside these.
template <class Change>
void StateFold::for_each_holding(const Shape& shape, PartitionId partition, Change change) {
  for_each_association(shape, change);
  const QosPair pair = qos_in_order(*s_.policy_, partition, shape.qos);
  for (const std::optional<QosId>& qos : {pair.first, pair.second})
    if (qos) for_each_in_qos(shape, *qos, change);
}

void StateFold::count_waiting(const Shape& shape, std::int64_t jobs, Sign sign) {
  if (!shape.counted || shape.partitions.empty()) return;
  const auto count = [&](Holding& holding, const TresLimits&) {
    add(holding.submitted, jobs, static_cast<int>(sign));
  };
  for_each_association(shape, count);
  for_each_waiting_qos(*s_.policy_, shape, [&](QosId qos) { for_each_in_qos(shape, qos, count); });
}

void StateFold::count_submitted(const Shape& shape, PartitionId partition, Sign sign) {
  if (!shape.counted || shape.partitions.empty()) return;
  for_each_holding(shape, partition, [&](Holding& holding, const TresLimits&) {
    add(holding.submitted, 1, static_cast<int>(sign));
  });
}

void StateFold::count_running(const Shape& shape, const Run& run, Sign sign) {
  if (!shape.counted) return;
  s_.holding_changes_.note(*s_.policy_, shape, run.partition);
  const std::size_t dimensions = s_.policy_->tres.size();
  for_each_holding(shape, run.partition, [&](Holding& holding, const TresLimits& limits) {
    add(holding.tres, run.tres, static_cast<int>(sign), dimensions);
    add(holding.jobs, 1, static_cast<int>(sign));
    if (!limits.has(kTresNode)) return;
    holding.node_jobs.resize(s_.nodes_.size());
    for (const NodeShare& share : run.allocation.shares()) {
      std::uint32_t& jobs = holding.node_jobs[share.node.index()];
      if (sign == Sign::kAdd ? jobs++ == 0 : --jobs == 0) holding.nodes += static_cast<int>(sign);
    }
  });
  if (sign == Sign::kAdd) count_tres_end(shape, run, sign);
}

void StateFold::count_tres_end(const Shape& shape, const Run& run, Sign sign) {
  if (!shape.counted) return;
  const std::int64_t end = to_seconds(run.planned_end - s_.origin_);
  const std::size_t dimensions = s_.policy_->tres.size();
  TresVector product;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    product[tres] = run.tres[tres] * end;
  }
  const bool has_factor =
      shape.qos && s_.policy_->qos[shape.qos->index()].usage_factor_millionths != 1'000'000;
  for_each_holding(shape, run.partition, [&](Holding& holding, const TresLimits&) {
    add(holding.tres_end, product, static_cast<int>(sign), dimensions);
    if (has_factor)
      count_factored(holding, *shape.qos, run.tres, product, static_cast<std::int64_t>(sign));
  });
}

void StateFold::take_layer(NodeUse& node, const NodeShare& share, Sign sign) {
  if (node.layers.size() < share.layer) node.layers.resize(share.layer);
  node.layers[share.layer - 1u] += static_cast<int>(sign) * share.cpus;
}

void StateFold::take_cpus(const Run& run, Sign sign) {
  for (const NodeShare& share : run.allocation.shares()) {
    NodeUse& node = s_.nodes_[share.node.index()];
    if (share.layer > 0)
      take_layer(node, share, sign);
    else
      node.cpus_taken += static_cast<int>(sign) * share.cpus;
    s_.node_changes_.note(share.node);
    s_.cpus_taken_ += static_cast<int>(sign) * share.cpus;
  }
}

void StateFold::write_waiting(const Job& job) {
  const std::int64_t tasks =
      job.is_array ? static_cast<std::int64_t>(s_.arrays_.at(job.array).waiting.size()) : 1;
  count_waiting(shape(job), tasks, Sign::kAdd);
}

void StateFold::write_run(const Job& job, Run& run) {
  const Shape& asked = shape(job);
  run.tres = tres_of(*s_.policy_, asked, run.partition, run.allocation);
  count_submitted(asked, run.partition, Sign::kAdd);
  take_nodes(asked, run, Sign::kAdd);
  take_licenses(asked, Sign::kAdd);
  count_running(asked, run, Sign::kAdd);
  if (run.cpus_lent) suspend_cpus(run, Sign::kAdd);
  if (job.state != JobState::kSuspended) insert_end(run);
}

// The CPUs go to others meanwhile: to whom it made room, but not to the job's equals; to anybody
// where an operator suspended it.
void StateFold::suspend_cpus(const Run& run, Sign sign) {
  take_cpus(run, sign == Sign::kAdd ? Sign::kSubtract : Sign::kAdd);
  if (run.suspended_by == SuspendedBy::kUser) return;
  for (const NodeShare& share : run.allocation.shares())
    if (share.layer == 0) {
      s_.nodes_[share.node.index()].cpus_suspended += static_cast<int>(sign) * share.cpus;
      s_.node_changes_.note(share.node);
    }
}

void StateFold::take_nodes(const Shape& shape, const Run& run, Sign sign) {
  const int one = static_cast<int>(sign);
  const std::int32_t exclusive = shape.exclusive ? one : 0;
  std::int64_t cpus = 0;
  for (const NodeShare& share : run.allocation.shares()) {
    NodeUse& node = s_.nodes_[share.node.index()];
    if (share.layer > 0)
      take_layer(node, share, sign);
    else
      node.cpus_taken += one * share.cpus;
    cpus += share.cpus;
    node.memory_taken += one * share.memory_mb;
    if (sign == Sign::kAdd) {
      CHECK((node.gpus_taken & share.gpus) == 0, "a GPU was given twice");
      node.gpus_taken |= share.gpus;
    } else {
      node.gpus_taken &= ~share.gpus;
    }
    node.jobs += one;
    node.exclusive += exclusive;
    s_.node_changes_.note(share.node);
  }
  s_.cpus_taken_ += one * cpus;
  if (shape.by_user) s_.jobs_by_user_ += one;
}

void StateFold::take_licenses(const Shape& shape, Sign sign) {
  if (!shape.has_licenses) return;
  for (std::size_t i = 0; i < s_.policy_->licenses.size(); ++i)
    for (const LicenseRequest& wanted : shape.request->licenses)
      if (wanted.name == s_.policy_->licenses[i].name)
        s_.licenses_[i] += static_cast<int>(sign) * wanted.count;
}

namespace {
bool ends_before(const ExpectedEnd& a, const ExpectedEnd& b) {
  return a.at != b.at ? a.at < b.at : a.order < b.order;
}
}  // namespace

void StateFold::insert_end(const Run& run) {
  s_.node_changes_.note_end();
  ExpectedEnd end{run.expected_end, run.order, run.job,
                  static_cast<std::int32_t>(run.tres[kTresCpu])};
  for (const NodeShare& share : run.allocation.shares()) {
    if (share.layer > 0) continue;
    s_.node_ends_.add(share.node, run.expected_end);
    s_.node_changes_.note(share.node);
  }
  s_.ends_.insert(std::upper_bound(s_.ends_.begin(), s_.ends_.end(), end, ends_before), end);
}

void StateFold::remove_end(const Run& run) {
  s_.node_changes_.note_end();
  const ExpectedEnd end{run.expected_end, run.order, run.job, 0};
  auto it = std::lower_bound(s_.ends_.begin(), s_.ends_.end(), end, ends_before);
  CHECK(it != s_.ends_.end() && it->job == run.job);
  s_.ends_.erase(it);
  for (const NodeShare& share : run.allocation.shares()) {
    if (share.layer > 0) continue;
    s_.node_ends_.remove(share.node, run.expected_end);
    s_.node_changes_.note(share.node);
  }
}

// So many seconds that end now, as they count with decay. All that run are booked together, most
// since the last time, so the answer is mostly the same.
double StateFold::decayed_seconds(std::int64_t count) {
  if (s_.decayed_count_ != count) {
    s_.decayed_count_ = count;
    s_.decayed_seconds_ =
        static_cast<double>(count) * power(decay_per_second(s_.policy_->priority), count);
  }
  return s_.decayed_seconds_;
}

void StateFold::book(const Job& job, Run& run) {
  if (s_.policy_->priority.type != PriorityType::kMultifactor) return;
  const Shape& asked = s_.shapes_.at(job.spec);
  const std::int64_t seconds_run = to_seconds(at_) - to_seconds(run.counted_until);
  run.counted_until = at_;
  if (seconds_run <= 0) return;
  const Policy& policy = *s_.policy_;
  double wall = decayed_seconds(seconds_run);
  if (asked.qos)
    if (const auto factor = policy.qos[asked.qos->index()].usage_factor_millionths;
        factor != 1'000'000)
      wall *= static_cast<double>(factor) / 1e6;
  PastUsage more;
  more.wall_seconds = wall;
  more.billing_seconds = wall * static_cast<double>(run.tres[kTresBilling]);
  const std::size_t dimensions = policy.tres.size();
  for (std::size_t i = 0; i < dimensions; ++i)
    more.tres_seconds[i] =
        wall * static_cast<double>(run.tres[TresIndex(static_cast<std::uint8_t>(i))]);
  for (std::optional<AssocId> a = asked.assoc; a; a = policy.associations[a->index()].parent)
    s_.assoc_past_.add(a->index(), more);
  auto add_to = [&](PastUsage& past) {
    past.wall_seconds += more.wall_seconds;
    past.billing_seconds += more.billing_seconds;
    for (std::size_t i = 0; i < dimensions; ++i) past.tres_seconds[i] += more.tres_seconds[i];
  };
  const QosPair pair = qos_in_order(policy, run.partition, asked.qos);
  for (const std::optional<QosId>& qos : {pair.first, pair.second})
    if (qos) add_to(s_.qos_usage_[qos->index()].past);
}

void StateFold::decay(Instant until) {
  const Policy& policy = *s_.policy_;
  const double kept =
      power(decay_per_second(policy.priority), to_seconds(until) - to_seconds(s_.last_calculated_));
  auto shrink = [&](PastUsage& past) {
    past.billing_seconds *= kept;
    past.wall_seconds *= kept;
    for (std::size_t i = 0; i < policy.tres.size(); ++i) past.tres_seconds[i] *= kept;
  };
  if (kept < 1) {
    s_.assoc_past_.shrink(kept);
    for (std::size_t i = 0; i < s_.qos_usage_.size(); ++i)
      if (!policy.qos[i].flags.no_decay) shrink(s_.qos_usage_[i].past);
  }
  s_.last_calculated_ = until;
}

void StateFold::operator()(const PrioritiesCalculated&) {
  decay(at_);
  for (const ExpectedEnd& end : s_.ends_) {
    const Job& running = s_.jobs_.at(end.job);
    book(running, run(running));
  }
  // slurmctld charges suspended jobs as if they ran.
  for (JobId id : s_.suspended_) {
    const Job& suspended = s_.jobs_.at(id);
    book(suspended, run(suspended));
  }
}

void StateFold::operator()(const UsageWasReset&) {
  s_.assoc_past_.clear();
  for (QosUsage& usage : s_.qos_usage_) usage.past = {};
}

void StateFold::operator()(const NodeChanged& event) {
  s_.nodes_[event.node.index()].state = event.state;
  s_.node_changes_.note_state(event.node);
}

}  // namespace sluice
