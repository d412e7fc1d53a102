// The engine is a function: inputs and a time in, a turn out. No I/O, no clock, no randomness.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/command.h"
#include "engine/ended.h"
#include "engine/order.h"
#include "engine/ports.h"
#include "policy/dependency.h"
#include "policy/gang.h"
#include "policy/queue.h"
#include "policy/schedule.h"
#include "state/state.h"

namespace sluice {

struct Event;

// What one call led to. The driver commits the events, carries out the orders, then replies.
struct Turn {
  std::vector<Event> events;
  std::vector<Order> orders;
  std::vector<Reply> replies;  // One for each input.
  std::vector<Ended> ended;    // For a driver that asked for it: Engine::list_ends().
  std::optional<Instant> wake_at;
  std::uint32_t backfilled = 0;  // Runs that a backfill pass began.

  void clear();
};

// What an engine knows beside its state: when it looked last, and what it is to look at next. A
// replay that goes on with it decides as if it had never been interrupted.
struct EnginePulse {
  std::optional<Instant> last_backfill;
  bool backfill_due = false;
  std::optional<Instant> next_slice;
  std::optional<Instant> exempt_until;
  std::optional<Instant> look_again;
  bool changed = false;
  SincePass since_pass = SincePass::kAnything;
  Instant idle_until;
  Instant reservations_at;
  bool usage_grew = false;
};

// Why a job waits and when it is expected to start, from the pass that last looked at it.
struct Explanation {
  Reason reason;
  std::optional<Instant> expected;
  std::vector<NodeId> nodes;
  std::uint64_t planned_in = 0;  // The planning pass that said so.
};

class Engine final : private Decisions {
 public:
  // kNo keeps no reasons of waiting jobs: for simulations of long queues.
  enum class Explain : std::uint8_t { kNo, kYes };
  using Passes = sluice::Passes;
  explicit Engine(Explain explain = Explain::kYes, Passes passes = Passes::kQuick);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // All inputs happened at `now`; one scheduling pass follows them. `turn` is cleared first.
  void handle(std::span<const Input> inputs, Instant now, Turn& turn);
  void handle(const Input& input, Instant now, Turn& turn) {
    handle(std::span<const Input>(&input, 1), now, turn);
  }

  // After a restart: folds what the journal holds, decides nothing.
  void replay(const Event& event);

  // Before any replay: what a journal keeps instead of the events that led there.
  void restore(const StateSnapshot& from);

  EnginePulse pulse() const;
  // After a replay.
  void set_pulse(const EnginePulse& pulse);

  // From now on a turn lists what ended in it.
  void list_ends() { lists_ends_ = true; }

  // Short tasks may be ordered ahead of time; only for a driver that can hand places on.
  void hand_on_ahead() { hands_on_ = true; }

  const State& state() const { return state_; }
  const Queue& queue() const { return queue_; }
  // For a job that waits; the record's for a task that has not left its array.
  Explanation explanation(JobId job) const;

 private:
  friend class InputHandler;

  // Becomes an event, and part of the state at once. Defined in emit.h.
  template <class Body>
  void emit(Body body);
  // The same for what happens to every job: `fill` writes the event where it will lie.
  template <class Body, class Fill>
  void emit_in_place(Fill fill);
  template <class Body>
  void take_in(const Body& kept);
  template <class Body>
  void note_change(const Body& kept);
  void list_end(const Job& job, const Outcome& outcome, const IndexSet* tasks);
  void adopt();
  template <class What>
  void order(What what) {
    turn_->orders.emplace_back(std::in_place_type<What>, what);
  }

  // Decisions of the pass that is running.
  void start(JobId job, PartitionId partition, const Allocation& allocation) override;
  void push_out(JobId victim, JobId preemptor, PreemptMode mode) override;
  void wait(JobId job, PartitionId partition, const Reason& reason) override;
  void plan(JobId job, Instant start, std::span<const NodeId> nodes) override;

