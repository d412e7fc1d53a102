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

#include "host/cage.h"
#include "host/held_run.h"
#include "host/keeper.h"
#include "host/keeper_protocol.h"
#include "host/output_store.h"
#include "host/script_spool.h"

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
  // One write of captured output for all that happened since the last.
  void flush();

  Enforcement enforces() const { return cages_->enforces(); }
  void describe(KeeperHello& hello) const;
  // Nobody could write down who takes whose place any more.
  void daemon_is_gone();

 private:
  void launch(Assignment assignment, std::shared_ptr<RunLine> line = nullptr);
  // keeper_lines.cc
  void queue_up(LaunchRun order);
  bool leave_line(RunKey run);
  void return_line(HeldRun& run);
  std::optional<LaunchRun> next_in_line(const HeldRun& run);
  void start_leader(HeldRun& run);
  void end(RunKey run, Duration kill_wait);
  void signal(const SignalRun& order);
  void pause(RunKey run);
  void resume(RunKey run);
  void forget(RunKey run);
  void remember(RunKey run);
  void answer_output(const ReadRunOutput& order);
  void quit();

  bool start_hook(HeldRun& run, const std::string& program);
  void hook_ended(HeldRun& run, int status);
  void leader_ended(HeldRun& run, int status, const rusage& used);
  void clear_rest(HeldRun& run);
  void finish(HeldRun& run);
  void fail_early(HeldRun& run, std::string why);
  void measure(HeldRun& run, SteadyTime now);
  void kill_hard(HeldRun& run, SteadyTime now);
  void close_output(HeldRun& run);
  void stop_watching(HeldRun& run);
  // A due time changed.
  void reschedule(HeldRun& run);

  HeldRun* find(RunKey run);

  KeeperSettings settings_;
  std::unique_ptr<CageSet> cages_;
  Wires wires_;
  ScriptSpool spool_;
  OutputStore store_;
  std::map<RunKey, std::unique_ptr<HeldRun>> runs_;
  std::map<pid_t, RunKey> leaders_;
  std::map<RunKey, std::shared_ptr<RunLine>> in_line_;
  std::set<std::pair<SteadyTime, RunKey>> due_;
  std::map<RunKey, SteadyTime> due_of_;
  // Runs that were acknowledged not long ago: a late launch of one must not start it again.
  std::map<JobId, std::uint32_t> last_attempt_;
  std::deque<JobId> forgotten_;
  SpawnFailure* failures_ = nullptr;
  std::vector<SpawnFailure*> free_failures_;
  std::uint64_t open_files_ = 0;
  std::uint64_t most_open_files_ = 0;
  int nothing_ = -1;  // /dev/null
  bool quit_ = false;
};

}  // namespace sluice
