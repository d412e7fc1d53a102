#include "daemon/driver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "daemon/say.h"
#include "engine/earlier_lines.h"
#include "engine/late.h"
#include "engine/snapshot_codec.h"
#include "host/keeper/output_store.h"
#include "model/event.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/tres.h"
#include "views/job_line.h"

namespace sluice {
namespace {

// Whose runs the state speaks of: another keeper knows nothing of them.
constexpr std::string_view kKeeperNote = "keeper.instance";

// A journal longer than this, and than a few of its snapshots, is replaced by one: its replay would
// take a second, and a file must not grow for years.
constexpr std::uint64_t kLongJournal = std::uint64_t{32} << 20;
constexpr std::uint64_t kLongAgainstSnapshot = 4;

// How often old history is looked for, and how soon again while there is more of it.
constexpr Duration kForgetEvery = seconds(3600);
constexpr Duration kForgetMoreAfter = seconds(10);
// Ten thousand rows a second: more than one user can add.
constexpr Duration kMakeRoomEvery(100);

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

// How often a journal that cannot be written is tried.
constexpr Duration kTryAgainAfter = seconds(1);

// What ended longer ago than this was not heard of when it happened.
constexpr Duration kLate = seconds(1);

// A keeper that cannot read for so long has troubles of its own.
constexpr Duration kLastWordsWithin = seconds(10);

// Hooks and mails of the last jobs have this long when the daemon stops and nothing runs.
constexpr Duration kErrandsWithin = seconds(5);
constexpr Duration kLookAtErrandsEvery(50);

// Nothing of the job has run.
bool could_not_start(const RunIsOver& over) {
  return over.outcome.state == JobState::kNodeFail || over.outcome.state == JobState::kBootFail;
}

// Tasks that end together before they start have one row: there may be a million of them.
void share_row(HistoryRow& row, const IndexSet& tasks) {
  row.task = tasks.first().value_or(0);
  // Ranges and whole steps are written at once; the best way to write the rest takes its time.
  constexpr std::size_t kLongest = 4096;
  row.tasks = format_array_tasks(ArraySpec{tasks, std::nullopt});
  if (row.tasks.size() > kLongest) row.tasks = compress_indices(tasks);
}

HistoryRow row_of(const Ended& ended) {
  const Job& job = ended.job;
  const Shape& shape = ended.shape;
  const Policy& policy = *ended.policy;
  const JobSpec& request = *shape.request;
  HistoryRow row;
  row.job = job.id;
  row.array = job.array;
  row.task = job.task;
  row.name = request.name;
  row.user = request.user;
  row.account = request.account;
  if (shape.qos) row.qos = policy.qos[shape.qos->index()].name;
  if (!shape.partitions.empty())
    row.partition = policy.partitions[shape.partitions.front().index()].name;
  row.requested = format_tres(shape.asked, policy.tres, TresOrder::kByName);
  row.submitted = job.submitted;
  row.eligible = job.eligible ? job.eligible_since : job.submitted;
  row.ended = ended.at;
  row.limit = job.limit;
  row.outcome = ended.outcome;
  if (!request.launch.capture) {
    row.folder = request.launch.working_directory;
    row.stdout_pattern = request.launch.stdout_path;
    row.stderr_pattern = request.launch.stderr_path;
  }
  if (job.is_array) share_row(row, ended.tasks);
  if (!ended.run) return row;
  row.attempt = job.attempt;
  row.partition = policy.partitions[ended.run->partition.index()].name;
  row.nodes = nodes_text(policy, ended.run->allocation);
  row.allocated = format_tres(ended.run->tres, policy.tres, TresOrder::kByName);
  row.started = ended.run->started;
  row.requeued = ended.run->requeue;
  return row;
}

}  // namespace

Driver::Driver(Loop& loop, SqliteJournal& journal, Places places)
    : loop_(loop),
      journal_(journal),
      places_(std::move(places)),
      errands_(loop, places_.program,
               [this](const KeeperOrder& order) {
                 send(order);
                 flush();
               }),
      output_rooms_(places_.folders.output(),
                    identities_.name_of(::geteuid(), Instant{}).value_or("root")),
      history_rooms_(identities_.name_of(::geteuid(), Instant{}).value_or("root")) {
  engine_.list_ends();
  engine_.hand_on_ahead();
  // Tests need a journal that is long sooner.
  const char* length = std::getenv("SLUICE_LONG_JOURNAL");
  compact_at_ = length != nullptr ? std::strtoull(length, nullptr, 10) : kLongJournal;
  loop_.after_each_batch([this] {
    if (!waiting_.empty() || timer_rang_) take_turn();
  });
}

Result<void> Driver::replay() {
  TRY(const std::optional<std::string> kept, journal_.snapshot());
  if (kept) {
    const auto snapshot = read_snapshot(*kept);
    if (!snapshot) {
      Error error = snapshot.error();
      error.where = places_.folders.journal();
      error.hint =
          "Nothing was changed. Restore a copy of the file, or move it away to start over.";
      return tl::unexpected(error);
    }
    engine_.restore(*snapshot);
    turned_at_ = snapshot->now;
  }
  TRY_VOID(journal_.replay([this](const Event& event) {
    engine_.replay(event);
    turned_at_ = event.at;
  }));
  TRY(const std::optional<std::string> clock, journal_.note(EngineClock::kNote));
  clock_.begin(clock, turned_at_);
  for (const JobId task : earlier_lines(engine_.state(), turned_at_))
    engine_.replay(Event{turned_at_, TaskPutInLine{task}});
  TRY_VOID(output_rooms_.count(journal_));
  TRY_VOID(history_rooms_.count(journal_));
  return {};
}

void Driver::give(Input input, Then then, Keep keep) {
  waiting_.push_back({std::move(input), std::move(then), std::move(keep), {}, {}, {}, {}});
}

void Driver::take_turn() {
  // One after the other: what was decided before is still to be written down.
  if (trouble_) return;
  timer_rang_ = false;
  std::vector<Waiting> batch = std::exchange(waiting_, {});
  const Instant at = now();
  // What ended while no daemon listened ended then, and not when its limit was over: each in a turn
  // of its own, in order. Nothing can have been started at that time.
  const auto is_late = [&](const Waiting& each) {
    return each.happened && *each.happened + kLate < at;
  };
  const auto rest = std::stable_partition(batch.begin(), batch.end(), is_late);
  std::stable_sort(batch.begin(), rest, [](const Waiting& one, const Waiting& other) {
    return *one.happened < *other.happened;
  });
  auto next = batch.begin();
  for (; next != rest && !trouble_; ++next) {
    std::vector<Waiting> one;
    one.push_back(std::move(*next));
    const Instant then = std::max(turned_at_, *one.front().happened);
    turn_of(std::move(one), then, When::kLate);
  }
  std::vector<Waiting> left(std::make_move_iterator(next), std::make_move_iterator(batch.end()));
  if (!trouble_) return turn_of(std::move(left), at, When::kNow);
  waiting_.insert(waiting_.begin(), std::make_move_iterator(left.begin()),
                  std::make_move_iterator(left.end()));
}

void Driver::turn_of(std::vector<Waiting> batch, Instant at, When when) {
  batch_ = std::move(batch);
  at_ = turned_at_ = at;
  when_ = when;
  inputs_.clear();
  tokens_.clear();
  failures_.clear();
  for (Waiting& each : batch_) {
    inputs_.push_back(std::move(each.input));
    if (each.over && !each.output.empty()) tokens_.emplace_back(*each.over, each.output);
    if (each.over && !each.failure.empty()) failures_[*each.over] = each.failure;
  }
  when == When::kNow ? engine_.handle(inputs_, at, turn_)
                     : handle_late(engine_, inputs_, at, turn_);
  ++turns_;
  for (const Ended& ended : turn_.ended) note_end(ended);
  for (std::size_t i = 0; i < batch_.size(); ++i)
    if (batch_[i].keep)
      if (auto kept = batch_[i].keep(turn_.replies[i])) submissions_.push_back(std::move(*kept));
  if (commit()) conclude();
}

void Driver::conclude() {
  for (const Order& order : turn_.orders) carry_out(order);
  note_limits();
  // Their ends are in the journal now. Others may have come meanwhile, which are not.
  for (const Waiting& each : batch_)
    if (each.over) send(AcknowledgeRun{*each.over});
  flush();
  // A follower that is told may ask for more.
  const std::vector<Waiting> batch = std::exchange(batch_, {});
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (batch[i].then) batch[i].then(turn_.replies[i]);
  if (!turn_.events.empty())
    for (const auto& watch : watches_) watch(turn_.events);
  if (at_ >= made_room_at_ + kMakeRoomEvery) make_room_in_history();
  if (!history_looked_at_ || at_ >= *history_looked_at_ + kForgetEvery) forget_history();
  if (turn_.wake_at)
    loop_.set_timer(*turn_.wake_at - at_, [this] { timer_rang_ = true; });
  else
    loop_.set_timer(std::nullopt, {});
}

bool Driver::commit() {
  std::vector<Note> notes = notes_;
  if (auto clock = clock_.take_note())
    notes.push_back(Note{std::string(EngineClock::kNote), std::move(*clock)});
  if (turn_.events.empty() && ended_.empty() && notes.empty()) return true;
  crash_.reached("before-commit");
  const auto done = journal_.commit(turn_.events, ended_, notes, submissions_);
  if (!done) {
    clock_.forget_note();
    // What was handled is in memory and not on disk: it counts only once it is.
    if (!journal_.trouble_may_pass()) give_up(done.error());
    if (!trouble_)
      say("sluice: the journal cannot be written, so nothing new is taken; jobs run on: " +
          done.error().text());
    trouble_ = done.error();
    loop_.after(kTryAgainAfter, [this] { try_again(); });
    return false;
  }
  crash_.reached("after-commit");
  ended_.clear();
  submissions_.clear();
  notes_.clear();
  compact_if_long();
  return true;
}

void Driver::try_again() {
  if (!commit()) return;
  trouble_.reset();
  say("sluice: the journal can be written again");
  conclude();
  if (!waiting_.empty() || timer_rang_ || when_ == When::kLate) take_turn();
}

// With a turn, never by a timer of its own: an idle daemon sleeps.
void Driver::forget_history() {
  const State& state = engine_.state();
  history_looked_at_ = turned_at_;
  if (!state.has_policy() || state.policy().jobs.history_kept <= Duration(0)) return;
  const auto gone = forget_before(turned_at_ - state.policy().jobs.history_kept);
  if (!gone) return say("old history stays: " + gone.error().text());
  if (gone->more) history_looked_at_ = turned_at_ - kForgetEvery + kForgetMoreAfter;
}

Result<HistoryForgotten> Driver::forget_before(Instant before) {
  auto gone = journal_.forget_before(before);
  if (!gone || gone->rows == 0) return gone;
  // Rows first: what they name is there for as long as they are.
  for (const UsersHistory& of_user : gone->of_users) history_rooms_.forgotten(of_user);
  for (const UsersOutput& output : gone->outputs) {
    output_rooms_.forgotten(output);
    remove_output(places_.folders.output(), output.token);
  }
  if (gone->first_segment) remove_segments_before(places_.folders.output(), *gone->first_segment);
  return gone;
}

void Driver::make_room_in_history() {
  const auto removed = history_rooms_.make_room(journal_);
  made_room_at_ = turned_at_;
  if (!removed) {
    made_room_at_ = turned_at_ + kForgetMoreAfter;
    return say("old history stays: " + removed.error().text());
  }
  if (!*removed) return;
  for (const std::string& token : (*removed)->gone.outputs) {
    // What shares a segment with others' output stays until all of that is forgotten, and counts.
    if (!has_file_of_its_own(token)) continue;
    output_rooms_.forgotten({(*removed)->user, token});
    remove_output(places_.folders.output(), token);
  }
  if (!(*removed)->is_enough) return;
  say(fmt::format("the oldest runs of {} were removed from the history: it had more than its part",
                  (*removed)->user));
  if (const auto first = journal_.first_segment())
    remove_segments_before(places_.folders.output(), *first);
}

void Driver::compact_if_long() {
  if (journal_.batch_bytes() <
      std::max(compact_at_, journal_.snapshot_bytes() * kLongAgainstSnapshot))
    return;
  crash_.reached("before-compaction");
  ByteWriter snapshot;
  write_snapshot(engine_.state().snapshot(), snapshot);
  const auto done = journal_.compact(snapshot.view());
  if (!done) {
    // The events are there: only the file stays long.
    say("sluice: the journal stays long: " + done.error().text());
    compact_at_ = journal_.batch_bytes() * 2;
    return;
  }
  crash_.reached("after-compaction");
}

// What was handled is in memory and not on disk: the only safe thing is to start again from there.
void Driver::give_up(const Error& error) {
  say("sluice: the journal cannot be written, so nothing more is done: " + error.text() +
      "\n  jobs run on; when it can be written again: sluice daemon start");
  std::_Exit(1);
}

void Driver::carry_out(const Order& order) {
  crash_.reached("before-order");
  std::visit([this](const auto& each) { obey(each); }, order);
  if (crash_.is_armed()) flush();
  crash_.reached("after-order");
}

void Driver::obey(const EndJob& order) {
  send(EndRun{{order.job, order.attempt}, engine_.state().policy().jobs.kill_wait});
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
  assignment.time_limit = time_limit_of(job);
  assignment.kill_wait = state.policy().jobs.kill_wait;
  if (assignment.capture) assignment.output_room = output_rooms_.left(shape.request->user);
  return assignment;
}

// How long its run may take before it is ended; 0: for ever.
Duration Driver::time_limit_of(const Job& job) const {
  if (job.limit >= kForever) return Duration(0);
  return job.limit + engine_.state().policy().jobs.over_time_limit;
}

void Driver::note_limits() {
  for (const Event& event : turn_.events) {
    const auto* changed = std::get_if<TimeLimitChanged>(&event.body);
    const Job* job = changed != nullptr ? engine_.state().find_job(changed->job) : nullptr;
    if (job != nullptr && holds_nodes(job->state))
      send(LimitRun{{job->id, job->attempt}, time_limit_of(*job)});
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
  loop_.after(kTryAgainAfter, [this] {
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

void Driver::note_end(const Ended& ended) {
  HistoryRow row = row_of(ended);
  if (ended.run) {
    const RunKey key{ended.job.id, ended.job.attempt};
    const auto token = std::find_if(tokens_.begin(), tokens_.end(),
                                    [&](const auto& each) { return each.first == key; });
    if (token != tokens_.end()) {
      row.output = token->second;
      output_rooms_.ended(row.user, row.output);
    }
  }
  if (rows_watch_) rows_watch_(ended, row);
  history_rooms_.ended(row);
  ended_.push_back(std::move(row));
  if (ended_watch_) ended_watch_(ended);
}

void Driver::dismiss_keeper() {
  if (!keeper_) return;
  // What it has said by now is written down first: the last run may be over.
  const auto reports = keeper_->receive();
  if (!reports) return;
  for (const KeeperReport& report : *reports) take_report(report);
  while (!waiting_.empty() && !trouble_) take_turn();
  bool busy = false;
  engine_.state().for_each_job([&](const Job& job) { busy |= holds_nodes(job.state); });
  if (!busy) {
    finish_errands();
    send(QuitKeeper{});
  }
  if (const auto sent = keeper_->flush_within(kLastWordsWithin); !sent)
    say("the keeper did not receive the last orders: " + sent.error().text());
}

void Driver::finish_errands() {
  const auto until = std::chrono::steady_clock::now() + kErrandsWithin;
  while (errands_.any_to_finish() && std::chrono::steady_clock::now() < until) {
    const auto reports = keeper_->wait(kLookAtErrandsEvery);
    if (!reports) return;
    for (const KeeperReport& report : *reports) take_report(report);
  }
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
