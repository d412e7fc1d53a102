// Backfill with reservations: every job in turn gets the earliest time that is left.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "policy/pass.h"

namespace sluice {

// A job that may start now does. A planned job has its nodes for itself meanwhile, as slurmctld
// plans.
class BackfillPass final : public Pass {
 public:
  explicit BackfillPass(PassKit& kit) : Pass(kit) {}

  void run(const PassInput& input);

 private:
  // Good until the next is asked for.
  struct Planned {
    Instant start;
    std::span<const NodeId> nodes;
  };
  // What a plan keeps for the job: its nodes, none of them, or no plan is made.
  enum class Keeps : std::uint8_t { kNodes, kNoNodes, kNothing };
  // Whether a request like the entry's found no place in this pass.
  enum class Chance : std::uint8_t { kSome, kNone };

  // Starts or plans one task of the entry at `i`; true where the next one is to be looked at.
  bool look_at(const PassInput& input, std::size_t i, const QueueEntry& entry, Chance chance);
  // assoc_limit_stop: there is room, and a limit keeps the job from it. As slurmctld guesses, it
  // has the nodes from when the first plan ends, or in 500 seconds.
  void keep_for_stopped(const PassInput& input, std::size_t i, const Job& job,
                        const Allocation& allocation);
  void keep(const PassInput& input, std::size_t i, const Planned& plan, Duration limit);
  Keeps keeps(const PassInput& input, const QueueEntry& entry, const Job& job,
              const Shape& shape) const;
  // What stops the job besides room.
  std::optional<Reason> gate(const PassInput& input, const QueueEntry& entry, const Job& job,
                             const Shape& shape);
  std::optional<Planned> earliest(const State& state, const QueueEntry& entry, Keeps keeps);
  void note_hopeless(const QueueEntry& entry, std::optional<std::int32_t> from_cpus);
  // A limit that would stop the job on the nodes of its plan.
  std::optional<Reason> limit_of_plan(const PassInput& input, const QueueEntry& entry,
                                      const Job& job, const Shape& shape,
                                      const Planned& plan) const;
  // On nodes that no plan keeps until then.
  std::optional<Allocation> place_now(const State& state, const Shape& shape, PartitionId partition,
                                      Instant end);

  Instant latest_;  // The end of the window.
};

}  // namespace sluice
