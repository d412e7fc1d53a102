// The engine's way of starting jobs, walked over what was observed.
#include "routing/room_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/event.h"
#include "model/limit_table.h"
#include "policy/admission.h"
#include "policy/cpu_cap.h"
#include "policy/feasibility.h"
#include "policy/gang.h"
#include "policy/job_windows.h"
#include "policy/limits.h"
#include "policy/partition_access.h"
#include "policy/refusal.h"

namespace sluice {
namespace {

// What could not be observed refuses nobody. Limits are looked at later, with what is in use.
std::shared_ptr<const Policy> lenient(const Description& description) {
  auto out = std::make_shared<Policy>(*description.policy);
  out->enforce.qos = false;
  out->enforce.associations = false;
  out->enforce.limits = false;
  const auto user = out->find_user(description.user);
  if (!user || out->users[user->index()].groups.empty())
    for (Partition& partition : out->partitions) partition.allow_groups.clear();
  return out;
}

std::int32_t part(std::int64_t whole, std::int64_t parts) {
  return static_cast<std::int32_t>((whole + parts - 1) / parts);
}

// One task as a job of its own. What only decides when it may start, and what is not observed, is
// left out.
JobSpec request_of(const TaskNeed& need) {
  JobSpec out;
  if (need.request) {
    out = *need.request;
    out.launch = {};
    out.array.reset();
    out.dependencies = {};
    out.begin.reset();
    out.deadline.reset();
    out.hold = false;
    out.priority.reset();
    out.nice = 0;
  } else {
    out.min_nodes = out.max_nodes = out.tasks = static_cast<std::int32_t>(need.nodes);
    out.cpus_per_task = part(need.cpus, need.nodes);
    if (need.memory_mb > 0)
      out.memory = MemoryRequest{MemoryPer::kNode, part(need.memory_mb, need.nodes)};
    if (need.gpus > 0)
      out.gpus.push_back({GpusPer::kNode, need.gpu_type, part(need.gpus, need.nodes)});
  }
  if (need.time_limit) out.time_limit = need.time_limit;
  return out;
}

bool is_closed(Rule rule) {
  return rule == Rule::kPartitionDown || rule == Rule::kPartitionInactive ||
         rule == Rule::kAccountNotAllowed || rule == Rule::kQosNotAllowed;
}

// Slurm tries the partitions with the highest tier first.
std::vector<PartitionId> in_order(const Policy& policy, std::vector<PartitionId> partitions) {
  std::stable_sort(partitions.begin(), partitions.end(), [&](PartitionId a, PartitionId b) {
    return policy.partitions[a.index()].priority_tier > policy.partitions[b.index()].priority_tier;
  });
  return partitions;
}

// Of each of its nodes; 0: all.
std::int32_t kept_cpus(const Description& seen, const std::string& reservation) {
  for (const KeptNodes& kept : seen.kept)
    if (kept.reservation == reservation) return kept.cpus;
  return 0;
}

// CPUs that running jobs of the partition have on each node. Of a job on several nodes only the sum
// is seen: on a node it has what the others there leave, where it is the only one of its kind.
std::vector<std::int64_t> cpus_held(const Description& seen, const Partition& partition) {
  const std::vector<Node>& nodes = seen.policy->nodes;
  std::vector<std::int64_t> out(nodes.size());
  std::vector<std::int64_t> rest(nodes.size());  // Of jobs on several nodes.
  std::vector<std::int64_t> shared(nodes.size());
  for (std::size_t i = 0; i < nodes.size() && i < seen.nodes.size(); ++i)
    rest[i] = nodes[i].cpus - seen.nodes[i].free_cpus;
  const auto each = [&](auto visit) {
    for (const HeldJob& job : seen.jobs) {
      if (!holds_nodes(job.state) || job.state == JobState::kSuspended || job.nodes.empty())
        continue;
      const std::int64_t average = job.tres[kTresCpu] / std::ssize(job.nodes);
      for (const std::string& name : job.nodes)
        if (const auto node = seen.policy->find_node(name))
          visit(job, node->index(), std::max<std::int64_t>(1, average));
    }
  };
  each([&](const HeldJob& job, std::size_t node, std::int64_t cpus) {
    if (job.nodes.size() == 1)
      rest[node] -= cpus;
    else
      shared[node] += cpus;
  });
  each([&](const HeldJob& job, std::size_t node, std::int64_t cpus) {
    if (job.partition != partition.name) return;
    if (job.nodes.size() > 1) cpus = std::max<std::int64_t>(0, rest[node]) * cpus / shared[node];
    out[node] += cpus;
  });
  return out;
}

}  // namespace

ObservedCluster::ObservedCluster(const Description& seen)
    : description(seen), policy(lenient(seen)), topology(*seen.policy) {
  state.apply(Event{seen.as_of, PolicyAdopted{policy}});
  for (const KeptNodes& kept : seen.kept) {
    Reservation reservation = kept.terms;
    reservation.name = kept.reservation;
    reservation.start = kept.start;
    reservation.end = kept.end;
    reservation.ahead = std::max(Duration(0), kept.start - seen.as_of);
    for (const NodeId node : kept.nodes)
      if (node.index() < policy->nodes.size())
        reservation.nodes.push_back(policy->nodes[node.index()].name);
    state.apply(Event{seen.as_of, ReservationMade{std::move(reservation)}});
  }
}

std::variant<Shape, Refusal> ObservedCluster::admitted(const Seat& seat,
                                                       const TaskNeed& need) const {
  JobSpec request = request_of(need);
  request.user = description.user;
  // Of several that would do, and of those that are not known, nothing is counted.
  if (policy->licenses.empty() || request.any_license) request.licenses.clear();
  request.account = policy->associations[seat.assoc.index()].account;
  request.qos = seat.qos ? policy->qos[seat.qos->index()].name : std::string();
  request.partitions.clear();
  for (const PartitionId id : seat.partitions)
    request.partitions.push_back(policy->partitions[id.index()].name);
  // Limits are asked for a time only while they are enforced.
  if (!request.time_limit && !seat.partitions.empty() &&
      !policy->partitions[seat.partitions.front().index()].default_time)
    request.time_limit =
        wall_from_limits(*description.policy, seat.assoc, seat.qos, seat.partitions.front());
  // Whether nodes could hold it is asked where limits are known: a job that is held is not checked.
  request.hold = true;
  Admission admission = admit(state, request, description.as_of);
  if (const auto* refusal = std::get_if<Refusal>(&admission)) return *refusal;
  Shape shape =
      sluice::shape_of(*policy, state.names(), std::get<0>(std::move(admission)), UserId(0));
  if (!shape.assoc) shape.assoc = seat.assoc;
  return shape;
}

Shape ObservedCluster::in_partition(const Seat& seat, const TaskNeed& need, const Shape& shape,
                                    PartitionId partition) const {
  Shape out = shape;
  if (shape.partitions.size() > 1) {
    const auto alone = shape_of(Seat{seat.assoc, seat.qos, {partition}}, need);
    if (alone) {
      out = *alone;
      out.assoc = shape.assoc;
      out.partitions = shape.partitions;
      out.limit = shape.limit;
    }
  }
  out.exclusive = shape.request->sharing == NodeSharing::kExclusive ||
                  policy->partitions[partition.index()].oversubscribe == OverSubscribe::kExclusive;
  out.only_cpus = out.only_cpus && !out.exclusive;
  return out;
}

std::optional<Shape> ObservedCluster::shape_of(const Seat& seat, const TaskNeed& need) const {
  auto out = admitted(seat, need);
  if (auto* shape = std::get_if<Shape>(&out)) return std::move(*shape);
  return std::nullopt;
}

bool ObservedCluster::is_shut(PartitionId partition, const TaskNeed& need) const {
  if (!group_allowed(*policy, description.user, partition)) return true;
  if (partition.index() >= description.partition_rules.size()) return false;
  const PartitionRules& rules = description.partition_rules[partition.index()];
  const bool reserved = need.request && !need.request->reservation.empty();
  return (rules.root_only && description.user != "root") || (rules.needs_reservation && !reserved);
}

PartitionFree::PartitionFree(const Books& books, const Shape& shape, PartitionId id)
    : topology_(books.cluster_->topology), shape_(shape), partition_(id), free_(books.nodes_) {
  const Description& seen = books.description();
  if (!books.everything_is_free_) keep_reserved(books, shape);
  share_cpus(seen, books.everything_is_free_ ? std::vector<HeldJob>() : seen.jobs);
  const Partition& partition = seen.policy->partitions[id.index()];
  if (!partition.max_cpus_per_node) return;
  const std::vector<std::int64_t> used = books.everything_is_free_
                                             ? std::vector<std::int64_t>(free_.size())
                                             : cpus_held(seen, partition);
  for (std::size_t i = 0; i < free_.size(); ++i)
    cap_cpus(free_[i], seen.policy->nodes[i], partition, used[i], shape);
}

// By the engine's own rule. Where a reservation keeps some CPUs of a node, the others are for all.
void PartitionFree::keep_reserved(const Books& books, const Shape& shape) {
  const Description& seen = books.description();
  if (seen.kept.empty() && !shape.in_reservation) return;
  JobWindows windows;
  windows.read(books.cluster_->state, shape, seen.as_of);
  const bool shut = windows.missing() || windows.begins_later(seen.as_of);
  const Instant end = seen.as_of + shape.limit;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const NodeId node(static_cast<std::uint32_t>(i));
    if (shut || !windows.may_use(node)) free_[i].usable = false;
    // Of a reservation of some cores its jobs get no others.
    if (const std::int32_t own =
            shape.in_reservation ? kept_cpus(seen, shape.request->reservation) : 0;
        own > 0)
      free_[i].cpus = std::min(free_[i].cpus, own);
    for (const JobWindows::Bar& bar : windows.bars()) {
      if (bar.until <= seen.as_of || bar.from >= end || !bar.by->has(node)) continue;
      const std::int32_t cpus = kept_cpus(seen, bar.by->told.name);
      if (cpus > 0)
        free_[i].cpus = std::max(0, free_[i].cpus - cpus);
      else
        free_[i].usable = false;
    }
  }
}

