// Nodes that a pass closes, and what reservations say of a job.
#include "policy/pass_room.h"

namespace sluice {

void PassRoom::adopt() {
  free_.adopt(topology_);
  windows_.clear();
}

void PassRoom::look_through(const State& state, const Shape& shape, Instant now) {
  if (reserves_ || shape.in_reservation)
    windows_.read(state, shape, now);
  else
    windows_.clear();
  if (keeps_users_apart(state, shape)) windows_.keep_off(nodes_of_other_users(state, shape));
}

std::optional<Reason> PassRoom::reservation_gate(Instant now) const {
  if (windows_.missing()) return Reason{.rule = Rule::kReservationDeleted};
  if (!windows_.begins_later(now)) return std::nullopt;
  return Reason{.rule = Rule::kReservation, .limit = to_seconds(windows_.own()->told.start)};
}

// Where CPUs are shared it is said which.
std::optional<Allocation> PassRoom::on_its_cpus(const State& state, const Shape& shape,
                                                PartitionId partition,
                                                std::optional<Allocation> found) {
  if (found && layers_for(state.policy().partitions[partition.index()], shape) > 1)
    assign_cpus(state, *found);
  return found;
}

const std::vector<NodeFree>& PassRoom::open_nodes(Instant now, Instant end) {
  if (!windows_.any()) return free_.all();
  open_ = free_.all();
  for (std::uint32_t i = 0; i < open_.size(); ++i)
    if (!windows_.is_open(NodeId(i), now, end)) open_[i].usable = false;
  return open_;
}

void PassRoom::close(PartitionId partition) {
  free_.close(partition);
  // A search for victims, and one for a layer, look at all nodes and must see it there.
  if (traits_.preempts || traits_.shares)
    for (NodeId node : topology_.candidates(partition)) free_.close(node);
}

}  // namespace sluice
