// One look at the queue: who starts, who is pushed out, why the others wait.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "policy/conservative.h"
#include "policy/decisions.h"
#include "policy/forecast.h"
#include "policy/free_nodes.h"
#include "policy/job_windows.h"
#include "policy/kept_plan.h"
#include "policy/last_chance.h"
#include "policy/limit_memory.h"
#include "policy/limit_presence.h"
#include "policy/passes.h"
#include "policy/placement.h"
#include "policy/queue.h"
#include "policy/topology.h"
#include "state/state.h"

namespace sluice {

// What happened since the last pass: a queue to which others were only added needs no second look,
// and after ends (or new priorities) nothing stops a job that did not before.
enum class SincePass : std::uint8_t { kSubmissions, kEnds, kAnything };

class Scheduler {
 public:
  explicit Scheduler(Passes passes = Passes::kQuick)
      : plain_(passes == Passes::kPlain), forecast_(passes), free_(passes) {}

  // To be called when a policy comes into force.
  void adopt(const Policy& policy);

  // In order of the queue. A job that lacks resources closes its partition and keeps its nodes
  // from everybody behind it (Slurm's main loop; all there is for sched/builtin). False where
  // nobody who waits could start, in whatever order: then no other pass has to look.
  bool main_pass(const State& state, Queue& queue, Instant now, SincePass since, Decisions& out);

  // As main_pass, but only the first that waits has a reservation, and others may overtake it
  // where it starts no later for that.
  void easy_pass(const State& state, const Queue& queue, Instant now, SincePass since,
                 Decisions& out);

  // Everybody who waits has a place, on one node that is nothing but CPUs; elsewhere as easy_pass.
  void conservative_pass(const State& state, const Queue& queue, Instant now, SincePass since,
                         Decisions& out);

  // Everybody in turn gets the earliest time that is left; who may start now, does. A planned job
  // has its nodes for itself meanwhile, as slurmctld plans.
  void backfill_pass(const State& state, Queue& queue, Instant now, Decisions& out);

  const Topology& topology() const { return topology_; }
  // Without explanations a pass says nothing of those it leaves waiting: faster, for simulations.
  void set_explain(bool explain) {
    explain_ = explain;
    tells_limits_ = explain_ || time_lifts_ || plain_;
  }

