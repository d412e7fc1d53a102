// The engine's driver in real time: inputs in, events committed, orders carried out, replies given.
//
// Everything that is ready at once becomes one turn of the engine and one transaction. An event is
// in the journal before its order leaves; a commit that fails ends the process, and the next start
// replays what was committed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/crash_point.h"
#include "daemon/errands.h"
#include "daemon/history_rooms.h"
#include "daemon/identities.h"
#include "daemon/output_rooms.h"
#include "engine/engine.h"
#include "host/journal/history.h"
#include "host/journal/sqlite_journal.h"
#include "host/keeper/keeper_client.h"
#include "host/machine/engine_clock.h"
#include "wire/api.h"
#include "wire/loop.h"

namespace sluice {

struct TasksCancelled;

class Driver {
 public:
  using Then = std::function<void(const Reply&)>;
  struct Places {
    Folders folders;
    std::string program;                      // This executable, for a keeper to be started.
    std::string host;                         // This machine's name.
    std::map<std::string, std::string> gpus;  // What CUDA calls the GPU behind a device file.
  };
  Driver(Loop& loop, SqliteJournal& journal, Places places);

  // What the journal holds, folded. Before anything else.
  Result<void> replay();
  // A keeper, and an answer for every run that the state says is there: adopted, ended, launched
  // again or lost.
  Result<void> adopt_runs();

  // Told what came of it before that is in the journal: what is to be kept of it goes there too.
  using Keep = std::function<std::optional<KeptAnswer>(const Reply&)>;
  // Part of the next turn.
  void give(Input input, Then then = {}, Keep keep = {});
  // Goes into the journal with the next turn, in place of what had that name; empty: is removed.
  void note_down(std::string name, std::string value) {
    notes_.push_back({std::move(name), std::move(value)});
  }
  // Takes the next turn now: for the start, where no loop runs yet.
  void take_turn();

  const Engine& engine() const { return engine_; }
  Instant now() const { return clock_.now(); }
  // What to add to engine time for people's clocks, and to take off what they say.
  Duration wall_ahead() const { return clock_.wall_ahead(); }
  Identities& identities() { return identities_; }
  Errands& errands() { return errands_; }
  SqliteJournal& journal() { return journal_; }
  // What the job's run was, or would be, told; nothing before it has started.
  std::optional<Assignment> assignment(const Job& job);
  // What this policy would do to the jobs that are there. It must be one that could be adopted, and
  // this a copy of the process: the policy comes into force in it.
  std::vector<PolicyEffect> rehearse(std::shared_ptr<const Policy> policy);
  const KeeperHello& keeper() const { return keeper_->hello(); }
  std::uint64_t turns() const { return turns_; }
  // Why nothing new is taken: what was decided last cannot be written down yet. Jobs run on.
  const std::optional<Error>& trouble() const { return trouble_; }

  // For the end: what came last is written down. Where nothing runs any more the keeper goes too.
  void dismiss_keeper();

  // Called with the events of every turn after they were committed.
  void on_events(std::function<void(std::span<const Event>)> watch) {
    watches_.push_back(std::move(watch));
  }
  // Called for each end, before it is committed.
  using EndWatch = std::function<void(const Ended&)>;
  // Called with the row that the history will get of a job, to add to it.
  using Rows = std::function<void(const Ended&, HistoryRow&)>;
  void on_rows(Rows rows) { rows_watch_ = std::move(rows); }
  void on_ends(EndWatch watch) { ended_watch_ = std::move(watch); }
  // While the row of a run that ended is made: what went wrong outside the job, mostly nothing.
  const std::string* failure_of(RunKey run) const {
    const auto found = failures_.find(run);
    return found == failures_.end() ? nullptr : &found->second;
  }
  // Runs that ended before this, with their captured output; not too many at once.
  Result<HistoryForgotten> forget_before(Instant before);
  // A signal to a run that goes on, outside the engine: `sluice cancel --signal`.
  void signal(const Job& job, std::int32_t number, bool batch_only);
  // What a run with captured output has said from a byte on; `then` is called once.
  using Heard = std::function<void(const RunOutput&)>;
  void read_output(RunKey run, std::uint64_t from, Heard then);

 private:
  struct Waiting {
    Input input;
    Then then;
    Keep keep;
    std::optional<Instant> happened = std::nullopt;  // Where that may be a while ago.
    std::optional<RunKey> over = std::nullopt;       // The run whose end this is,
    std::string output = {};                         // and the token of what it said.
    std::string failure = {};                        // What went wrong outside the job.
  };
  enum class When : std::uint8_t { kNow, kLate };
  void turn_of(std::vector<Waiting> batch, Instant at, When when);
  // False: it is not in the journal, and nothing of it may be done.
  bool commit();
  // What follows once it is.
  void conclude();
  void try_again();
  void note_limits();
  void launch_later(const LaunchJob& order, const Error& why);
  Duration time_limit_of(const Job& job, PartitionId partition) const;
  void compact_if_long();
  void forget_history();
  void make_room_in_history();
  void carry_out(const Order& order);
  void obey(const LaunchJob& order);
  void obey(const EndJob& order);
  void obey(const WarnJob& order);
  void obey(const SignalJob& order);
  void obey(const PauseJob& order);
  void obey(const ContinueJob& order);
  // In the place of `holder`, which is the job itself once it has started.
  Assignment assigned(const Job& job, std::uint32_t attempt, const Job& holder,
                      const Identity& identity) const;
  void send(const KeeperOrder& order);
  void flush();
  void take_reports();
  void take_report(const KeeperReport& report);
  void keep_back(const RunIsOver& over);
  void note_start(RunKey run);
  void keeper_is_gone(const Error& error);
  Result<void> note_keeper();
  void compare(const KeeperHello& hello, bool same_keeper);
  void note_end(const Ended& ended);
  void finish_errands();
  [[noreturn]] static void give_up(const Error& error);

  Loop& loop_;
  SqliteJournal& journal_;
  Places places_;
  Engine engine_;
  Turn turn_;
  std::vector<Waiting> waiting_;
  std::vector<Input> inputs_;
  // The turn that is being taken.
  std::vector<Waiting> batch_;
  Instant at_{};
  When when_ = When::kNow;
  std::optional<Error> trouble_;
  bool timer_rang_ = false;
  std::uint64_t turns_ = 0;
  EngineClock clock_;
  Instant turned_at_{};  // When the last turn was; no later one is before it.
  std::optional<KeeperClient> keeper_;
  bool writing_ = false;
  Identities identities_;
  Errands errands_;
  OutputRooms output_rooms_;
  HistoryRooms history_rooms_;
  Instant made_room_at_{};
  std::vector<HistoryRow> ended_;
  std::vector<KeptAnswer> submissions_;
  std::vector<Note> notes_;
  std::vector<std::pair<RunKey, std::string>> tokens_;  // Of output, of runs that end this turn.
  std::map<RunKey, std::string> failures_;              // What went wrong outside these.
  std::map<RunKey, std::size_t> unlaunched_;            // How often it was tried.
  // Starts that failed in a row, of jobs and on nodes.
  std::map<JobId, std::uint32_t> failed_starts_of_;
  std::map<std::string, std::uint32_t> failed_starts_on_;
  std::vector<std::pair<RunKey, std::pair<std::uint64_t, Heard>>> listeners_;
  std::vector<std::function<void(std::span<const Event>)>> watches_;
  EndWatch ended_watch_;
  Rows rows_watch_;
  std::uint64_t compact_at_ = 0;
  std::optional<Instant> history_looked_at_;
  CrashPoint crash_ = CrashPoint::from_environment();
};

}  // namespace sluice