// Jobs that share CPUs and jobs that do not never meet on a node. Of jobs on several nodes only the
// sum of CPUs is seen, and which jobs of a partition with OverSubscribe=YES share is not.
void PartitionFree::share_cpus(const Description& seen, const std::vector<HeldJob>& jobs) {
  const Policy& policy = *seen.policy;
  const bool shares = layers_for(policy.partitions[partition_.index()], shape_) > 1;
  const auto has_layers = [](const Partition& one) {
    return (one.oversubscribe == OverSubscribe::kForce ||
            one.oversubscribe == OverSubscribe::kYes) &&
           one.oversubscribe_jobs > 1;
  };
  if (std::none_of(policy.partitions.begin(), policy.partitions.end(), has_layers)) return;
  if (shares) {
    layers_.resize(
        static_cast<std::size_t>(layers_for(policy.partitions[partition_.index()], shape_)));
    for (auto& layer : layers_)
      for (const Node& node : policy.nodes) layer.push_back(node.cpus);
  }
  for (const HeldJob& job : jobs) {
    if (!holds_nodes(job.state) || job.nodes.empty()) continue;
    const auto there = policy.find_partition(job.partition);
    if (!there) continue;
    const Partition& theirs = policy.partitions[there->index()];
    const bool may_meet = shares ? has_layers(theirs) : !has_layers(theirs);
    const auto cpus = static_cast<std::int32_t>(
        std::max<std::int64_t>(1, job.tres[kTresCpu] / std::ssize(job.nodes)));
    for (const std::string& name : job.nodes) {
      const auto node = policy.find_node(name);
      if (!node || node->index() >= free_.size()) continue;
      if (!may_meet) free_[node->index()].usable = false;
      for (auto& layer : layers_)
        if (layer[node->index()] >= cpus) {
          layer[node->index()] -= cpus;
          break;
        }
    }
  }
}

