// The order matters: intent, held job, its number, its handler, release.
#include "escalation/advance.h"

#include <fmt/format.h>

#include <algorithm>

#include "escalation/ceilings.h"
#include "escalation/sizing.h"
#include "escalation/submit_limit.h"

namespace sluice {
namespace {

void count(const Task& before, const Task& after, Progress& progress) {
  if (after.state == TaskState::kCompleted) ++progress.completed;
  if (after.state == TaskState::kGivenUp) ++progress.given_up;
  if (after.state != TaskState::kWaiting) return;
  const bool memory = after.rung.memory > before.rung.memory;
  const bool time = after.rung.time > before.rung.time;
  ++(memory && time                         ? progress.more_of_both
     : memory                               ? progress.more_memory
     : time                                 ? progress.more_time
     : after.rung.place > before.rung.place ? progress.other_gpu
     : after.continued > before.continued   ? progress.continued
                                            : progress.again);
}

// A job that is not known yet may belong to a move that came too late.
bool all_settled(const Chain& chain) {
  for (const Batch& batch : chain.batches)
    if (batch.state == BatchState::kIntended || batch.state == BatchState::kTaking) return false;
  return std::all_of(chain.tasks.begin(), chain.tasks.end(), [](const Task& task) {
    return task.state == TaskState::kCompleted || task.state == TaskState::kGivenUp;
  });
}

}  // namespace

std::string Progress::words() const {
  std::string out = fmt::format("{} settled", settled);
  std::string parts;
  const auto part = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, what);
  };
  const std::size_t climb = more_memory + more_time + more_of_both + other_gpu;
  std::string causes;
  for (const auto& [count, what] : {std::pair(more_memory, "memory"), std::pair(more_time, "time"),
                                    std::pair(more_of_both, "both"), std::pair(other_gpu, "GPU")})
    if (count > 0) causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", count, what);
  part(completed, "completed");
  part(climb, fmt::format("escalate ({})", causes));
  part(continued, "continue from a checkpoint");
  part(again, "run again");
  part(given_up, "given up");
  if (!parts.empty()) out += ": " + parts;
  out += fmt::format("; {} handed in", handed_in);
  if (resized > 0) out += fmt::format(", {} resized", resized);
  if (moved > 0) out += fmt::format(", {} moved", moved);
  if (ended) out += ", ended";
  return out;
}

Result<void> Advance::record(ChainEvent event) {
  TRY_VOID(store_.commit({&event, 1}));
  record_in(chain_, event);
  return {};
}

Result<void> Advance::record_all(std::vector<ChainEvent> events) {
  if (events.empty()) return {};
  TRY_VOID(store_.commit(events));
  for (const ChainEvent& event : events) record_in(chain_, event);
  return {};
}

bool Advance::is_open(const Batch& batch) const {
  return batch.state == BatchState::kAccepted || batch.state == BatchState::kReleased;
}

Result<Progress> Advance::step(Instant now) {
  progress_ = {};
  if (chain_.state == ChainState::kEnded) {
    progress_.ended = true;
    return progress_;
  }
  if (chain_.state == ChainState::kCancelled) return cancel(now);
  TRY_VOID(secure_successor(now));
  TRY_VOID(recover(now));
  TRY_VOID(take_over_all());
  TRY_VOID(look());
  TRY_VOID(size(now));
  TRY_VOID(start_new(now));
  if (all_settled(chain_)) {
    TRY_VOID(drop_handlers());
    TRY_VOID(record(ChainStateChanged{ChainState::kEnded}));
    progress_.ended = true;
    return progress_;
  }
  TRY_VOID(attend(now));
  TRY_VOID(release_all());
  return progress_;
}

// Jobs of batches that were withdrawn after the cluster had taken them.
Result<void> Advance::clear_withdrawn() {
  for (const Batch& batch : chain_.batches) {
    if (batch.state != BatchState::kWithdrawn || !batch.job) continue;
    TRY_VOID(cluster_.cancel({*batch.job, std::nullopt}));
    TRY_VOID(record(BatchCleared{batch.number}));
  }
  return {};
}

