// What a policy says about itself must hold before anybody looks things up in it.
#include "engine/event_body.h"

namespace sluice {

std::string broken_reference(const Policy& policy) {
  auto qos_known = [&](const auto& ids) {
    for (QosId id : ids)
      if (id.index() >= policy.qos.size()) return false;
    return true;
  };
  auto weights_known = [&](const TresWeights& weights) {
    for (const TresWeight& weight : weights)
      if (weight.tres.index() >= policy.tres.size() || weight.per <= 0) return false;
    return true;
  };
  for (const Node& node : policy.nodes)
    if (node.gpus.size() > kMaxGpusPerNode) return "a node has too many GPUs";
  for (const Partition& partition : policy.partitions) {
    for (NodeId node : partition.nodes)
      if (node.index() >= policy.nodes.size()) return "a partition has a node that is not there";
    if (partition.qos && partition.qos->index() >= policy.qos.size())
      return "a partition has a QoS that is not there";
    if (!weights_known(partition.billing_weights)) return "a billing weight cannot be";
  }
  if (!weights_known(policy.priority.weight_tres)) return "a priority weight cannot be";
  for (const Qos& qos : policy.qos)
    if (!qos_known(qos.preempt)) return "a QoS preempts one that does not exist";
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    const Association& assoc = policy.associations[i];
    if (assoc.parent.has_value() != (i > 0) || (assoc.parent && assoc.parent->index() >= i))
      return "an association comes before its parent";
    if (!qos_known(assoc.qos) ||
        (assoc.default_qos && assoc.default_qos->index() >= policy.qos.size()))
      return "an association has a QoS that is not there";
  }
  return "";
}

}  // namespace sluice
