// How many tasks start one after the other where nothing else changes, and what stops the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "policy/topology.h"
#include "routing/books.h"
#include "state/state.h"

namespace sluice {

// Whole numbers throughout: limits on memory are large.

// What the engine's admission and placement need to know of an observed cluster.
struct ObservedCluster {
  explicit ObservedCluster(const Description& description);

  // The request with everything filled in that it leaves open, or why sbatch would refuse it.
  std::variant<Shape, Refusal> admitted(const Seat& seat, const TaskNeed& need) const;
  std::optional<Shape> shape_of(const Seat& seat, const TaskNeed& need) const;
  // Of several partitions each decides by itself whether jobs have their nodes for themselves, and
  // what memory a job gets that names none.
  Shape in_partition(const Seat& seat, const TaskNeed& need, const Shape& shape,
                     PartitionId partition) const;

  // What keeps the user, or a job that is in no reservation, out of a partition altogether.
  bool is_shut(PartitionId partition, const TaskNeed& need) const;

  const Description& description;
  // As observed, but nothing is refused for what could not be seen (groups, lists of QoS).
  std::shared_ptr<const Policy> policy;
  State state;
  Topology topology;
};

// So many tasks with that allocation, one after the other, are on the nodes.
void take_times(std::vector<NodeFree>& nodes, const Allocation& allocation, std::int64_t times);

// What the nodes of a partition have for a request: without what reservations keep during its
// time, and within MaxCPUsPerNode. Where jobs share CPUs (OverSubscribe) every node has several
// layers of them.
class PartitionFree {
 public:
  PartitionFree(const Books& books, const Shape& shape, PartitionId partition);

  const std::vector<NodeFree>& nodes() const { return free_; }
  // The nodes of the next task, in the first layer that has room.
  std::optional<Allocation> place();
  // How many times in a row the same nodes are chosen.
  std::int64_t times(const Allocation& allocation) const;
  void take(const Allocation& allocation, std::int64_t times);
  bool has_layers() const { return !layers_.empty(); }

 private:
  void keep_reserved(const Books& books, const Shape& shape);
  void share_cpus(const Description& seen, const std::vector<HeldJob>& jobs);

  const Topology& topology_;
  const Shape& shape_;
  PartitionId partition_;
  std::vector<NodeFree> free_;                     // With the CPUs of the layer that is looked at.
  std::vector<std::vector<std::int32_t>> layers_;  // Free CPUs of each node; empty: not shared.
  std::size_t layer_ = 0;
};

class RoomCount {
 public:
  RoomCount(const Books& books, const Seat& seat, const TaskNeed& need, std::int64_t cpu_percent)
      : books_(books), seat_(seat), need_(need), cpu_percent_(cpu_percent) {}

  Room room();

 private:
  Room in_partition(const Shape& shape, PartitionId partition, Books& left) const;
  // What refuses a submission.
  void add_submission(const Books& books, const Shape& shape, PartitionId partition,
                      std::vector<Bound>& out) const;
  // Every limit as it stands for one more task, in the order of the walk.
  std::vector<Bound> look(const Books& books, const Shape& shape, PartitionId partition,
                          const std::optional<Allocation>& allocation, std::int64_t before) const;
  void add_licenses(const Books& books, const Shape& shape, std::vector<Bound>& out) const;
  std::optional<Bound> bound_of(const Reason& reason, bool passed, const TresVector& tres,
                                Duration limit, std::int64_t before) const;
  std::optional<TresIndex> lacking(const Shape& shape, PartitionId partition,
                                   std::vector<NodeFree> free) const;
  void hold_together(const Shape& shape, Room& room) const;
  // Whether sbatch would refuse the request because no node could hold it.
  bool is_too_large(const Shape& shape) const;
  std::optional<Refusal> shut_out() const;
  Room no_room(const Refusal& refusal) const;
  Bound refused(const Refusal& refusal) const;
  std::string name_of(const Reason& reason) const;

  const Books& books_;
  const Seat& seat_;
  const TaskNeed& need_;
  std::int64_t cpu_percent_;
};

}  // namespace sluice
