// Orders and due times: what the keeper does with its runs. Launching is in keeper_launch.cc,
// ending in keeper_ends.cc.
#include "host/keeper/keeper_runs.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "host/cages/keeper_mark.h"
#include "host/keeper/last_words.h"
#include "host/keeper/process_look.h"
#include "host/keeper/processes.h"
#include "host/machine/clock.h"

namespace sluice {
namespace {

// So many processes of a run may keep waiting whoever looks at them.
constexpr int kMostHung = 4;

// What srun started below this process: it tells each task the number of its step. What the tasks
// start has that from them.
std::vector<pid_t> tasks_of_steps(pid_t leader) {
  const auto is_of_step = [](pid_t process) {
    return variable_of(process, "SLURM_STEP_ID").has_value();
  };
  return processes_where(
      with_descendants({leader}),
      [&](pid_t process) {
        const auto facts = process_facts(process);
        return facts && is_of_step(process) && !is_of_step(facts->parent);
      },
      kMostHung);
}

// A run of a keeper that was killed together with its warden: only where its first process is
// certainly that one.
void end_leftover(const RunIsUp& run) {
  const auto facts = run.pid > 0 ? process_facts(run.pid) : std::nullopt;
  if (!facts || facts->session != run.pid) return;
  const auto ticks = start_seen(run.pid);
  if (!ticks) return;
  const Instant started = started_at(*ticks);
  if (started < run.started - seconds(1) || started > run.started + seconds(5)) return;
  std::vector<pid_t> family{run.pid};
  for (const pid_t pid : all_processes())
    if (::getsid(pid) == run.pid) family.push_back(pid);
  for (const pid_t pid : with_descendants(family)) ::kill(pid, SIGKILL);
}

// Errands are short and small. All of them together take no more of the machine than this part, and
// some can always run.
std::int64_t errands_of_machine_mb() {
  constexpr std::int64_t kPart = 4;
  constexpr std::int64_t kLeastMb = 256;
  const std::int64_t machine_mb =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) >> 20;
  return std::max(machine_mb / kPart, kLeastMb);
}

// More runs than this at once cannot be told apart when they fail to start.
constexpr std::size_t kMostAtOnce = 65536;
constexpr std::size_t kMostRemembered = 65536;

template <class... Parts>
struct Visitor : Parts... {
  using Parts::operator()...;
};
// clang 14 does not deduce this by itself.
template <class... Parts>
Visitor(Parts...) -> Visitor<Parts...>;

}  // namespace

KeeperRuns::KeeperRuns(const KeeperSettings& settings, std::unique_ptr<CageSet> cages, Wires wires)
    : settings_(settings),
      own_user_(::geteuid()),
      keeper_mark_("SLUICE_KEEPER=" + mark_of_runs(settings.socket)),
      cages_(std::move(cages)),
      errands_kb_((settings.errands_mb > 0 ? settings.errands_mb : errands_of_machine_mb()) * 1024),
      wires_(std::move(wires)),
      spool_(settings.spool),
      store_(settings.output) {
  cages_->bound_errands(errands_kb_ / 1024);
  spool_.clear();
  void* shared = ::mmap(nullptr, kMostAtOnce * sizeof(SpawnFailure), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED) failures_ = static_cast<SpawnFailure*>(shared);
  for (std::size_t i = kMostAtOnce; failures_ && i > 0; --i) {
    free_failures_.push_back(failures_ + i - 1);
  }
  // Pipes of many runs; the runs themselves get back what the keeper began with.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    open_files_ = files.rlim_cur;
    most_open_files_ = files.rlim_max;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  nothing_ = ::open("/dev/null", O_RDWR | O_CLOEXEC);
}

KeeperRuns::~KeeperRuns() {
  for (auto& [key, run] : runs_) {
    if (run->output >= 0) ::close(run->output);
  }
  if (nothing_ >= 0) ::close(nothing_);
  if (failures_) ::munmap(failures_, kMostAtOnce * sizeof(SpawnFailure));
  spool_.clear();
}

HeldRun* KeeperRuns::find(RunKey run) {
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : found->second.get();
}

bool KeeperRuns::any_up() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](const auto& entry) { return entry.second->phase != RunPhase::kOver; });
}

void KeeperRuns::obey(KeeperOrder order) {
  std::visit(Visitor{
                 [&](LaunchRun& it) {
                   if (it.after)
                     queue_up(std::move(it));
                   else
                     launch(std::move(it.assignment));
                 },
                 [&](EndRun& it) { end(it); },
                 [&](SignalRun& it) { signal(it); },
                 [&](PauseRun& it) { pause(it.run); },
                 [&](ContinueRun& it) { resume(it.run); },
                 [&](AcknowledgeRun& it) { forget(it.run); },
                 [&](ReadRunOutput& it) { answer_output(it); },
                 [&](QuitKeeper&) { quit(); },
                 [&](LimitRun& it) { change_limit(it); },
             },
             order);
}