  // timers.cc: what becomes due by itself.
  void handle_due();
  void end_expired();
  Instant latest_end(const ExpectedEnd& end) const;  // With OverTimeLimit.
  void end_used_up();
  void end_warned();
  void signal_before_limit();
  std::optional<Instant> signal_due(JobId id) const;
  void make_eligible();
  // --switches: jobs that have waited long enough for few switches take any number of them.
  void note_switch_wait(JobId job);
  void give_up_switches();
  void forget_old();
  void calculate_priorities();
  Instant next_wake() const;  // Instant::max(): never.

  // ages.cc
  void begin_ages();
  std::int64_t tasks_left(JobId array) const;

  // reservations.cc
  void handle_reservations();
  void end_reservation(const std::string& name);
  // Its waiting jobs lose it, and are held unless it says otherwise.
  void remove_reservation(const std::string& name);
  std::vector<JobId> jobs_of_reservation(const std::string& name) const;

  // lives.cc: transitions that several commands share.
  void settle(JobId job);  // Eligible now?
  void settle_dependents(const Job& job);
  void decide_dependency(JobId job);
  void note_verdict(JobId job, DependencyVerdict verdict);
  void end_job(const Job& job, JobState as, bool requeue, JobId preemptor = {});
  void finish_run(JobId job, const Outcome& outcome);
  void requeue_job(JobId job, bool hold, Duration delay);
  JobId split_task(JobId array, std::uint32_t task);

  // hand_on.cc
  void note_pace(const Job& job);
  void take_over(JobId before, RunInLine next, PartitionId partition, const Allocation& allocation);
  void hand_on();
  // A task like those in the record that was in line before.
  std::optional<JobId> returned_first(const Job& record);

  void run_passes();
  void schedule();
  bool has_room_again(const Run& run) const;
  void resume_suspended();
  void take_turns(Rotate rotate);
  void note_exemptions();

  State state_;
  Queue queue_;
  Scheduler scheduler_;
  bool explain_ = true;
  std::map<JobId, Explanation> explanations_;
  bool lists_ends_ = false;
  Turn* turn_ = nullptr;
  Instant now_{};
  bool changed_ = false;       // Something happened that could let a job start: note_change().
  bool ends_used_up_ = false;  // The policy has limits that end running jobs,
  bool usage_grew_ = false;    // and more was used since they were looked at.
  bool exempts_ = false;       // Some may not be pushed out as soon as they run.
  bool limits_ages_ = false;   // Not every job that waits gains priority by age.
  SincePass since_pass_ = SincePass::kAnything;
  std::optional<Instant> last_backfill_;
  bool backfill_due_ = false;
  std::uint64_t plans_ = 0;  // Planning passes so far; older plans are void.
  Gang gang_;
  std::optional<Instant> next_slice_;
  std::optional<Instant> exempt_until_;
  Instant idle_until_ = Instant::min();  // Nothing becomes due before.
  std::optional<Instant> look_again_;    // A job waits for a limit that time alone lifts.
  std::set<std::pair<Instant, JobId>> switch_waits_;  // Until when jobs insist on few switches.
  std::set<JobId> looked_at_;                 // Of those with several partitions, by the last pass.
  std::set<JobId> limited_;                   // Of these, where a limit of one of them stops it.
  Instant reservations_at_ = Instant::min();  // Those that begin were looked at up to here.
  bool hands_on_ = false;
  std::map<JobId, std::deque<JobId>> lines_;   // Behind whom, as far as was heard.
  std::map<JobId, std::set<JobId>> returned_;  // From lines, by array.
  // Short runs in a row of one array, and what they took together.
  struct Pace {
    std::uint32_t runs = 0;
    Duration time{0};
  };
  std::map<JobId, Pace> quick_;
  std::set<JobId> short_of_room_;  // Those the last pass stopped at for lack of room.
};

}  // namespace sluice
