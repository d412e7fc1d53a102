// Where limits are set at all, so that who meets none is not asked about each.
#pragma once

#include <cstdint>
#include <vector>

#include "model/policy.h"
#include "state/shape.h"

namespace sluice {

class LimitPresence {
 public:
  LimitPresence() = default;
  explicit LimitPresence(const Policy& policy);

  // Whether anything that limit_before_placement looks at is set for the job's QoS, the
  // partition's, its association or one above.
  bool any_before_placement(const Shape& shape, PartitionId partition) const {
    return (shape.qos && qos_[shape.qos->index()] != 0) || partition_[partition.index()] != 0 ||
           (shape.assoc && assoc_[shape.assoc->index()] != 0);
  }

 private:
  std::vector<std::uint8_t> qos_;
  std::vector<std::uint8_t> partition_;  // Of its QoS.
  std::vector<std::uint8_t> assoc_;      // With all above.
};

}  // namespace sluice
