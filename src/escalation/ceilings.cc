// Reads partitions, the association and the QoS of a description.
#include "escalation/ceilings.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/task_need.h"
#include "limits/walk.h"
#include "model/limit_table.h"
#include "routing/books.h"
#include "state/state.h"

namespace sluice {
namespace {

template <class T>
void lower(std::optional<T>& bound, const std::optional<T>& other) {
  if (other && (!bound || *other < *bound)) bound = other;
}

struct Standing {
  std::optional<AssocId> association;
  std::optional<QosId> qos;
};

Standing standing_of(const Description& description, const JobSpec& spec) {
  const Policy& policy = *description.policy;
  std::string account = spec.account;
  if (account.empty())
    if (const auto user = policy.find_user(description.user))
      account = policy.users[user->index()].default_account;
  Standing out;
  out.association = policy.find_association(account, description.user,
                                            spec.partitions.empty() ? "" : spec.partitions.front());
  if (!spec.qos.empty())
    out.qos = policy.find_qos(spec.qos);
  else if (out.association)
    out.qos = policy.default_qos(*out.association);
  return out;
}

// No job holds anything.
class NoUsage {
 public:
  explicit NoUsage(const Policy& policy) : policy_(policy) {}
  const Policy& policy() const { return policy_; }
  QosPair qos_pair(PartitionId partition, std::optional<QosId> qos) const {
    return qos_in_order(policy_, partition, qos);
  }
  struct Book {
    TresVector tres;
    std::int64_t jobs = 0;
    std::int64_t submitted = 0;
  };
  template <class Id>
  const Book& now(Id /*id*/) const {
    return nothing_;
  }
  const Book& of_user(QosId /*qos*/) const { return nothing_; }
  const Book& of_account(QosId /*qos*/) const { return nothing_; }
  template <class Id>
  std::int64_t used_minutes(Id /*id*/, TresIndex /*tres*/) const {
    return 0;
  }
  template <class Id>
  std::int64_t used_wall_seconds(Id /*id*/) const {
    return 0;
  }
  std::int64_t run_minutes(LimitLevel /*level*/, const Book& /*book*/, TresIndex /*tres*/) const {
    return 0;
  }
  std::int64_t nodes(const Book& /*book*/) const { return 0; }
  std::int64_t more_nodes(const Book& /*book*/) const { return 1; }
  template <class Id>
  std::int64_t own(Id /*id*/) const {
    return 0;
  }
  std::int64_t own_of_account(QosId /*qos*/) const { return 0; }

 private:
  const Policy& policy_;
  Book nothing_;
};

std::string holder_of(const Policy& policy, const Reason& reason) {
  if (reason.holder == LimitHolder::kAssociation) {
    const Association& assoc = policy.associations[reason.holder_id];
    return assoc.user.empty() ? "account " + assoc.account
                              : "user " + assoc.user + " in " + assoc.account;
  }
  return "QoS " + policy.qos[reason.holder_id].name;
}

// The least that any limit leaves one job of these, in one partition.
struct Bounds {
  std::optional<std::int64_t> memory_mb;  // On each node.
  std::optional<Duration> time;
  Reason memory_reason;
  Reason time_reason;
};

Bounds bounds_of(const Policy& policy, const Standing& standing, PartitionId partition,
                 const TaskNeed& need) {
  Bounds out;
  // Limits in a dimension that is not asked for do not bind.
  TresVector asked = need.tres(policy.tres);
  asked[kTresMem] = std::max<std::int64_t>(1, asked[kTresMem]);
  const auto memory = [&](const Reason& reason, std::int64_t mb) {
    if (out.memory_mb && *out.memory_mb <= mb) return;
    out.memory_mb = mb;
    out.memory_reason = reason;
  };
  const auto time = [&](const Reason& reason, Duration most) {
    if (out.time && *out.time <= most) return;
    out.time = most;
    out.time_reason = reason;
  };
  const auto look = [&](const Reason& reason, bool /*passed*/) {
    const LimitRow* row = find_limit(reason.rule);
    if (row == nullptr || row->rule == Rule::kMinTresPerJob) return true;
    switch (row->unit) {
      case LimitUnit::kTres:
        if (reason.tres == kTresMem)
          memory(reason,
                 row->whose == LimitWhose::kNode ? reason.limit : reason.limit / need.nodes);
        break;
      case LimitUnit::kTime:
        time(reason, seconds(reason.limit));
        break;
      case LimitUnit::kTresMinutes:
        if (reason.tres != kTresMem && asked[reason.tres] > 0)
          time(reason, minutes(reason.limit / asked[reason.tres]));
        break;
      case LimitUnit::kJobs:
        break;
    }
    return true;
  };
  const NoUsage usage(policy);
  const LimitQuestion question{standing.association,
                               standing.qos,
                               partition,
                               need.time_limit.value_or(minutes(1)),
                               asked,
                               need.nodes,
                               1};
  LimitWalk(question, usage, look).before_placement();
  LimitWalk(question, usage, look).after_placement();
  return out;
}

std::string limit_of(const Policy& policy, const Reason& reason) {
  const LimitRow* row = find_limit(reason);
  return (row != nullptr ? std::string(row->name) + " of " : "") + holder_of(policy, reason);
}

// Lists of QoS count only where all of them could be seen.
std::string qos_words(const Description& description, const Standing& standing,
                      const JobSpec& spec) {
  const Policy& policy = *description.policy;
  if (spec.qos.empty() || !policy.enforce.qos || !description.unseen.empty()) return {};
  if (!standing.qos) return fmt::format("there is no QoS '{}'", spec.qos);
  const std::vector<QosId>& allowed = policy.allowed_qos(*standing.association);
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), *standing.qos) != allowed.end())
    return {};
  std::string names;
  for (const QosId id : allowed) names += (names.empty() ? "" : ", ") + policy.qos[id.index()].name;
  return fmt::format("account {} may not use the QoS '{}', only: {}",
                     policy.associations[standing.association->index()].account, spec.qos, names);
}