Result<void> Advance::recover(Instant now) {
  TRY_VOID(clear_withdrawn());
  for (const Batch& batch : chain_.batches) {
    if (batch.state != BatchState::kIntended) continue;
    if (batch.move) {
      TRY_VOID(recover_move(batch.number, now));
      continue;
    }
    TRY(const bool adopted, adopt(batch.number));
    if (adopted) continue;
    TRY(const bool lost, never_arrived(batch.number, now));
    if (!lost) continue;
    TRY_VOID(record(BatchTriedAgain{batch.number, now}));
    TRY_VOID(submit(batch.number));
  }
  for (const Handler& handler : chain_.handlers) {
    if (handler.gone || handler.job) continue;
    if (successor_ && handler.number == *successor_) continue;
    TRY(auto found, cluster_.find(handler.key));
    std::sort(found.begin(), found.end());
    if (!found.empty())
      TRY_VOID(record(HandlerAccepted{handler.number, found.front()}));
    else if (now - handler.intended >= kLookFor)
      TRY_VOID(record(HandlerGone{handler.number}));
  }
  return {};
}

// What is on its way may still arrive. The time counts from the first look that did not find it:
// how long the process that handed it in lived after it wrote its intent is not known.
Result<bool> Advance::never_arrived(std::uint32_t number, Instant now) {
  const Batch& batch = chain_.batch(number);
  const bool sending = attendance_.on_its_way && attendance_.on_its_way(batch.key);
  if (!sending && !batch.missed) TRY_VOID(record(BatchMissed{number, now}));
  if (!sending && now - *batch.missed >= kLookFor) return true;
  progress_.uncertain = true;
  return false;
}

Result<bool> Advance::adopt(std::uint32_t number) {
  TRY(auto found, cluster_.find(chain_.batch(number).key));
  if (found.empty()) return false;
  std::sort(found.begin(), found.end());
  TRY_VOID(record(BatchAccepted{number, found.front()}));
  // Twins are held: none of them has run.
  for (std::size_t i = 1; i < found.size(); ++i)
    TRY_VOID(cluster_.cancel({found[i], std::nullopt}));
  progress_.notes.push_back(
      fmt::format("found job {} of batch {} by its key", found.front().job.value(), number));
  return true;
}

Result<void> Advance::look() {
  std::vector<RemoteRef> refs;
  for (const Batch& batch : chain_.batches)
    if (is_open(batch)) refs.push_back({*batch.job, std::nullopt});
  if (refs.empty()) return {};
  // Parts of one array are looked at together.
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  TRY(const auto sightings, cluster_.observe(refs));
  for (const Sighting& sighting : sightings)
    if (!sighting.complete || sighting.tasks.empty()) progress_.unseen = true;
  Settling settling = settle(chain_, sightings, match_stderr_);
  progress_.settled += settling.settled.settlements.size();
  for (const Settlement& one : settling.settled.settlements)
    count(chain_.task(one.run.index), one.after, progress_);
  if (!settling.settled.settlements.empty()) TRY_VOID(record(std::move(settling.settled)));
  if (!settling.seen.running.empty() || !settling.seen.pending.empty())
    TRY_VOID(record(std::move(settling.seen)));
  return {};
}

Result<void> Advance::size(Instant now) {
  if (!sizing_matters(chain_)) return {};
  if (knows_enough_to_size(chain_)) {
    TRY(const std::vector<TaskRun> runs, store_.runs());
    if (auto next = next_sizing(chain_, runs)) TRY_VOID(record(ChainSized{std::move(*next)}));
  }
  for (const Batch& part : parts_to_resize(chain_, now)) TRY_VOID(resize(part));
  return {};
}