std::optional<Allocation> PartitionFree::place() {
  if (layers_.empty()) return sluice::place(topology_, shape_, partition_, free_);
  for (layer_ = 0; layer_ < layers_.size(); ++layer_) {
    for (std::size_t i = 0; i < free_.size(); ++i) free_[i].cpus = layers_[layer_][i];
    if (auto found = sluice::place(topology_, shape_, partition_, free_)) return found;
  }
  return std::nullopt;
}

void PartitionFree::take(const Allocation& allocation, std::int64_t times) {
  take_times(free_, allocation, times);
  if (layers_.empty()) return;
  for (const NodeShare& share : allocation.shares())
    layers_[layer_][share.node.index()] -= static_cast<std::int32_t>(share.cpus * times);
}

std::int64_t PartitionFree::times(const Allocation& allocation) const {
  if (allocation.size() != 1 || shape_.exclusive || shape_.whole_memory || !shape_.gpus.empty())
    return 1;
  const NodeShare& share = allocation.shares().front();
  const NodeFree& node = free_[share.node.index()];
  std::int64_t out = node.cpus / std::max(1, share.cpus);
  if (share.memory_mb > 0) out = std::min(out, node.memory / share.memory_mb);
  return std::max<std::int64_t>(1, out);
}

void take_times(std::vector<NodeFree>& nodes, const Allocation& allocation, std::int64_t times) {
  for (const NodeShare& share : allocation.shares()) {
    NodeFree& node = nodes[share.node.index()];
    node.cpus -= static_cast<std::int32_t>(share.cpus * times);
    node.memory -= share.memory_mb * times;
    node.gpus &= ~share.gpus;
    node.jobs += static_cast<std::int32_t>(times);
  }
}