void KeeperRuns::end(const EndRun& order) {
  if (leave_line(order.run)) return remember(order.run);
  HeldRun* run = find(order.run);
  if (!run || run->phase == RunPhase::kOver) return;
  return_line(*run);
  if (run->phase == RunPhase::kEpilog) return;
  settle_soon(*run);
  const SteadyTime at = std::chrono::steady_clock::now() + order.kill_wait;
  if (run->phase == RunPhase::kProlog) {
    run->kill_at = std::chrono::steady_clock::now();
    run->why = "it was ended while its prolog ran";
  } else if (run->phase == RunPhase::kUp) {
    // Once, and not before the output is its own.
    const bool starts = run->launching && run->launching->stack.in_use();
    if (!run->kill_at && !starts && !order.last_words.empty())
      write_last_words(run->leader, run->assignment.identity, order.last_words, patience_);
    run->cage->signal(SIGTERM);
    // What sleeps must wake up to hear of it.
    run->cage->resume();
    run->cage->signal(SIGCONT);
    note_pause(*run, false);
    if (!run->kill_at || at < *run->kill_at) run->kill_at = at;
  }
  reschedule(*run);
}

void KeeperRuns::signal(const SignalRun& order) {
  HeldRun* run = find(order.run);
  if (!run || run->phase != RunPhase::kUp || order.signal <= 0 || order.signal > SIGRTMAX) return;
  return_line(*run);
  settle_soon(*run);
  if (order.batch_only) {
    ::kill(run->leader, order.signal);
    return;
  }
  // As slurmstepd delivers it: to the tasks, and not to the script that waits for them, which would
  // die of a signal that it does not handle. Without steps all of the run gets it.
  const std::vector<pid_t> tasks = tasks_of_steps(run->leader);
  for (const pid_t task : tasks) ::kill(task, order.signal);
  if (tasks.empty()) run->cage->signal(order.signal);
}

void KeeperRuns::pause(RunKey key) {
  HeldRun* run = find(key);
  if (!run || run->phase != RunPhase::kUp || run->paused || run->kill_at) return;
  return_line(*run);
  settle_soon(*run);
  run->cage->pause();
  note_pause(*run, true);
}

void KeeperRuns::resume(RunKey key) {
  HeldRun* run = find(key);
  if (!run || run->phase != RunPhase::kUp || !run->paused) return;
  run->cage->resume();
  note_pause(*run, false);
}

void KeeperRuns::forget(RunKey key) {
  const HeldRun* run = find(key);
  if (!run || run->phase != RunPhase::kOver) return;
  runs_.erase(key);
  log_.add(RunSettled{key});
  remember(key);
}

// A late launch of it changes nothing. An errand is launched once, and has no attempts.
void KeeperRuns::remember(RunKey key) {
  if (!is_of_a_job(key)) return;
  if (last_attempt_.insert_or_assign(key.job, key.attempt).second) forgotten_.push_back(key.job);
  if (forgotten_.size() > kMostRemembered) {
    last_attempt_.erase(forgotten_.front());
    forgotten_.pop_front();
  }
}

bool KeeperRuns::was_here(RunKey key) const {
  if (!is_of_a_job(key)) return false;
  const auto last = last_attempt_.find(key.job);
  return last != last_attempt_.end() && last->second >= key.attempt;
}

void KeeperRuns::answer_output(const ReadRunOutput& order) {
  const HeldRun* run = find(order.run);
  RunOutput answer{order.run, order.from, {}, false};
  if (run && run->phase != RunPhase::kOver) {
    answer.bytes = store_.read(order.run, order.from, kMostOutputAtOnce);
    answer.running = true;
  }
  report(answer, Haste::kNow);
}

void KeeperRuns::quit() {
  quit_ = true;
  for (auto& [key, run] : runs_) return_line(*run);
  const SteadyTime now = std::chrono::steady_clock::now();
  for (auto& [key, run] : runs_) {
    if (run->phase == RunPhase::kUp || run->phase == RunPhase::kProlog) kill_hard(*run, now);
  }
}

void KeeperRuns::describe(KeeperHello& hello) const {
  hello.writes_last_words = true;
  hello.enforces = cages_->enforces();
  for (const auto& [key, run] : runs_) {
    if (run->phase == RunPhase::kOver) {
      hello.over.push_back(run->over);
    } else {
      hello.up.push_back(RunIsUp{key, run->leader, run->started});
    }
  }
}

