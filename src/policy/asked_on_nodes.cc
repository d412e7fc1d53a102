// Adds what further nodes bring along.
#include "policy/asked_on_nodes.h"

#include <algorithm>

#include "model/billing.h"

namespace sluice {

bool nodes_change_request(const Shape& shape, bool nodes_count) {
  if (shape.max_nodes <= shape.min_nodes ||
      (shape.tasks <= shape.min_nodes && !shape.request->max_nodes))
    return false;
  return nodes_count || shape.memory_per_node > 0 ||
         std::any_of(shape.gpus.begin(), shape.gpus.end(),
                     [](const GpuNeed& need) { return need.per == GpusPer::kNode; });
}

TresVector asked_on(const Policy& policy, const Shape& shape, PartitionId partition,
                    std::int64_t nodes) {
  TresVector out = shape.asked;
  const std::int64_t more = nodes - shape.min_nodes;
  if (more <= 0) return out;
  out[kTresNode] = nodes;
  out[kTresCpu] = std::max(out[kTresCpu], nodes);
  if (policy.jobs.memory_is_consumable) out[kTresMem] += shape.memory_per_node * more;
  for (const GpuNeed& need : shape.gpus) {
    if (need.per != GpusPer::kNode) continue;
    out[kTresGpu] += need.count * more;
    if (need.tres != kTresGpu) out[need.tres] += need.count * more;
  }
  out[kTresBilling] = billing_of(policy, partition, out);
  return out;
}

}  // namespace sluice