std::string RoomCount::name_of(const Reason& reason) const {
  const Policy& policy = *books_.description().policy;
  switch (reason.holder) {
    case LimitHolder::kJobQos:
    case LimitHolder::kPartitionQos:
      return policy.qos[reason.holder_id].name;
    case LimitHolder::kAssociation: {
      const Association& assoc = policy.associations[reason.holder_id];
      return assoc.user.empty() ? assoc.account : assoc.user + " in " + assoc.account;
    }
    case LimitHolder::kPartition:
      return policy.partitions[reason.holder_id].name;
    case LimitHolder::kNone:
      break;
  }
  return {};
}

Bound RoomCount::refused(const Refusal& refusal) const {
  Bound out{Bound::Kind::kAlone, refusal.reason, name_of(refusal.reason), 0, {}, refusal.message};
  if (is_closed(refusal.reason.rule)) out.kind = Bound::Kind::kClosed;
  if (out.reason.holder == LimitHolder::kNone && !seat_.partitions.empty()) {
    out.reason.holder = LimitHolder::kPartition;
    out.reason.holder_id = seat_.partitions.front().value();
    out.name = name_of(out.reason);
  }
  return out;
}

// before: tasks that were counted already; of a share of a limit the first may take more.
std::optional<Bound> RoomCount::bound_of(const Reason& reason, bool passed, const TresVector& tres,
                                         Duration limit, std::int64_t before) const {
  Bound out{Bound::Kind::kTogether, reason, name_of(reason), passed ? kPlenty : 0, {}, {}};
  const LimitRow* row = find_limit(reason);
  if (row == nullptr || row->counts == LimitCounts::kOneJob) {
    if (passed) return std::nullopt;
    out.kind = Bound::Kind::kAlone;
    return out;
  }
  if (row->by_tres() && tres[reason.tres] == 0) return std::nullopt;
  if (row->counts == LimitCounts::kSubmitted) out.kind = Bound::Kind::kSubmission;
  if (!passed && reason.asked > reason.limit) {
    out.kind = Bound::Kind::kAlone;
    out.reason.used = 0;
    return out;
  }
  if (!passed || reason.asked <= 0 || reason.rule == Rule::kGrpWall) return out;
  out.fits = (reason.limit - reason.used) / reason.asked;
  if (row->unit == LimitUnit::kTresMinutes) {
    // Once it runs a task may count for more or less than it asked for.
    const std::int64_t held =
        books_.run_minutes_of(seat_, tres[reason.tres] * ((to_seconds(limit) + 59) / 60));
    out.fits = held <= 0 ? kPlenty : 1 + (reason.limit - reason.used - reason.asked) / held;
  }
  if (reason.rule != Rule::kGrpTres || reason.tres != kTresCpu || cpu_percent_ == 100) return out;
  const std::int64_t most = reason.limit * cpu_percent_ / 100;
  const std::int64_t fits = std::max<std::int64_t>(0, most - reason.used) / reason.asked;
  if (fits == 0 && before == 0) {
    out.fits = 1;  // A single task that fits is not refused for the sake of a share.
    return out;
  }
  out.fits = fits;
  out.reason.limit = most;
  return out;
}

