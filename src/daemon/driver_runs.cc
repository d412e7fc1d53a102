// What the keeper is told, and what it tells: launches, ends, and the runs that it holds when a
// daemon begins.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <utility>

#include "daemon/driver.h"
#include "daemon/last_words.h"
#include "daemon/say.h"
#include "host/keeper/output_store.h"
#include "model/event.h"

namespace sluice {
namespace {

// Whose runs the state speaks of: another keeper knows nothing of them.
constexpr std::string_view kKeeperNote = "keeper.instance";

// A task in line takes a place within this time, or goes back to the queue.
constexpr Duration kLongestInLine(100);

// A name service that is away is asked again so often; then the job is requeued, or has failed
// where the answer was that there is no such user.
constexpr std::size_t kLaunchTries = 60;
constexpr Duration kLaunchAgainAfter = seconds(2);

// A job whose runs could not start so often in a row is held: the next would not start either.
constexpr std::uint32_t kMostFailedStarts = 5;

// A node on which so many runs in a row could not start gets no more. One job alone is not enough.
constexpr std::uint32_t kMostFailedStartsOnNode = 2 * kMostFailedStarts;

// How soon a keeper is looked for again that could not be had.
constexpr Duration kKeeperAgainAfter = seconds(1);

// Nothing of the job has run.
bool could_not_start(const RunIsOver& over) {
  return over.outcome.state == JobState::kNodeFail || over.outcome.state == JobState::kBootFail;
}

}  // namespace

void Driver::carry_out(const Order& order) {
  crash_.reached("before-order");
  std::visit([this](const auto& each) { obey(each); }, order);
  if (crash_.is_armed()) flush();
  crash_.reached("after-order");
}

void Driver::obey(const EndJob& order) {
  EndRun end{{order.job, order.attempt}, engine_.state().policy().jobs.kill_wait};
  const Job* job = engine_.state().find_job(order.job);
  if (job != nullptr && job->attempt == order.attempt && holds_nodes(job->state) && keeper_ &&
      keeper_->hello().writes_last_words)
    end.last_words = last_words(engine_.state(), *job, now() + wall_ahead());
  send(std::move(end));
}
// As slurmd tells a job that is to make room.
void Driver::obey(const WarnJob& order) {
  send(SignalRun{{order.job, order.attempt}, SIGCONT, false});
  send(SignalRun{{order.job, order.attempt}, SIGTERM, false});
}
void Driver::obey(const SignalJob& order) {
  send(SignalRun{{order.job, order.attempt}, order.signal, order.batch_shell_only});
}
void Driver::obey(const PauseJob& order) { send(PauseRun{{order.job, order.attempt}}); }
void Driver::obey(const ContinueJob& order) { send(ContinueRun{{order.job, order.attempt}}); }

void Driver::obey(const LaunchJob& order) {
  const Job* job = engine_.state().find_job(order.job);
  const Job* holder = order.after ? engine_.state().find_job(order.holder) : job;
  if (job == nullptr || holder == nullptr) return;
  // Ended again within the turn that started it.
  if (!order.after && (job->attempt != order.attempt || !holds_nodes(job->state))) return;
  const std::string& user = engine_.state().shape_of_job(*job).request->user;
  const auto identity = identities_.named(user, now());
  if (!identity) return launch_later(order, identity.error());
  LaunchRun launch{assigned(*job, order.attempt, *holder, *identity)};
  if (order.after) {
    launch.after = RunKey{order.after->job, order.after->attempt};
    launch.within = kLongestInLine;
  }
  if (!unlaunched_.empty()) unlaunched_.erase(RunKey{order.job, order.attempt});
  send(std::move(launch));
}

// Who the user is cannot be asked now: a name service that is away for a while is no job's fault.
void Driver::launch_later(const LaunchJob& order, const Error& why) {
  const RunKey key{order.job, order.attempt};
  const std::size_t tries = ++unlaunched_[key];
  say_of_run(fmt::format("job {}: {} (tried {} times)", order.job.value(), why.text(), tries));
  // In line it would keep others waiting: it goes back to the queue.
  if (order.after) return give(RunReturned{order.job});
  if (tries > kLaunchTries) {
    unlaunched_.erase(key);
    if (why.kind == ErrorKind::kUnreachable) return give(RunLost{order.job, order.attempt});
    return give(
        RunEnded{order.job, order.attempt, Outcome{.state = JobState::kFailed, .exit_code = 1}});
  }
  loop_.after(kLaunchAgainAfter, [this, order] {
    const Job* job = engine_.state().find_job(order.job);
    if (job == nullptr || job->attempt != order.attempt || !holds_nodes(job->state)) {
      unlaunched_.erase(RunKey{order.job, order.attempt});
      return;
    }
    if (job->state == JobState::kCompleting)
      return give(RunEnded{order.job, order.attempt,
                           Outcome{.state = JobState::kCancelled, .signal = SIGTERM}});
    obey(order);
    flush();
  });
}

Assignment Driver::assigned(const Job& job, std::uint32_t attempt, const Job& holder,
                            const Identity& identity) const {
  const State& state = engine_.state();
  const Shape& shape = state.shape_of_job(job);
  const Run& run = state.run_of(holder);
  RunFacts facts{
      {job.id, attempt},
      *shape.request,
      state.policy(),
      run.allocation,
      run.partition,
      shape.request->account,
      shape.qos ? std::string_view(state.policy().qos[shape.qos->index()].name) : "",
      std::nullopt,
      attempt - 1,
      state.policy().nodes[run.allocation.shares().front().node.index()].name == places_.host,
      &places_.gpus};
  const std::string socket = places_.folders.api_socket();
  const std::string shims = places_.folders.shims();
  facts.socket = socket;
  facts.shims = shims;
  if (job.array != JobId{})
    facts.array = array_facts(job.array, job.task, shape.request->array->indices);
  Assignment assignment = assignment_of(facts, identity);
  assignment.time_limit = time_limit_of(job, run.partition);
  assignment.kill_wait = state.policy().jobs.kill_wait;
  if (assignment.capture) assignment.output_room = output_rooms_.left(shape.request->user);
  return assignment;
}

// How long its run may take before it is ended; 0: for ever.
Duration Driver::time_limit_of(const Job& job, PartitionId partition) const {
  if (job.limit >= kForever) return Duration(0);
  return job.limit + engine_.state().policy().over_time_limit(partition);
}

void Driver::note_limits() {
  for (const Event& event : turn_.events) {
    const auto* changed = std::get_if<TimeLimitChanged>(&event.body);
    const Job* job = changed != nullptr ? engine_.state().find_job(changed->job) : nullptr;
    if (job != nullptr && holds_nodes(job->state))
      send(LimitRun{{job->id, job->attempt},
                    time_limit_of(*job, engine_.state().run_of(*job).partition)});
  }
}

std::optional<Assignment> Driver::assignment(const Job& job) {
  if (job.run == 0 || job.state == JobState::kPending || job.attempt == 0) return std::nullopt;
  const auto identity = identities_.named(engine_.state().shape_of_job(job).request->user, now());
  if (!identity) return std::nullopt;
  return assigned(job, job.attempt, job, *identity);
}

void Driver::send(const KeeperOrder& order) {
  if (keeper_) keeper_->send(order);
}

void Driver::flush() {
  if (!keeper_ || !keeper_->wants_to_write()) return;
  if (const auto sent = keeper_->flush(); !sent) {
    // Found out the usual way, by reading.
    return;
  }
  if (!keeper_->wants_to_write() || writing_) return;
  writing_ = true;
  loop_.when_writable(keeper_->descriptor(), [this] {
    writing_ = false;
    flush();
  });
}

void Driver::take_reports() {
  const auto reports = keeper_->receive();
  if (!reports) return keeper_is_gone(reports.error());
  for (const KeeperReport& report : *reports) take_report(report);
  flush();
}

void Driver::take_report(const KeeperReport& report) {
  if (const auto* over = std::get_if<RunIsOver>(&report)) {
    if (Errands::is_one(over->run)) return errands_.over(*over);
    if (!over->why.empty()) say_of_run(fmt::format("run {}: {}", to_text(over->run), over->why));
    if (could_not_start(*over))
      give(RunLost{over->run.job, over->run.attempt});
    else
      give(RunEnded{over->run.job, over->run.attempt, over->outcome,
                    over->next ? std::optional(RunInLine{over->next->job, over->next->attempt})
                               : std::nullopt});
    waiting_.back().over = over->run;
    waiting_.back().output = over->output;
    waiting_.back().failure = over->why;
    if (over->ended != Instant{}) waiting_.back().happened = clock_.at(over->ended);
    if (!could_not_start(*over)) note_start(over->run);
    if (could_not_start(*over) && !over->why.empty()) keep_back(*over);
  } else if (const auto* up = std::get_if<RunIsUp>(&report)) {
    note_start(up->run);
  } else if (const auto* returned = std::get_if<RunIsReturned>(&report)) {
    give(RunReturned{returned->run.job});
  } else if (const auto* output = std::get_if<RunOutput>(&report)) {
    const auto asked = std::find_if(listeners_.begin(), listeners_.end(), [&](const auto& each) {
      return each.first == output->run && each.second.first == output->from;
    });
    if (asked == listeners_.end()) return;
    const Heard then = std::move(asked->second.second);
    listeners_.erase(asked);
    then(*output);
  }
}

// As slurmctld does after a failed prolog: the job is put back and held, and its nodes get no other
// job until an operator has looked at them. A run that could not start for another reason is tried
// a few times.
void Driver::keep_back(const RunIsOver& over) {
  const RunKey run = over.run;
  const Job* job = engine_.state().find_job(run.job);
  if (job == nullptr || job->attempt != run.attempt || !holds_nodes(job->state)) return;
  // That says nothing about the node or the job.
  if (job->state == JobState::kCompleting || over.why == kKeeperEnds) return;
  const bool prolog_failed = over.outcome.state == JobState::kBootFail;
  const Policy& policy = engine_.state().policy();
  for (const NodeShare& share : engine_.state().run_of(*job).allocation.shares()) {
    const std::string& node = policy.nodes[share.node.index()].name;
    if (!prolog_failed && ++failed_starts_on_[node] < kMostFailedStartsOnNode) continue;
    const std::string why =
        prolog_failed ? over.why
                      : fmt::format("{} runs in a row could not start, the last one because: {}",
                                    failed_starts_on_[node], over.why);
    failed_starts_on_.erase(node);
    give(ChangeNode{node, NodeState::kDraining, why});
  }
  if (!prolog_failed && ++failed_starts_of_[job->id] < kMostFailedStarts) return;
  failed_starts_of_.erase(job->id);
  JobRef ref{run.job, std::nullopt};
  if (job->array != JobId{}) ref = {job->array, job->task};
  give(HoldJob{ref, Actor{"", true}});
}

// The run could start: what went wrong before is over.
void Driver::note_start(RunKey run) {
  failed_starts_of_.erase(run.job);
  if (failed_starts_on_.empty()) return;
  const Job* job = engine_.state().find_job(run.job);
  if (job == nullptr || !holds_nodes(job->state)) return;
  const Policy& policy = engine_.state().policy();
  for (const NodeShare& share : engine_.state().run_of(*job).allocation.shares())
    failed_starts_on_.erase(policy.nodes[share.node.index()].name);
}

void Driver::keeper_is_gone(const Error& error) {
  say("the keeper is gone: " + error.text());
  loop_.unwatch(keeper_->descriptor());
  keeper_.reset();
  writing_ = false;
  for (auto& [run, asked] : std::exchange(listeners_, {}))
    asked.second(RunOutput{run, asked.first, "", false});
  if (const auto again = adopt_runs(); !again) {
    say("sluice: cannot continue without a keeper: " + again.error().text());
    std::_Exit(1);
  }
}

Result<void> Driver::adopt_runs() {
  TRY(KeeperClient keeper, KeeperClient::connect_or_start(places_.folders, places_.program));
  keeper_.emplace(std::move(keeper));
  TRY(const std::optional<std::string> known, journal_.note(kKeeperNote));
  const KeeperHello hello = keeper_->hello();
  const bool same = known == hello.instance;
  compare(hello, same);
  TRY(const std::vector<KeeperReport> early, keeper_->receive());
  for (const KeeperReport& report : early) take_report(report);
  if (!same) {
    // What the old keeper ran is settled before the new one is remembered.
    take_turn();
    TRY_VOID(note_keeper());
  }
  loop_.watch(keeper_->descriptor(), [this] { take_reports(); });
  flush();
  return {};
}

Result<void> Driver::note_keeper() {
  const Note note{std::string(kKeeperNote), keeper_->hello().instance};
  const auto done =
      trouble_ ? failed(trouble_->what) : journal_.commit({}, {}, std::span(&note, 1));
  if (done || (!trouble_ && !journal_.trouble_may_pass())) return done;
  // Not before the ends that the last keeper left are in the journal.
  loop_.after(kKeeperAgainAfter, [this] {
    if (keeper_)
      if (const auto noted = note_keeper(); !noted) give_up(noted.error());
  });
  return {};
}

void Driver::compare(const KeeperHello& hello, bool same_keeper) {
  errands_.compare(hello);
  const State& state = engine_.state();
  std::map<RunKey, bool> known;  // Whether it is still up.
  for (const RunIsUp& run : hello.up) known[run.run] = true;
  for (const RunIsOver& run : hello.over) {
    known[run.run] = false;
    take_report(run);
  }
  std::size_t adopted = 0;
  std::size_t lost = 0;
  std::size_t again = 0;
  std::set<RunKey> ours;
  std::map<JobId, JobId> holders;  // Of each array one whose place others may have taken.
  if (state.has_policy())
    state.for_each_job([&](const Job& job) {
      if (job.in_line) {
        const RunKey key{job.id, job.attempt + 1};
        ours.insert(key);
        // The run it follows reports it. One that the keeper does not know never left the line.
        if (known.count(key) != 0) return;
        const auto holder = holders.find(job.array);
        if (same_keeper || holder == holders.end()) return give(RunReturned{job.id});
        ++lost;
        return give(RunLost{job.id, key.attempt, holder->second});
      }
      if (!holds_nodes(job.state)) return;
      if (job.array != JobId{}) holders.emplace(job.array, job.id);
      const RunKey key{job.id, job.attempt};
      ours.insert(key);
      const auto found = known.find(key);
      if (found != known.end() && !found->second) return;  // Its end was taken in above.
      if (found != known.end()) {
        ++adopted;
        // Orders that a crash may have swallowed; twice is harmless.
        if (job.state == JobState::kCompleting)
          carry_out(EndJob{job.id, job.attempt});
        else if (job.state == JobState::kSuspended)
          carry_out(PauseJob{job.id, job.attempt});
        else
          carry_out(ContinueJob{job.id, job.attempt});
      } else if (!same_keeper) {
        ++lost;
        give(RunLost{job.id, job.attempt});
      } else if (job.state == JobState::kCompleting) {
        // Told to end before it was ever launched.
        give(RunEnded{job.id, job.attempt,
                      Outcome{.state = JobState::kCancelled, .signal = SIGTERM}});
      } else {
        ++again;
        obey(LaunchJob{job.id, job.attempt});
        if (job.state == JobState::kSuspended) carry_out(PauseJob{job.id, job.attempt});
      }
    });
  // Runs that the journal knows to be over, or never knew.
  for (const RunIsUp& run : hello.up)
    if (ours.count(run.run) == 0 && !Errands::is_one(run.run)) send(EndRun{run.run, Duration(0)});
  if (adopted + lost + again > 0)
    say(fmt::format("{} runs adopted, {} launched again, {} lost", adopted, again, lost));
}

void Driver::signal(const Job& job, std::int32_t number, bool batch_only) {
  send(SignalRun{{job.id, job.attempt}, number, batch_only});
  flush();
}

void Driver::read_output(RunKey run, std::uint64_t from, Heard then) {
  listeners_.emplace_back(run, std::pair(from, std::move(then)));
  send(ReadRunOutput{run, from});
  flush();
}

}  // namespace sluice
