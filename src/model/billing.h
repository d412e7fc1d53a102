// What a job is billed.
#pragma once

#include <cstdint>

#include "model/ids.h"
#include "model/policy.h"
#include "model/tres.h"

namespace sluice {

// cpu, mem, node and gres are given; billing follows from the partition's weights.
std::int64_t billing_of(const Policy& policy, PartitionId partition, const TresVector& tres);

}  // namespace sluice