// Tried with next to no memory and time on a cluster where nothing runs: what GPUs, CPUs and
// features alone forbid. Nodes that are down or drained may come back.
std::string never_words(const Books& nothing_runs, const Standing& standing, PartitionId partition,
                        const JobSpec& spec) {
  if (!standing.association) return {};
  if (std::string words = qos_words(nothing_runs.description(), standing, spec); !words.empty())
    return words;
  const Policy& policy = *nothing_runs.description().policy;
  JobSpec least = spec;
  least.memory = MemoryRequest{MemoryPer::kNode, 1};
  least.time_limit = seconds(1);
  least.time_min.reset();
  least.no_time_limit = false;
  least.partitions = {policy.partitions[partition.index()].name};
  least.array.reset();
  TaskNeed need = need_of(least);
  need.request = std::make_shared<const JobSpec>(std::move(least));
  const Room room = nothing_runs.room({*standing.association, standing.qos, {partition}}, need);
  for (const Bound& gate : room.gates) {
    if (gate.kind != Bound::Kind::kAlone || gate.reason.rule == Rule::kMinTresPerJob) continue;
    if (!gate.refusal.empty()) return gate.refusal;
    const LimitRow* row = find_limit(gate.reason);
    if (row == nullptr) {
      // What the partition itself has: its nodes and their CPUs.
      if (gate.reason.rule != Rule::kPartitionConfig &&
          gate.reason.rule != Rule::kPartitionNodeLimit)
        continue;
      return fmt::format("it has {} {}, and {} are asked for", gate.reason.limit,
                         gate.reason.tres == kTresNode ? "nodes" : "CPUs", gate.reason.asked);
    }
    const std::string what = row->by_tres() ? policy.tres.name(gate.reason.tres) + "=" : "";
    return fmt::format("{} allows {}{}, and it asks for {}", limit_of(policy, gate.reason), what,
                       gate.reason.limit, gate.reason.asked);
  }
  return {};
}

}  // namespace

const PartitionCeiling* Ceilings::find(const std::string& name) const {
  const auto found = std::find_if(partitions.begin(), partitions.end(),
                                  [&](const PartitionCeiling& one) { return one.name == name; });
  return found == partitions.end() ? nullptr : &*found;
}

