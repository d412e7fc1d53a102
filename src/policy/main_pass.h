// The main pass: in order, partition by partition, until something lacks room.
#pragma once

#include <optional>
#include <vector>

#include "policy/pass.h"

namespace sluice {

// A job that lacks resources closes its partition and keeps its nodes from all jobs behind it
// (Slurm's main loop; all there is for sched/builtin).
class MainPass final : public Pass {
 public:
  explicit MainPass(PassKit& kit) : Pass(kit) {}

  // False where no job that waits could start, in whatever order: then no other pass has to look.
  bool run(const PassInput& input);

 private:
  bool is_closed_to(const QueueEntry& entry, const Shape& shape) const override;
  // There are enough nodes, but even with all that are up to itself the job would not fit.
  std::optional<Reason> lacks_nodes(const PassInput& input, const QueueEntry& entry);
  // With what reservations leave to it for so long, or with all nodes that are up.
  bool would_fit_idle(const PassInput& input, const Shape& shape, PartitionId partition,
                      const JobWindows* windows, Duration limit) const;
  bool keep_named(const State& state, const QueueEntry& entry);
  void keep_for(const State& state, const QueueEntry& entry);
  bool may_block_again(const State& state, const QueueEntry& entry) const;

  std::vector<bool> closed_;                  // Partitions.
  std::size_t open_ = 0;                      // How many are not.
  std::vector<const KeptReservation*> full_;  // A job waits for room in these.
};

}  // namespace sluice
