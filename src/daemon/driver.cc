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

// A journal longer than this, and than a few of its snapshots, is replaced by one: its replay would
// take a second, and a file must not grow for years.
constexpr std::uint64_t kLongJournal = std::uint64_t{32} << 20;
constexpr std::uint64_t kLongAgainstSnapshot = 4;

// How often old history is looked for, and how soon again while there is more of it.
constexpr Duration kForgetEvery = seconds(3600);
constexpr Duration kForgetMoreAfter = seconds(10);
// Ten thousand rows a second: more than one user can add.
constexpr Duration kMakeRoomEvery(100);

// What ended longer ago than this was not heard of when it happened.
constexpr Duration kLate = seconds(1);

// How often a journal that cannot be written is tried.
constexpr Duration kTryAgainAfter = seconds(1);

// A keeper that cannot read for so long has troubles of its own.
constexpr Duration kLastWordsWithin = seconds(10);

// Hooks and mails of the last jobs have this long when the daemon stops and nothing runs.
constexpr Duration kErrandsWithin = seconds(5);
constexpr Duration kLookAtErrandsEvery(50);

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

}  // namespace sluice
