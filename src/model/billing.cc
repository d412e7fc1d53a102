#include "model/billing.h"

#include <algorithm>

namespace sluice {

std::int64_t billing_of(const Policy& policy, PartitionId partition, const TresVector& tres) {
  const TresWeights& weights = policy.partitions[partition.index()].billing_weights;
  if (weights.empty()) return tres[kTresCpu];
  // Millionths over the common divisor 1 T of memory: nothing is rounded before the end.
  constexpr std::int64_t kCommon = 1024 * 1024;
  double sum = 0;
  double most = 0;
  for (const TresWeight& weight : weights) {
    const double part = static_cast<double>(tres[weight.tres]) *
                        static_cast<double>(weight.millionths) *
                        static_cast<double>(kCommon / weight.per);
    sum += part;
    most = std::max(most, part);
  }
  return static_cast<std::int64_t>((policy.priority.max_tres ? most : sum) /
                                   (1e6 * static_cast<double>(kCommon)));
}

}  // namespace sluice
