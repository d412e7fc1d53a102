// A job stands in the books of its user, of its association and all above, and of its QoS.
#include "state/holding_changes.h"

#include "state/state.h"

namespace sluice {

void HoldingChanges::note(const Policy& policy, const Shape& shape, PartitionId partition) {
  ++count_;
  set(users_, shape.user.index());
  for (std::optional<AssocId> a = shape.assoc; a; a = policy.associations[a->index()].parent)
    set(associations_, a->index());
  const QosPair pair = qos_in_order(policy, partition, shape.qos);
  for (const std::optional<QosId>& qos : {pair.first, pair.second})
    if (qos) set(qos_, qos->index());
}

}  // namespace sluice
