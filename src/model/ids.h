// The ids of the nouns. Node, partition, QoS, association and user ids index the policy's tables.
#pragma once

#include "base/ids.h"

namespace sluice {

using JobId = Id<struct JobTag>;  // As Slurm numbers jobs; 0 is no job.
using SpecId = Id<struct SpecTag>;
using NodeId = Id<struct NodeTag>;
using PartitionId = Id<struct PartitionTag>;
using QosId = Id<struct QosTag>;
using AssocId = Id<struct AssocTag>;
using UserId = Id<struct UserTag>;
using LicenseId = Id<struct LicenseTag>;

}  // namespace sluice