void KeeperRuns::reschedule(HeldRun& run) {
  const RunKey key = run.assignment.run;
  const std::optional<SteadyTime> next = run.next_due();
  const auto known = due_of_.find(key);
  if (known != due_of_.end()) {
    if (next && known->second == *next) return;
    due_.erase({known->second, key});
    if (next) {
      known->second = *next;
    } else {
      due_of_.erase(known);
    }
  } else if (next) {
    due_of_.emplace(key, *next);
  }
  if (next) due_.emplace(*next, key);
}

std::optional<SteadyTime> KeeperRuns::next_due() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

void KeeperRuns::handle_due(SteadyTime now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const RunKey key = due_.begin()->second;
    HeldRun& run = *runs_.at(key);
    if (run.kill_at && *run.kill_at <= now) {
      run.kill_at.reset();
      kill_hard(run, now);
    }
    if (run.hook_ends && *run.hook_ends <= now) {
      run.hook_ends.reset();
      run.why = "its prolog or epilog took longer than the policy allows";
      run.cage->kill();
    }
    if (run.return_at && *run.return_at <= now) return_line(run);
    if (run.limit_at && *run.limit_at <= now) {
      run.limit_at.reset();
      end(EndRun{key, run.assignment.kill_wait});
    }
    if (run.measure_at && *run.measure_at <= now) measure(run, now);
    if (run.check_at && *run.check_at <= now) {
      run.check_at.reset();
      run.phase == RunPhase::kClearing ? clear_rest(run) : clear_hook(run);
    }
    if (due_of_.contains(key)) reschedule(run);
    // Nothing stays due in the past, whatever the branches above forgot.
    const auto left = due_of_.find(key);
    if (left != due_of_.end() && left->second <= now) {
      due_.erase({left->second, key});
      due_of_.erase(left);
    }
  }
}

void KeeperRuns::kill_hard(HeldRun& run, SteadyTime now) {
  settle_soon(run);
  if (run.phase == RunPhase::kUp || run.phase == RunPhase::kProlog) {
    run.cage->kill();
    // A process may have been forked meanwhile.
    run.kill_at = now + std::chrono::seconds(1);
    reschedule(run);
  }
}

void KeeperRuns::report(KeeperReport report, Haste haste) {
  untold_.emplace_back(std::move(report), haste);
}

void KeeperRuns::flush() {
  if (auto written = store_.flush(); !written) {
    const std::string line = written.error().text() + "\n";
    static_cast<void>(::write(2, line.data(), line.size()) == 0);
  }
  for (const RunKey lost : store_.take_lost()) note_lost_output(lost);
  for (const auto& [report, haste] : untold_)
    if (const auto* over = std::get_if<RunIsOver>(&report)) log_.add(*over);
  log_.flush();
  for (const auto& [report, haste] : std::exchange(untold_, {})) wires_.report(report, haste);
  if (log_.is_long()) shorten_log();
}

// A run that sent something unreadable is not well.
void KeeperRuns::note_lost_output(RunKey key) {
  HeldRun* run = find(key);
  if (!run || run->phase != RunPhase::kOver) return;
  RunIsOver& over = run->over;
  over.output = kLostOutput;
  over.why = "its output could not be written: the disk is full or fails";
  if (over.outcome.state == JobState::kCompleted) {
    over.outcome.state = JobState::kFailed;
    over.outcome.signal = kOutputSignal;
  }
  for (auto& [report, haste] : untold_)
    if (auto* told = std::get_if<RunIsOver>(&report); told && told->run == key) *told = over;
}

void KeeperRuns::recall(const std::string& log) {
  log_path_ = log;
  const RunsLeft left = runs_left(RunLog::read(log), boot_id());
  for (const RunIsUp& run : left.unknown) end_leftover(run);
  for (const RunIsOver& over : left.over) {
    auto held = std::make_unique<HeldRun>();
    held->assignment.run = over.run;
    held->phase = RunPhase::kOver;
    held->over = over;
    runs_.emplace(over.run, std::move(held));
  }
  shorten_log();
}

void KeeperRuns::shorten_log() {
  std::vector<RunNote> notes;
  for (const auto& [key, run] : runs_) {
    if (run->phase == RunPhase::kOver) {
      notes.emplace_back(std::in_place_type<RunIsOver>, run->over);
      continue;
    }
    // One whose first process has ended is told in a moment: its notes stay until then.
    if (run->phase == RunPhase::kClearing || run->phase == RunPhase::kEpilog) return;
    if (run->phase != RunPhase::kUp) continue;
    notes.emplace_back(std::in_place_type<RunBegins>, RunBegins{key, run->after, run->started});
    notes.emplace_back(std::in_place_type<RunHasProcess>, RunHasProcess{key, run->leader});
  }
  if (auto begun = log_.begin(log_path_, notes); !begun) {
    const std::string line = begun.error().text() + "\n";
    static_cast<void>(::write(2, line.data(), line.size()) == 0);
  }
}

}  // namespace sluice