 private:
  // What keeps the job out before nodes are looked for, or nothing.
  std::optional<Reason> gate(const State& state, const QueueEntry& entry, const Job& job,
                             const Shape& shape, Instant now) const;
  // Its reservation has not begun, or is gone.
  std::optional<Reason> reservation_gate(Instant now) const;
  // What reservations leave to the job that is looked at from here on.
  void look_through(const State& state, const Shape& shape, Instant now);
  // What is free now, without the nodes that reservations keep from it until then.
  const std::vector<NodeFree>& open_nodes(Instant now, Instant end);
  // Of these the array's throttle and the limits.
  std::optional<Reason> own_gate(const State& state, const QueueEntry& entry, const Job& job,
                                 const Shape& shape, Instant now) const;
  // bf_min_prio_reserve and bf_min_age_reserve.
  static bool may_reserve(const State& state, const Queue& queue, const QueueEntry& entry,
                          const Job& job, Instant now);
  static std::optional<Reason> array_gate(const State& state, const Job& job);
  std::optional<Reason> limit_before(const State& state, const Job& job, const Shape& shape,
                                     PartitionId partition, Instant now) const;
  std::optional<Reason> license_gate(const State& state, const Shape& shape) const;
  // Starts as many of the entry's tasks as may; what stopped the next one comes back.
  enum class Stop : std::uint8_t { kStarted, kGate, kNoRoom, kLimit };
  Stop start_now(const State& state, const QueueEntry& look, Instant now, Decisions& out,
                 Reason& why);
  std::optional<Reason> limit_gate(const State& state, const Job& job, const Shape& shape,
                                   PartitionId partition, const Allocation& allocation,
                                   Instant now) const;
  // The same with what it asks for, as long as there is no room to give it.
  std::optional<Reason> limit_of_request(const State& state, const Job& job, const Shape& shape,
                                         PartitionId partition, Instant now) const;
  // Whether a limit that stops what it asks for stops whatever it would be given, too. GPUs and
  // named nodes may come with less than was asked for.
  bool asks_for_least(const QueueEntry& entry) const { return !given_may_pass_ && entry.kind != 0; }
  // Whether anything but room stops the entry, where nobody is told what.
  bool may_start(const State& state, const QueueEntry& entry, Instant now);
  // On free CPUs, or in a layer of an oversubscribed node.
  std::optional<Allocation> place_somewhere(const State& state, const Shape& shape,
                                            PartitionId partition, Instant now, Duration limit);
  static std::optional<Allocation> on_its_cpus(const State& state, const Shape& shape,
                                               PartitionId partition,
                                               std::optional<Allocation> found);
  // Of a backfill pass: good until the next is asked for.
  struct Planned {
    Instant start;
    std::span<const NodeId> nodes;
  };
  // What a plan keeps for the job: its nodes, none of them, or no plan is made.
  enum class Keeps : std::uint8_t { kNodes, kNoNodes, kNothing };
  std::optional<Planned> earliest(const State& state, const QueueEntry& entry, Instant latest,
                                  Keeps keeps);
  // What stops it besides room, as a backfill pass says it.
  std::optional<Reason> tell(const State& state, const QueueEntry& entry, const Job& job,
                             const Shape& shape, Instant now) const;
  // On nodes that nobody has reserved until then.
  std::optional<Allocation> place_now(const State& state, const Shape& shape, PartitionId partition,
                                      Instant end);
  bool still_blocked(const State& state, const Queue& queue) const;
  bool may_block_again(const State& state, const QueueEntry& entry) const;
  bool has_too_few_nodes(const Shape& shape, PartitionId partition) const;
  std::optional<Reason> lacks_nodes(const State& state, const QueueEntry& entry, Instant now);
  // With what reservations leave to it for so long, or with all nodes that are up.
  bool would_fit_idle(const State& state, const Shape& shape, PartitionId partition,
                      const JobWindows* windows, Instant now, Duration limit) const;
  bool keep_named(const State& state, const QueueEntry& entry);
  void keep_for(const State& state, const QueueEntry& entry, std::size_t& open);
  bool push_out_for(const State& state, const QueueEntry& entry, const Shape& shape, Instant now,
                    Decisions& out);
  void easy_pass_anywhere(const State& state, const Queue& queue, Instant now, Decisions& out);
  // flat: one node, nothing but CPUs counts.
  void easy_pass_flat(const State& state, const Queue& queue, Instant now, SincePass since,
                      Decisions& out);

  bool plain_;
  Topology topology_;
  Forecast forecast_;
  bool flat_ = false;
  bool explain_ = true;
  bool has_limits_ = false;
  LimitPresence limits_set_;
  LimitMemory limit_memory_;
  bool given_may_pass_ = false;  // Some limit may let through more than was asked for.
  bool time_lifts_ = false;   // Some limit goes by time alone: whoever waits for it is to be noted.
  bool tells_limits_ = true;  // Those without a place are told of their limits all the same.
  bool preempts_ = false;
  bool suspends_ = false;  // Some are suspended to make room, at once.
  bool shares_ = false;    // Some partition lets jobs share CPUs.
  // What the last flat pass found, for those who come after everybody it looked at.
  struct FlatPass {
    bool reserved = false;  // Somebody waits, for this time, with so many CPUs left over then.
    Instant shadow;
    std::int64_t extra = 0;
    std::uint64_t arrivals = 0;  // That had been looked at.
    std::uint64_t layout = 0;
    // None of those behind the head that were looked at asks for fewer CPUs.
    std::int32_t least = 0;
  };
  FlatPass last_flat_;
  ConservativePlan conservative_;
  // Who stopped the last main pass for want of room and nothing else, in the only partition, and
  // how many had started by then.
  struct Blocker {
    JobId job;
    std::uint64_t starts = 0;
  };
  std::optional<Blocker> blocker_;
  LastChance chance_;
  KeptPlan kept_;
  FreeNodes free_;
  std::vector<NodeFree> open_;
  std::vector<NodeId> candidates_;
  std::vector<bool> closed_;  // Partitions.
  bool reserves_ = false;     // There are reservations, or were when the pass began.
  JobWindows windows_;        // Of the job that is looked at.
  std::vector<const KeptReservation*> full_;  // Somebody waits for room in these.
  // Requests that would not fit were all nodes that are up to themselves, while none goes up or
  // down.
  std::map<std::pair<SpecId, PartitionId>, bool> fits_idle_;
  std::uint64_t node_states_ = 0;
};

}  // namespace sluice
