// The one seam between passes and all that saves them work: with Passes::kPlain nothing in here is
// known, so a pass finds out everything anew.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "policy/free_nodes.h"
#include "policy/hopeless_requests.h"
#include "policy/kept_plan.h"
#include "policy/last_chance.h"
#include "policy/limit_memory.h"
#include "policy/limit_presence.h"
#include "policy/passes.h"
#include "policy/policy_traits.h"
#include "policy/queue.h"
#include "state/state.h"

namespace sluice {

// Whether a shortcut is right is never a matter of chance: what it says is what the pass would find
// out. A property compares the journals of both, byte for byte (tests/properties/engine_test.cc).
class Shortcuts {
 public:
  Shortcuts(Passes passes, const PolicyTraits& traits)
      : off_(passes == Passes::kPlain), traits_(traits) {}

  // To be called when a policy comes into force.
  void adopt(const Policy& policy);
  // Without explanations a pass says nothing of those it leaves waiting: faster, for simulations.
  void set_explain(bool explain) { explain_ = explain; }
  bool explains() const { return explain_; }
  // Whether what stops a job without a place is to be found out all the same: because it is told,
  // or because it may be a limit that time lifts, or that holds up others.
  bool tells_limits() const {
    return off_ || explain_ || traits_.time_lifts || traits_.limits_stop;
  }

  // Limits
  // -----------------------------------------------------------------------------------------

  bool has_no_limit_before(const Shape& shape, PartitionId partition) const {
    return !off_ && !limits_set_.any_before_placement(shape, partition);
  }
  LimitMemory& limits() { return limit_memory_; }

  // Room
  // -------------------------------------------------------------------------------------------

  // Most jobs that find no place are known by that.
  bool has_no_room(const FreeNodes& free, const QueueEntry& entry) const {
    return !off_ && !traits_.shares && free.room() < entry.cpus;
  }
  // Whether the request would fit were all nodes that are up to itself: work_out() says it, once
  // while none goes up or down.
  template <class WorkOut>
  bool would_fit_idle(const State& state, SpecId spec, PartitionId partition, WorkOut work_out);
  // All nodes are up, looked at once while none goes up or down.
  bool knows_all_nodes_up(const State& state);

  // The end of the queue
  // ---------------------------------------------------------------------------

  // Whether any job could start in this pass, in whatever order: then end() is behind the last that
  // could. `may_start(entry)` says whether anything but room stops a job.
  template <class MayStart>
  bool any_may_start(const PassInput& input, const FreeNodes& free, MayStart may_start) {
    chance_.begin(input.state, input.queue, free, input.now);
    if (!looks_at_all()) chance_.shrink(input.queue.head(), may_start);
    return chance_.end() > input.queue.head();
  }
  std::size_t end() const { return chance_.end(); }
  // The end moves up as room is taken. Where victims are suspended at once it stays: room comes.
  bool end_moves() const { return !looks_at_all() && !traits_.suspends; }
  template <class MayStart>
  void move_end(std::size_t next, MayStart may_start) {
    if (end_moves()) chance_.shrink(next, may_start);
  }
  void keep_nodes(std::span<const NodeId> nodes, Instant from) {
    if (!looks_at_all()) chance_.reserve(nodes, from);
  }

  // The main pass
  // ----------------------------------------------------------------------------------

  // Ends and time only loosen what stops a job: if it had nothing but room against it when last
  // looked at, and none started since, that is still so. Jobs behind it wait for it.
  bool is_still_blocked(const State& state, const Queue& queue);
  void blocked_by(JobId job, std::uint64_t starts) { blocker_ = Blocker{job, starts}; }
  void forget_blocker() { blocker_.reset(); }

  // Backfill
  // ---------------------------------------------------------------------------------------

  void begin_plans(const PassInput& input, Instant latest);
  KeptPlan& plans() { return kept_; }
  // A request like it found no place in this pass.
  bool is_hopeless(const QueueEntry& entry) { return keeps_plans_ && hopeless_.covers(entry); }
  HopelessRequests& hopeless() { return hopeless_; }

  // EASY
  // -------------------------------------------------------------------------------------------

  bool goes_flat(const Queue& queue) const {
    return !off_ && traits_.only_cpus && queue.only_cpus();
  }

 private:
  bool looks_at_all() const { return tells_limits() || traits_.shares; }

  bool off_;
  const PolicyTraits& traits_;
  bool explain_ = true;
  LimitPresence limits_set_;
  LimitMemory limit_memory_;
  std::map<std::pair<SpecId, PartitionId>, bool> fits_idle_;
  std::uint64_t node_states_ = 0;
  bool all_up_ = false;
  std::uint64_t all_up_states_ = 0;  // By then.
  LastChance chance_;
  // What stopped the last main pass for want of room and nothing else, in the only partition, and
  // how many had started by then.
  struct Blocker {
    JobId job;
    std::uint64_t starts = 0;
  };
  std::optional<Blocker> blocker_;
  bool keeps_plans_ = false;
  KeptPlan kept_;
  HopelessRequests hopeless_;
};

template <class WorkOut>
bool Shortcuts::would_fit_idle(const State& state, SpecId spec, PartitionId partition,
                               WorkOut work_out) {
  if (off_) return work_out();
  if (node_states_ != state.node_changes().states()) fits_idle_.clear();
  node_states_ = state.node_changes().states();
  const auto [known, is_new] = fits_idle_.try_emplace({spec, partition}, true);
  if (is_new) known->second = work_out();
  return known->second;
}

}  // namespace sluice
