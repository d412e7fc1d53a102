// Reads partitions, the association and the QoS of a description.
#include "escalation/ceilings.h"

#include <algorithm>

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
  for (const Partition& partition : policy.partitions) {
    PartitionCeiling ceiling{partition.name, 0, partition.max_time};
    for (const NodeId node : partition.nodes)
      ceiling.memory_mb = std::max(ceiling.memory_mb, policy.nodes[node.index()].memory_mb);
    const auto most = partition.max_mem_per_node_mb ? partition.max_mem_per_node_mb
                                                    : policy.jobs.max_mem_per_node_mb;
    if (most) ceiling.memory_mb = std::min(ceiling.memory_mb, *most);
    out.partitions.push_back(std::move(ceiling));
    if (partition.is_default) out.default_partition = partition.name;
  }
  const Standing standing = standing_of(description, spec);
  if (standing.qos) {
    const Qos& qos = policy.qos[standing.qos->index()];
    lower(out.time, qos.job.max_wall);
    lower(out.memory_mb, qos.job.max_tres.get(kTresMem));
    if (out.time || out.memory_mb) out.holder = "QoS " + qos.name;
  }
  for (auto at = standing.association; at; at = policy.associations[at->index()].parent) {
    const Association& association = policy.associations[at->index()];
    lower(out.time, association.job.max_wall);
    lower(out.memory_mb, association.job.max_tres.get(kTresMem));
  }
  if (out.holder.empty() && (out.time || out.memory_mb)) out.holder = "account " + spec.account;
  return out;
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