void RoomCount::add_submission(const Books& books, const Shape& shape, PartitionId partition,
                               std::vector<Bound>& out) const {
  const ObservedCluster& cluster = *books.cluster_;
  const TresVector asked = counted_at_submission(*cluster.policy, cluster.state.names(), shape);
  const ObservedUsage usage(books.books_, *shape.assoc, asked, nullptr);
  const LimitQuestion question{shape.assoc, shape.qos,       partition, shape.limit,
                               asked,       shape.min_nodes, 1};
  // What one task breaks by itself stands in the walks that follow too.
  const auto submissions = [&](const Reason& reason, bool passed) {
    const LimitRow* row = find_limit(reason);
    if (row == nullptr || (row->counts != LimitCounts::kSubmitted && passed)) return true;
    auto bound = bound_of(reason, passed, asked, shape.limit, 1);
    if (!bound || std::find(out.begin(), out.end(), *bound) != out.end()) return true;
    if (bound->kind != Bound::Kind::kSubmission) bound->kind = Bound::Kind::kAlone;
    out.push_back(std::move(*bound));
    return true;
  };
  LimitWalk(question, usage, submissions).at_submission();
}

void RoomCount::add_licenses(const Books& books, const Shape& shape,
                             std::vector<Bound>& out) const {
  const std::vector<License>& licenses = books.description().policy->licenses;
  for (const LicenseRequest& wanted : shape.request->licenses)
    for (std::size_t i = 0; i < licenses.size(); ++i) {
      if (licenses[i].name != wanted.name || wanted.count <= 0) continue;
      const std::int64_t taken = books.licenses_taken_[i];
      Reason reason{.rule = Rule::kLicenses,
                    .limit = licenses[i].count,
                    .used = taken,
                    .asked = wanted.count};
      out.push_back({Bound::Kind::kTogether,
                     reason,
                     wanted.name,
                     std::max<std::int64_t>(0, licenses[i].count - taken) / wanted.count,
                     {},
                     {}});
    }
}

std::vector<Bound> RoomCount::look(const Books& books, const Shape& shape, PartitionId partition,
                                   const std::optional<Allocation>& allocation,
                                   std::int64_t before) const {
  const Policy& policy = *books.description().policy;
  const TresVector tres = allocation
                              ? counted_to_start(policy, shape, partition,
                                                 tres_of(policy, shape, partition, *allocation))
                              : shape.asked;
  const ObservedUsage usage(books.books_, *shape.assoc, tres, allocation ? &*allocation : nullptr);
  std::vector<Bound> out;
  const auto question = [&](const TresVector& asked) {
    return LimitQuestion{shape.assoc, shape.qos, partition, shape.limit, asked, shape.min_nodes, 1};
  };
  // Node counts are looked at before placement only to refuse what can never be.
  const auto counts = [&](const Reason& reason, bool passed) {
    const LimitRow* row = find_limit(reason);
    if (row != nullptr && row->by_tres() && passed) return true;
    if (auto bound = bound_of(reason, passed, shape.asked, shape.limit, before))
      out.push_back(std::move(*bound));
    return true;
  };
  const auto amounts = [&](const Reason& reason, bool passed) {
    if (auto bound = bound_of(reason, passed, tres, shape.limit, before))
      out.push_back(std::move(*bound));
    return true;
  };
  const LimitQuestion asked = question(shape.asked);
  const LimitQuestion held = question(tres);
  const auto asks = [&](const Reason& reason, bool passed) {
    if (!passed)
      out.push_back({is_closed(reason.rule) ? Bound::Kind::kClosed : Bound::Kind::kAlone,
                     reason,
                     name_of(reason),
                     0,
                     {},
                     {}});
    return true;
  };
  // Each of several partitions must let the job in.
  for (const PartitionId other : shape.partitions) add_submission(books, shape, other, out);
  walk_partition(policy, shape, partition, shape.limit, asks);
  LimitWalk(asked, usage, counts).before_placement();
  LimitWalk(held, usage, amounts).after_placement();
  add_licenses(books, shape, out);
  return out;
}