// Recorded first. A task that starts in between keeps what it had: should it run out it is handed
// in as its rung says, which is no less than either.
Result<void> Advance::resize(const Batch& part) {
  const Batch before = chain_.batch(chain_.task(*part.tasks.first()).batch);
  Batch numbered = part;
  numbered.number = static_cast<std::uint32_t>(chain_.batches.size() + 1);
  TRY_VOID(record(BatchesResized{{numbered}}));
  JobChange change;
  if (part.request.memory != before.request.memory) change.memory = part.request.memory;
  if (part.request.time != before.request.time) change.time_limit = part.request.time;
  if (part.request.partitions != before.request.partitions)
    change.partitions = part.request.partitions;
  TRY(const auto changed,
      chain_.array ? cluster_.update_tasks(*part.job, shifted_down(part.tasks, part.offset), change)
                   : cluster_.update({*part.job, std::nullopt}, change));
  const auto* refusal = std::get_if<Refusal>(&changed);
  if (refusal == nullptr) {
    progress_.resized += part.tasks.size();
    return {};
  }
  // As before, until more is known.
  progress_.notes.push_back(fmt::format("tasks that wait cannot ask for {} ({})",
                                        describe(part.request), refusal->message));
  Sizing back = *chain_.sizing;
  back.memory_mb.reset();
  back.time.reset();
  TRY_VOID(record(ChainSized{back}));
  Batch undone = before;
  undone.number = numbered.number + 1;
  undone.tasks = part.tasks;
  return record(BatchesResized{{undone}});
}

Result<PackingLimits> Advance::limits() {
  TRY(const Description description, cluster_.describe());
  PackingLimits out;
  capabilities_ = description.capabilities;
  out.max_array_size = description.capabilities.max_array_size;
  // Of many pools each has its own, which the router knows.
  if (!spread_) out.submit_room = submit_room(description, chain_.spec);
  // The handler is a job too; a successor has been handed in already.
  if (out.submit_room && attendance_.handler_job && !successor_)
    out.submit_room = std::max<std::int64_t>(
        0, *out.submit_room - (chain_.sizing || attendance_.look_every ? 2 : 1));
  if (most_at_once_ &&
      (!out.submit_room || static_cast<std::int64_t>(*most_at_once_) < *out.submit_room))
    out.submit_room = static_cast<std::int64_t>(*most_at_once_);
  return out;
}

Result<void> Advance::start_new(Instant now) {
  if (chain_.terms.routed && !spread_) return {};
  while (anything_due(chain_)) {
    TRY(const PackingLimits allowed, limits());
    TRY(BatchesIntended intended, hand_in(chain_, allowed, now, spread_));
    if (intended.batches.empty()) {
      progress_.waits_for_room = true;
      return {};
    }
    const std::size_t first = chain_.batches.size();
    TRY_VOID(record(std::move(intended)));
    bool refused = false;
    for (std::size_t i = first; i < chain_.batches.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(i + 1);
      if (refused) {
        // No room for the one before it: this one waits too.
        TRY_VOID(record(BatchWithdrawn{number, GivenUp::kNo, {}}));
        continue;
      }
      unsent_from_ = number + 1;
      const auto submitted = submit(number);
      unsent_from_ = kAllSent;
      TRY_VOID(submitted);
      const Batch& batch = chain_.batch(number);
      if (batch.state == BatchState::kWithdrawn && anything_due(chain_)) refused = true;
      if (is_open(batch)) progress_.handed_in += batch.tasks.size();
    }
    if (!refused && spread_ && !chain_.terms.routed) continue;  // The next rung, if there is room.
    if (!refused) {
      progress_.waits_for_room = anything_due(chain_);
      return {};
    }
    if (most_at_once_ == 0U) {
      most_at_once_.reset();
      progress_.waits_for_room = true;
      return {};
    }
  }
  return {};
}

