// Looks through the policy once.
#include "policy/limit_presence.h"

namespace sluice {
namespace {

bool counts_before(const GroupLimits& group, const JobLimits& job) {
  return group.jobs || group.wall || job.max_wall || group.tres.has(kTresNode) ||
         job.max_tres.has(kTresNode);
}

bool counts_before(const HolderLimits& holder) {
  return holder.max_jobs || holder.max_tres.has(kTresNode);
}

}  // namespace

LimitPresence::LimitPresence(const Policy& policy) {
  for (const Qos& qos : policy.qos)
    qos_.push_back(counts_before(qos.group, qos.job) || counts_before(qos.user) ||
                   counts_before(qos.account));
  for (const Partition& partition : policy.partitions)
    partition_.push_back(partition.qos ? qos_[partition.qos->index()] : 0);
  // Parents come before their children.
  for (const Association& assoc : policy.associations)
    assoc_.push_back(counts_before(assoc.group, assoc.job) || assoc.max_jobs ||
                     (assoc.parent && assoc_[assoc.parent->index()] != 0));
}

}  // namespace sluice