// What would make room if only that were free; nothing where several things are taken.
std::optional<TresIndex> RoomCount::lacking(const Shape& shape, PartitionId partition,
                                            std::vector<NodeFree> free) const {
  const Topology& topology = books_.cluster_->topology;
  const std::vector<Node>& nodes = topology.policy().nodes;
  const auto with = [&](auto fill) {
    std::vector<NodeFree> more = free;
    for (std::size_t i = 0; i < more.size(); ++i) fill(more[i], nodes[i]);
    return place(topology, shape, partition, more).has_value();
  };
  if (with([](NodeFree& node, const Node& all) {
        for (std::size_t i = 0; i < all.gpus.size(); ++i) node.gpus |= std::uint64_t{1} << i;
      }))
    return kTresGpu;
  if (with([](NodeFree& node, const Node& all) { node.memory = all.memory_mb; })) return kTresMem;
  if (with([](NodeFree& node, const Node& all) { node.cpus = all.cpus; })) return kTresCpu;
  return std::nullopt;
}

Room RoomCount::in_partition(const Shape& shape, PartitionId partition, Books& left) const {
  const Policy& policy = *books_.description().policy;
  Room out;
  out.submittable = kPlenty;
  PartitionFree free(left, shape, partition);
  const bool nodes_known = !free.nodes().empty();
  const auto placed = [&]() -> std::optional<Allocation> {
    return nodes_known ? free.place() : std::nullopt;
  };
  auto allocation = placed();
  for (Bound& gate : look(left, shape, partition, allocation, 0))
    out.gates.push_back(std::move(gate));
  for (const Bound& gate : out.gates)
    if (gate.kind != Bound::Kind::kTogether) out.submittable = std::min(out.submittable, gate.fits);
  const auto stop_at = [&](const Bound& bound) {
    out.tightest = bound;
    // Shown with the numbers as they are, not as they were by then.
    for (const Bound& gate : out.gates)
      if (gate.reason.rule == bound.reason.rule && gate.reason.holder == bound.reason.holder &&
          gate.reason.holder_id == bound.reason.holder_id && gate.reason.tres == bound.reason.tres)
        out.tightest = gate;
  };
  Bound nodes{Bound::Kind::kNodes, {}, policy.partitions[partition.index()].name, 0, {}, {}};
  nodes.reason.rule = Rule::kResources;
  nodes.reason.holder = LimitHolder::kPartition;
  nodes.reason.holder_id = partition.value();
  while (!out.tightest && out.fits < kPlenty) {
    std::int64_t here = kPlenty - out.fits;
    for (const Bound& gate : look(left, shape, partition, allocation, out.fits)) {
      if (gate.fits == 0) {
        stop_at(gate);
        break;
      }
      here = std::min(here, gate.fits);
    }
    if (out.tightest) break;
    if (nodes_known && !allocation) {
      nodes.fits = out.fits;
      nodes.lacks = lacking(shape, partition, free.nodes());
      out.tightest = nodes;
      break;
    }
    if (allocation) here = std::min(here, free.times(*allocation));
    const TresVector tres =
        allocation ? tres_of(policy, shape, partition, *allocation) : shape.asked;
    left.book(seat_, partition, tres, shape.limit, here, allocation ? &*allocation : nullptr);
    left.take_licenses(shape, here);
    if (allocation) {
      free.take(*allocation, here);
      take_times(left.nodes_, *allocation, here);
      allocation = placed();
    }
    out.fits += here;
  }
  // Nodes are the last gate: what they hold when no limit counts.
  if (nodes_known) {
    if (!out.tightest || out.tightest->kind != Bound::Kind::kNodes) {
      nodes.fits = out.fits;
      PartitionFree rest = free;
      for (auto next = rest.place(); next && nodes.fits < kPlenty; next = rest.place()) {
        const std::int64_t here = rest.times(*next);
        rest.take(*next, here);
        nodes.fits += here;
      }
    }
    out.gates.push_back(nodes);
  }
  return out;
}

