// The runs that a keeper holds: their launch, their signals and their ends.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/cages/cage.h"
#include "host/keeper/held_run.h"
#include "host/keeper/keeper.h"
#include "host/keeper/keeper_protocol.h"
#include "host/keeper/output_store.h"
#include "host/keeper/run_log.h"
#include "host/keeper/script_spool.h"

namespace sluice {

class KeeperRuns {
 public:
  // `report` is called for everything the daemon should hear of; `watch` when a pipe has to be
  // watched for reading, and `unwatch` before it is closed.
  enum class Haste : std::uint8_t { kNow, kSoon, kSomeTime };
  struct Wires {
    std::function<void(const KeeperReport&, Haste)> report;
    std::function<void(int descriptor, RunKey run)> watch;
    std::function<void(int descriptor)> unwatch;
  };
  KeeperRuns(const KeeperSettings& settings, std::unique_ptr<CageSet> cages, Wires wires);
  ~KeeperRuns();

  // Takes in what an earlier keeper noted, ends what it left, and notes its own runs there.
  void recall(const std::string& log);

  void obey(KeeperOrder order);
  bool told_to_quit() const { return quit_; }
  bool idle() const { return runs_.empty(); }
  // Whether anything is left to end.
  bool any_up() const;

  // Waits for every child that has ended.
  void reap();
  // A run's pipe has something to read, or its end.
  void read_output(RunKey run);
  // Whatever became due.
  void handle_due(SteadyTime now);
  std::optional<SteadyTime> next_due() const;
  // One write of captured output and of notes for all that happened since the last; then the ends
  // are told.
  void flush();

  Enforcement enforces() const { return cages_->enforces(); }
  void describe(KeeperHello& hello) const;
  // Prepares the next in line: for moments when nothing else is to be done.
  void get_ready();
  // The daemon is away: no place can be handed on in writing, and only the keeper keeps time
  // limits.
  void daemon_is_gone();
  void daemon_is_here();

 private:
  void launch(Assignment assignment, std::shared_ptr<RunLine> line = nullptr);
  // keeper_lines.cc
  void queue_up(LaunchRun order);
  bool leave_line(RunKey run);
  void return_line(HeldRun& run);
  void hand_on(HeldRun& run);
  LaunchRun next_in_line(RunLine& line);
  void follow(const std::shared_ptr<RunLine>& line, std::unique_ptr<HeldRun> next);
  // keeper_launch.cc: all of it, and the steps it has.
  void start_leader(HeldRun& run);
  bool is_refused(const Assignment& assignment) const;
  Result<void> prepare(HeldRun& run);
  Result<void> enter_cage(HeldRun& run);
  Result<void> fire(HeldRun& run);
  void note_up(HeldRun& run);
  // What was prepared is not needed.
  void discard(HeldRun& run);
  void settle(HeldRun& run);
  void settle_soon(HeldRun& run);
  void end(const EndRun& order);
  void signal(const SignalRun& order);
  void pause(RunKey run);
  void resume(RunKey run);
  void forget(RunKey run);
  void remember(RunKey run);
  bool was_here(RunKey run) const;
  void answer_output(const ReadRunOutput& order);
  void quit();

  // keeper_hooks.cc
  Result<void> start_hook(HeldRun& run, const std::string& program);
  void hook_ended(HeldRun& run, int status);
  void clear_hook(HeldRun& run);
  void leader_ended(HeldRun& run, int status, const rusage& used);
  void clear_rest(HeldRun& run);
  // Ends what is left in its cage. False: it is gone, or was given up.
  void say_out_of_memory(HeldRun& run, std::uint64_t kills);
  bool looks_again(HeldRun& run);
  void leave_cage(HeldRun& run);
  void finish(HeldRun& run);
  void fail_early(HeldRun& run, std::string why, JobState as = JobState::kNodeFail);
  void measure(HeldRun& run, SteadyTime now);
  void bound_errands();
  void kill_hard(HeldRun& run, SteadyTime now);
  void close_output(HeldRun& run);
  void stop_watching(HeldRun& run);
  // A due time changed.
  void reschedule(HeldRun& run);

  // Leaves with the next flush().
  void report(KeeperReport report, Haste haste);
  void shorten_log();
  void note_lost_output(RunKey run);
  // keeper_limits.cc
  void change_limit(const LimitRun& order);
  void note_limit(HeldRun& run);
  void note_pause(HeldRun& run, bool paused);

  HeldRun* find(RunKey run);

  KeeperSettings settings_;
  std::uint32_t own_user_;
  std::string keeper_mark_;  // In every run's environment.
  std::unique_ptr<CageSet> cages_;
  std::int64_t errands_kb_;  // What all errands may have together.
  Wires wires_;
  ScriptSpool spool_;
  OutputStore store_;
  RunLog log_;
  std::string log_path_;
  std::vector<std::pair<KeeperReport, Haste>> untold_;
  std::map<RunKey, std::unique_ptr<HeldRun>> runs_;
  std::map<pid_t, RunKey> leaders_;
  std::map<RunKey, std::shared_ptr<RunLine>> in_line_;
  std::vector<std::shared_ptr<RunLine>> unready_;  // Whose first is to be prepared.
  std::set<std::pair<SteadyTime, RunKey>> due_;
  std::map<RunKey, SteadyTime> due_of_;
  // Runs that were acknowledged not long ago: a late launch of one must not start it again.
  std::map<JobId, std::uint32_t> last_attempt_;
  std::deque<JobId> forgotten_;
  FreezePatience patience_;  // With processes that hang when they are told why they end.
  SpawnFailure* failures_ = nullptr;
  std::vector<SpawnFailure*> free_failures_;
  std::vector<std::unique_ptr<Launching>> free_launchings_;
  std::uint64_t open_files_ = 0;
  std::uint64_t most_open_files_ = 0;
  int nothing_ = -1;  // /dev/null
  bool quit_ = false;
  bool alone_ = true;  // No daemon is there.
};

}  // namespace sluice