Result<void> Advance::submit(std::uint32_t number) {
  Batch& batch = chain_.batch(number);
  const bool whole = chain_.terms.routed && !batch.move;  // All of them, or none.
  const auto answered = cluster_.submit({batch_job(chain_, batch), batch.key, true});
  if (!answered) {
    if (!whole) return tl::unexpected<Error>(answered.error());
    // The cluster could not be reached, and nothing was done.
    TRY_VOID(record(BatchWithdrawn{number, GivenUp::kNo, {}}));
    TRY_VOID(withdraw_wave());
    return tl::unexpected<Error>(answered.error());
  }
  const SubmitAnswer& answer = *answered;
  if (const auto* accepted = std::get_if<Accepted>(&answer))
    return record(BatchAccepted{number, accepted->job});
  if (const auto* uncertain = std::get_if<Uncertain>(&answer)) {
    TRY(const bool adopted, adopt(number));
    if (adopted) return {};
    progress_.uncertain = true;
    progress_.notes.push_back(fmt::format("batch {}: {}; looking for it", number, uncertain->why));
    return {};
  }
  const Refusal& refusal = std::get<Declined>(answer).refusal;
  if (batch.move) return stay(number, refusal.message);
  if (whole) {
    TRY_VOID(record(BatchWithdrawn{number, GivenUp::kNo, refusal.message}));
    TRY_VOID(withdraw_wave());
    return tl::unexpected<Error>(
        Error{ErrorKind::kFailed, refusal.message, {}, "nothing was submitted"});
  }
  if (is_submit_limit(refusal)) {
    // Fewer may fit: half of them, down to one.
    most_at_once_ = batch.tasks.size() / 2;
    return record(BatchWithdrawn{number, GivenUp::kNo, {}});
  }
  const bool first = std::none_of(chain_.batches.begin(), chain_.batches.end(),
                                  [](const Batch& other) { return other.job.has_value(); });
  TRY_VOID(record(BatchWithdrawn{number, GivenUp::kRefused, refusal.message}));
  const std::string what =
      fmt::format("the cluster refuses {} ({})", describe(batch.request), refusal.message);
  if (first) return tl::unexpected<Error>(Error{ErrorKind::kNotAllowed, what, {}, {}});
  progress_.notes.push_back(fmt::format("batch {}: {}", number, what));
  return {};
}

Result<void> Advance::release_all() {
  const bool incomplete =
      chain_.terms.routed &&
      std::any_of(chain_.batches.begin(), chain_.batches.end(), [](const Batch& batch) {
        return batch.state == BatchState::kIntended && !batch.move;
      });
  for (const Batch& batch : chain_.batches) {
    if (batch.state != BatchState::kAccepted || (incomplete && !batch.move)) continue;
    if (batch.move && !batch.move->spare.empty())
      TRY_VOID(cluster_.cancel_tasks(*batch.job, shifted_down(batch.move->spare, batch.offset)));
    // A user who asked for --hold releases by hand.
    if (!chain_.spec.hold || batch.move || batch.round > 1)
      TRY_VOID(cluster_.release({*batch.job, std::nullopt}));
    TRY_VOID(record(BatchReleased{batch.number}));
  }
  return {};
}

// A submission that was made twice may have a twin that is held for ever, and the job of a move
// that was given up may have arrived after all.
Result<void> Advance::clear_twins() {
  for (const Batch& batch : chain_.batches) {
    const bool twice = batch.attempts >= 2;
    const bool late = batch.move && !batch.job && batch.state == BatchState::kWithdrawn;
    if (!twice && !late) continue;
    TRY(const auto found, cluster_.find(batch.key));
    for (const RemoteJob& job : found)
      if (job != batch.job) TRY_VOID(cluster_.cancel({job, std::nullopt}));
  }
  return {};
}

Result<Progress> Advance::cancel(Instant now) {
  progress_ = {};
  if (chain_.state == ChainState::kActive)
    TRY_VOID(record(ChainStateChanged{ChainState::kCancelled}));
  IndexSet waiting;
  for (const Task& task : chain_.tasks)
    if (task.state == TaskState::kWaiting) waiting.insert(task.index);
  if (!waiting.empty()) TRY_VOID(record(TasksWithdrawn{std::move(waiting)}));
  for (const Batch& batch : chain_.batches) {
    if (batch.state != BatchState::kIntended) continue;
    TRY(const bool adopted, adopt(batch.number));
    if (adopted) continue;
    TRY(const bool lost, never_arrived(batch.number, now));
    if (lost) TRY_VOID(record(BatchWithdrawn{batch.number, GivenUp::kWithdrawn, {}}));
  }
  TRY_VOID(forgo_moves());
  TRY_VOID(clear_withdrawn());
  for (const Batch& batch : chain_.batches) {
    if (is_open(batch)) TRY_VOID(cluster_.cancel({*batch.job, std::nullopt}));
  }
  TRY_VOID(drop_handlers());
  TRY_VOID(look());
  if (all_settled(chain_)) {
    TRY_VOID(record(ChainStateChanged{ChainState::kEnded}));
    progress_.ended = true;
  }
  return progress_;
}

}  // namespace sluice
