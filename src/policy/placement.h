// Where a job fits: nodes, CPUs, memory and GPUs by identity.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/allocation.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

// What a node could give at some time.
struct NodeFree {
  std::int32_t cpus = 0;
  std::int32_t jobs = 0;  // Jobs there; one that wants the node for itself needs none.
  std::int64_t memory = 0;
  std::uint64_t gpus = 0;
  bool usable = true;      // Up, and not kept for somebody else.
  bool one_alone = false;  // A job has it for itself.
  friend bool operator==(const NodeFree&, const NodeFree&) = default;
};

// What a node in use has left. One that is draining or down is not usable.
NodeFree free_of(const NodeUse& use);
// As the nodes are now.
void read_free(const State& state, std::vector<NodeFree>& out);

void take(NodeFree& free, const NodeShare& share);
void take(std::vector<NodeFree>& free, const Allocation& allocation);
void give(std::vector<NodeFree>& free, const Allocation& allocation);

// The nodes the job would get in this partition, or nothing (node_selection.h); tasks are dealt out
// in turn.
std::optional<Allocation> place(const Topology& topology, const Shape& shape, PartitionId partition,
                                const std::vector<NodeFree>& free);
// The same where only these of the partition's nodes have room, in the partition's order: the
// others are not looked at.
std::optional<Allocation> place(const Topology& topology, const Shape& shape, PartitionId partition,
                                const std::vector<NodeFree>& free,
                                std::span<const NodeId> candidates);
// The same for a time to come, where the nodes are now as in `now`.
std::optional<Allocation> place_later(const Topology& topology, const Shape& shape,
                                      PartitionId partition, const std::vector<NodeFree>& free,
                                      std::span<const NodeId> candidates,
                                      const std::vector<NodeFree>& now);

// Whether the node is one the job may use at all (features, --exclude, sockets and cores): with
// what it prefers, or with what it needs.
bool may_use(const Topology& topology, const Shape& shape, NodeId node);
// The same with these features.
bool may_use(const Topology& topology, const Shape& shape, NodeId node, const Constraint& features);

// Whether the node has all features of one of the alternatives.
bool has_one_of(const Topology& topology, const std::vector<std::vector<std::string>>& any_of,
                NodeId node);

// Whether the node has the sockets, cores and threads, and the CPUs, that the request asks for.
bool is_built_for(const Node& node, const JobSpec& request);

// Whether nodes differ for the job in nothing but CPUs and memory: it names none and asks for no
// GPUs or features. The more of such nodes there are, the sooner it fits.
bool takes_any_node(const Shape& shape);

bool asks_gpus_per_job(const Shape& shape);  // --gpus

// Whether any node with room for all of its tasks will do, and only such a node.
bool takes_one_node(const Shape& shape);

// The tasks the job would have on a node with this: 0 where it cannot use it. For jobs that take
// any node.
std::int32_t tasks_there(const Topology& topology, const Shape& shape, NodeId node,
                         const NodeFree& free);

// The most of the shape's tasks that so many free CPUs of the node could run.
std::int32_t tasks_on_cpus(const Shape& shape, const Node& node, std::int32_t cpus);

// The most of the shape's tasks that the node could hold as it is.
std::int32_t tasks_that_fit(const Topology& topology, const Shape& shape, NodeId node,
                            const NodeFree& free);

}  // namespace sluice