Ceilings ceilings_of(const Description& description, const JobSpec& spec) {
  Ceilings out;
  if (!description.policy) return out;
  const Policy& policy = *description.policy;
  const Standing standing = standing_of(description, spec);
  const TaskNeed need = need_of(spec);
  for (std::size_t i = 0; i < policy.partitions.size(); ++i) {
    const Partition& partition = policy.partitions[i];
    PartitionCeiling ceiling{partition.name, 0, partition.max_time, {}, {}};
    for (const NodeId node : partition.nodes)
      ceiling.memory_mb = std::max(ceiling.memory_mb, policy.nodes[node.index()].memory_mb);
    const auto most = partition.max_mem_per_node_mb ? partition.max_mem_per_node_mb
                                                    : policy.jobs.max_mem_per_node_mb;
    if (most) ceiling.memory_mb = std::min(ceiling.memory_mb, *most);
    const PartitionId id(static_cast<std::uint32_t>(i));
    const Bounds bounds = bounds_of(policy, standing, id, need);
    if (bounds.memory_mb && *bounds.memory_mb < ceiling.memory_mb) {
      ceiling.memory_mb = *bounds.memory_mb;
      ceiling.memory_limit = limit_of(policy, bounds.memory_reason);
    }
    if (bounds.time && (!ceiling.time || *bounds.time < *ceiling.time)) {
      ceiling.time = bounds.time;
      ceiling.time_limit = limit_of(policy, bounds.time_reason);
    }
    out.partitions.push_back(std::move(ceiling));
    if (partition.is_default) out.default_partition = partition.name;
  }
  return out;
}

Ceilings ceilings_of(const Description& description, const JobSpec& spec,
                     const std::vector<std::string>& accounts) {
  if (!description.policy) return {};
  const Books nothing_runs = Books::empty(description);
  std::optional<Ceilings> out;
  for (const std::string& account :
       accounts.empty() ? std::vector<std::string>{spec.account} : accounts) {
    JobSpec there = spec;
    there.account = account;
    Ceilings one = ceilings_of(description, there);
    const Standing standing = standing_of(description, there);
    for (PartitionCeiling& partition : one.partitions)
      if (spec.partitions.empty() ? partition.name == one.default_partition
                                  : std::find(spec.partitions.begin(), spec.partitions.end(),
                                              partition.name) != spec.partitions.end())
        partition.never = never_words(nothing_runs, standing,
                                      *description.policy->find_partition(partition.name), there);
    if (!out) {
      out = std::move(one);
      continue;
    }
    for (std::size_t i = 0; i < out->partitions.size(); ++i) {
      PartitionCeiling& best = out->partitions[i];
      PartitionCeiling& other = one.partitions[i];
      if (other.never.empty()) best.never.clear();
      if (other.memory_mb > best.memory_mb) {
        best.memory_mb = other.memory_mb;
        best.memory_limit = std::move(other.memory_limit);
      }
      if (best.time && (!other.time || *other.time > *best.time)) {
        best.time = other.time;
        best.time_limit = std::move(other.time_limit);
      }
    }
  }
  return *std::move(out);
}

std::optional<std::int64_t> submit_room(const Description& description, const JobSpec& spec) {
  std::optional<std::int64_t> room;
  if (!description.policy) return room;
  const Policy& policy = *description.policy;
  const auto bound = [&](const std::optional<std::int64_t>& limit, std::int64_t used) {
    if (limit) lower(room, std::optional(std::max<std::int64_t>(0, *limit - used)));
  };
  std::int64_t everybody = 0;
  for (const HeldJob& holding : description.jobs) everybody += holding.tasks;
  bound(std::int64_t{description.capabilities.max_job_count}, everybody);
  const Standing standing = standing_of(description, spec);
  if (standing.qos && standing.qos->index() < description.qos.size()) {
    const Qos& qos = policy.qos[standing.qos->index()];
    bound(qos.group.submit_jobs, description.qos[standing.qos->index()].submitted);
    std::int64_t mine = 0;
    for (const HolderUse& use : description.users)
      if (use.qos == *standing.qos && use.holder == description.user) mine = use.use.submitted;
    bound(qos.user.max_submit_jobs, mine);
  }
  for (auto at = standing.association; at; at = policy.associations[at->index()].parent) {
    const Association& association = policy.associations[at->index()];
    const std::int64_t used = at->index() < description.associations.size()
                                  ? description.associations[at->index()].submitted
                                  : 0;
    if (!association.user.empty()) bound(association.max_submit_jobs, used);
    bound(association.group.submit_jobs, used);
  }
  return room;
}

}  // namespace sluice