bool RoomCount::is_too_large(const Shape& shape) const {
  const Policy& policy = *books_.description().policy;
  std::optional<Reason> failed;
  const auto stop = [&](const Reason& reason, bool passed) {
    if (!passed) failed = reason;
    return passed;
  };
  const ShutGates shut{[&](PartitionId id) {
                         failed.reset();
                         walk_partition(policy, shape, id, shape.limit, stop);
                         return failed.has_value();
                       },
                       [&](PartitionId id) {
                         const ObservedUsage usage(books_.books_, *shape.assoc, shape.asked,
                                                   nullptr);
                         const LimitQuestion question{shape.assoc, shape.qos,       id, shape.limit,
                                                      shape.asked, shape.min_nodes, 1};
                         failed.reset();
                         LimitWalk(question, usage, stop).before_placement();
                         return failed;
                       }};
  return no_node_could_hold(policy, shape, shape.partitions, shut);
}

namespace {

// Whether nodes were looked for: what stops a task earlier are gates of the partition and numbers
// of jobs.
bool was_placed(const Room& room) {
  if (!room.tightest || room.tightest->kind == Bound::Kind::kNodes) return true;
  const LimitRow* row = find_limit(room.tightest->reason);
  return row != nullptr && row->by_tres();
}

}  // namespace

// Tasks that are submitted together all wait at first, and a job that waits counts against the QoS
// of every partition it names, wherever it starts then.
void RoomCount::hold_together(const Shape& shape, Room& room) const {
  std::vector<Bound> bounds;
  for (const PartitionId partition : shape.partitions)
    add_submission(books_, shape, partition, bounds);
  for (const Bound& bound : bounds)
    if (bound.kind == Bound::Kind::kSubmission && bound.fits < room.fits) {
      room.fits = bound.fits;
      room.tightest = bound;
    }
}

Room RoomCount::no_room(const Refusal& refusal) const {
  Room out;
  out.gates.push_back(refused(refusal));
  out.tightest = out.gates.front();
  return out;
}

// A partition that does not take the user keeps the job out of all others where EnforcePartLimits
// says ALL, and ANY as well. Without it 22.05 lets the job start in the others if the first
// partition that it names is not that one.
std::optional<Refusal> RoomCount::shut_out() const {
  const ObservedCluster& cluster = *books_.cluster_;
  const auto is_shut = [&](PartitionId id) { return cluster.is_shut(id, need_); };
  const std::vector<PartitionId>& all = seat_.partitions;
  const auto shut = std::find_if(all.begin(), all.end(), is_shut);
  if (shut == all.end()) return std::nullopt;
  const EnforcePartLimits enforce = books_.description().policy->jobs.enforce_part_limits;
  if (enforce == EnforcePartLimits::kNo && shut != all.begin()) return std::nullopt;
  Refusal out = group_allowed(*cluster.policy, cluster.description.user, *shut)
                    ? refusal::of(refusal::kAccess)
                    : refusal::of(refusal::kGroup);
  out.reason.holder = LimitHolder::kPartition;
  out.reason.holder_id = shut->value();
  return out;
}

Room RoomCount::room() {
  if (const auto refusal = shut_out()) return no_room(*refusal);
  const auto admitted = books_.cluster_->admitted(seat_, need_);
  if (const auto* refusal = std::get_if<Refusal>(&admitted)) return no_room(*refusal);
  const Shape& shape = std::get<Shape>(admitted);
  if (is_too_large(shape))
    return no_room(refusal::of(refusal::kNodeConfiguration, Reason{.rule = Rule::kBadConstraints}));
  Books left = books_;
  std::optional<Room> best;
  std::int64_t all = 0;
  bool whole_nodes = false;
  for (const PartitionId partition : in_order(*books_.description().policy, shape.partitions)) {
    if (books_.cluster_->is_shut(partition, need_)) continue;
    Shape here = books_.cluster_->in_partition(seat_, need_, shape, partition);
    if (whole_nodes) {
      here.exclusive = true;
      here.only_cpus = false;
    }
    Room one = in_partition(here, partition, left);
    // 22.05 does not take back that a job wants whole nodes once it was tried in a partition with
    // OverSubscribe=EXCLUSIVE.
    whole_nodes = whole_nodes || (here.exclusive && was_placed(one));
    all = std::min(kPlenty, all + one.fits);
    if (!best || one.fits > best->fits) best = std::move(one);
  }
  if (!best) return {};
  best->fits = all;
  if (shape.partitions.size() > 1) hold_together(shape, *best);
  return *std::move(best);
}

}  // namespace sluice
