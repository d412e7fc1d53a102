// The order matters: intent, held job, its number, who attends to it, release.
#include "escalation/advance.h"

#include <fmt/format.h>

#include <algorithm>

#include "escalation/ceilings.h"
#include "escalation/sizing.h"

namespace sluice {
namespace {

constexpr Duration kLookAgain = minutes(2);
constexpr Duration kLooksAtLeast = minutes(60);

bool is_submit_limit(Rule rule) {
  return rule == Rule::kGrpSubmitJobs || rule == Rule::kMaxSubmitJobsPerUser ||
         rule == Rule::kMaxSubmitJobsPerAccount;
}

// A job that nobody has heard of yet may belong to a move that came too late.
bool all_settled(const Chain& chain) {
  for (const Batch& batch : chain.batches)
    if (batch.state == BatchState::kIntended || batch.state == BatchState::kTaking) return false;
  return std::all_of(chain.tasks.begin(), chain.tasks.end(), [](const Task& task) {
    return task.state == TaskState::kCompleted || task.state == TaskState::kGivenUp;
  });
}

}  // namespace

Result<void> Advance::record(ChainEvent event) {
  TRY_VOID(store_.commit({&event, 1}));
  record_in(chain_, event);
  return {};
}

bool Advance::is_open(const Batch& batch) const {
  return batch.state == BatchState::kAccepted || batch.state == BatchState::kReleased;
}

bool Advance::anything_waits() const {
  return std::any_of(chain_.tasks.begin(), chain_.tasks.end(),
                     [](const Task& task) { return task.state == TaskState::kWaiting; });
}

bool Advance::worth_a_look() const {
  if (sizing_matters(chain_)) return true;
  return attendance_.look_every &&
         std::any_of(chain_.tasks.begin(), chain_.tasks.end(), [](const Task& task) {
           return task.state == TaskState::kSubmitted && !task.running;
         });
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

// The first act of a handler. Should it die at any later point, the successor is there.
Result<void> Advance::secure_successor(Instant now) {
  if (!attendance_.handler_job || !attendance_.self || successor_) return {};
  for (const Handler& handler : chain_.handlers)
    if (handler.job == attendance_.self && !handler.gone)
      TRY_VOID(record(HandlerGone{handler.number}));
  Dependencies after_us;
  after_us.terms.push_back({DependencyType::kAfterAny, attendance_.self->job, {}, {}});
  TRY(successor_, add_handler({}, std::move(after_us), now));
  return {};
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
    TRY(const bool adopted, adopt(batch.number));
    if (adopted) continue;
    // What is on its way may still arrive.
    if (now - batch.intended < kLookFor) {
      progress_.uncertain = true;
      continue;
    }
    if (batch.move) {
      // There may be room where they are by now.
      TRY_VOID(stay(batch.number, "the new job never arrived"));
      continue;
    }
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
  out.submit_room = submit_room(description, chain_.spec);
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
  while (anything_due(chain_)) {
    TRY(const PackingLimits allowed, limits());
    BatchesIntended intended = hand_in(chain_, allowed, now);
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
        TRY_VOID(record(BatchWithdrawn{number, GivenUp::kNo}));
        continue;
      }
      TRY_VOID(submit(number));
      const Batch& batch = chain_.batch(number);
      if (batch.state == BatchState::kWithdrawn && anything_due(chain_)) refused = true;
      if (is_open(batch)) progress_.handed_in += batch.tasks.size();
    }
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
  TRY(const SubmitAnswer answer, cluster_.submit({batch_job(chain_, batch), batch.key, true}));
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
  if (is_submit_limit(refusal.reason.rule)) {
    // Fewer may fit: half of them, down to one.
    most_at_once_ = batch.tasks.size() / 2;
    return record(BatchWithdrawn{number, GivenUp::kNo});
  }
  const bool first = std::none_of(chain_.batches.begin(), chain_.batches.end(),
                                  [](const Batch& other) { return other.job.has_value(); });
  TRY_VOID(record(BatchWithdrawn{number, GivenUp::kRefused}));
  const std::string what =
      fmt::format("the cluster refuses {} ({})", describe(batch.request), refusal.message);
  if (first) return tl::unexpected<Error>(Error{ErrorKind::kNotAllowed, what, {}, {}});
  progress_.notes.push_back(fmt::format("batch {}: {}", number, what));
  return {};
}

Result<void> Advance::look_at_handlers() {
  std::vector<RemoteRef> refs;
  std::vector<std::uint32_t> numbers;
  for (const Handler& handler : chain_.handlers) {
    if (handler.gone || !handler.job || handler.job == attendance_.self) continue;
    if (successor_ && handler.number == *successor_) continue;
    refs.push_back({*handler.job, std::nullopt});
    numbers.push_back(handler.number);
  }
  if (refs.empty()) return {};
  TRY(const auto sightings, cluster_.observe(refs));
  for (std::size_t i = 0; i < sightings.size() && i < numbers.size(); ++i) {
    const Sighting& sighting = sightings[i];
    const bool ended = std::all_of(sighting.tasks.begin(), sighting.tasks.end(),
                                   [](const SeenTask& seen) { return has_ended(seen.state); });
    if (sighting.tasks.empty() ? sighting.complete : ended)
      TRY_VOID(record(HandlerGone{numbers[i]}));
  }
  return {};
}

Dependencies Advance::dependencies_on(const std::vector<std::uint32_t>& batches) const {
  Dependencies out;
  // One batch that is all there is: a handler is needed only where it fails, and where ended jobs
  // can be asked for later. afternotok of several would wait for ever once one of them succeeds.
  const bool accounting = !capabilities_ || capabilities_->accounting;
  const DependencyType type = batches.size() == 1 && !anything_waits() && accounting
                                  ? DependencyType::kAfterNotOk
                                  : DependencyType::kAfterAny;
  for (const std::uint32_t number : batches) {
    const Dependency term{type, chain_.batch(number).job->job, {}, {}};
    if (std::find(out.terms.begin(), out.terms.end(), term) == out.terms.end())
      out.terms.push_back(term);
  }
  return out;
}

Result<std::optional<std::uint32_t>> Advance::add_handler(std::vector<std::uint32_t> batches,
                                                          Dependencies dependencies, Instant now) {
  Handler handler;
  handler.number = static_cast<std::uint32_t>(chain_.handlers.size() + 1);
  handler.key = fmt::format("{}.h{}", chain_.id, handler.number);
  handler.batches = std::move(batches);
  handler.intended = now;
  const std::uint32_t number = handler.number;
  TRY_VOID(record(HandlerIntended{handler}));
  JobSpec spec = attendance_.handler_job(chain_);
  spec.dependencies = std::move(dependencies);
  spec.kill_on_invalid_dependency = true;
  if (spec.dependencies.terms.empty()) spec.begin = now + until_next_look(now);
  TRY(const SubmitAnswer answer, cluster_.submit({std::move(spec), handler.key, false}));
  if (const auto* accepted = std::get_if<Accepted>(&answer)) {
    TRY_VOID(record(HandlerAccepted{number, accepted->job}));
    return number;
  }
  if (const auto* declined = std::get_if<Declined>(&answer)) {
    TRY_VOID(record(HandlerGone{number}));
    if (is_submit_limit(declined->refusal.reason.rule)) {
      TRY_VOID(attend_without_room(chain_.handlers[number - 1].batches));
      return std::nullopt;
    }
    return tl::unexpected<Error>(Error{
        ErrorKind::kNotAllowed,
        fmt::format("the cluster refuses the job that goes on with the chain ({})",
                    declined->refusal.message),
        {},
        fmt::format("nothing more was released; go on by hand with: sluice resume {}", chain_.id)});
  }
  // A second one would do no harm; the next look finds out.
  TRY(auto found, cluster_.find(chain_.handlers[number - 1].key));
  std::sort(found.begin(), found.end());
  if (found.empty()) {
    progress_.uncertain = true;
    return std::nullopt;
  }
  TRY_VOID(record(HandlerAccepted{number, found.front()}));
  return number;
}

// One that waits already waits for these too. Where there is none, what is held makes room: it
// never ran, and the next look hands in fewer tasks.
Result<void> Advance::attend_without_room(const std::vector<std::uint32_t>& batches) {
  for (const Handler& handler : chain_.handlers) {
    if (handler.gone || !handler.job || handler.job == attendance_.self) continue;
    std::vector<std::uint32_t> all = handler.batches;
    std::erase_if(all, [&](std::uint32_t batch) { return !is_open(chain_.batch(batch)); });
    all.insert(all.end(), batches.begin(), batches.end());
    if (all.empty()) return {};
    JobChange change;
    change.dependencies = dependencies_on(all);
    TRY(const auto changed, cluster_.update({*handler.job, std::nullopt}, change));
    if (const auto* done = std::get_if<Changed>(&changed);
        done != nullptr && *done == Changed::kDone)
      return record(HandlerTurned{handler.number, std::move(all)});
  }
  progress_.waits_for_room = true;
  progress_.notes.push_back(fmt::format(
      "no room for the job that goes on with the chain; later: sluice resume {}", chain_.id));
  for (const std::uint32_t number : batches) {
    const Batch& batch = chain_.batch(number);
    // Recorded first: seen cancelled, its tasks would count as ended by somebody.
    if (batch.state == BatchState::kAccepted)
      TRY_VOID(record(BatchWithdrawn{number, GivenUp::kNo}));
  }
  return clear_withdrawn();
}

// Every open batch has a live handler that waits for it, before it is released.
Result<void> Advance::attend(Instant now) {
  if (!attendance_.handler_job) return {};
  TRY_VOID(look_at_handlers());
  IndexSet covered;
  bool stands_by = false;
  for (const Handler& handler : chain_.handlers) {
    if (handler.gone || handler.job == attendance_.self) continue;
    if (successor_ && handler.number == *successor_) continue;
    for (const std::uint32_t batch : handler.batches) covered.insert(batch);
    // Parts that were resized are in the same array.
    for (const Batch& batch : chain_.batches)
      if (batch.job &&
          std::any_of(handler.batches.begin(), handler.batches.end(),
                      [&](std::uint32_t one) { return chain_.batch(one).job == batch.job; }))
        covered.insert(batch.number);
    stands_by |= handler.batches.empty() && handler.job.has_value();
  }
  std::vector<std::uint32_t> uncovered;
  bool any_open = false;
  for (const Batch& batch : chain_.batches) {
    if (!is_open(batch)) continue;
    any_open = true;
    if (!covered.contains(batch.number)) uncovered.push_back(batch.number);
  }
  // Tasks without room wait for time to pass: the handlers of other batches come only where those
  // fail.
  const bool comes_later = (!any_open || progress_.waits_for_room || worth_a_look()) && !stands_by;
  const bool needed = !uncovered.empty() || comes_later;
  // Sizes are learnt, and accounts fill up, while an array is under way: somebody else looks then.
  if (!uncovered.empty() && worth_a_look() && !stands_by)
    TRY_VOID(add_handler({}, {}, now).map([](const auto&) {}));
  if (!successor_) {
    if (!needed) return {};
    return add_handler(uncovered, uncovered.empty() ? Dependencies{} : dependencies_on(uncovered),
                       now)
        .map([](const auto&) {});
  }
  const Handler& successor = chain_.handlers[*successor_ - 1];
  const std::uint32_t number = *successor_;
  successor_.reset();
  if (!needed && successor.job) {
    TRY_VOID(cluster_.cancel({*successor.job, std::nullopt}));
    return record(HandlerGone{number});
  }
  if (!successor.job) return {};
  JobChange change;
  if (uncovered.empty())
    change.begin = now + until_next_look(now);
  else
    change.dependencies = dependencies_on(uncovered);
  TRY(const auto changed, cluster_.update({*successor.job, std::nullopt}, change));
  if (const auto* done = std::get_if<Changed>(&changed); done != nullptr && *done == Changed::kDone)
    return record(HandlerTurned{number, uncovered});
  // Where the site lets nobody change a job another one takes its place. Left as it is it would
  // come at once, and so would the next one, for ever.
  TRY(const auto another,
      add_handler(uncovered, uncovered.empty() ? Dependencies{} : dependencies_on(uncovered), now));
  if (!another) return {};
  TRY_VOID(cluster_.cancel({*chain_.handlers[number - 1].job, std::nullopt}));
  return record(HandlerGone{number});
}

// The longer a chain lasts, the less is new in two minutes.
Duration Advance::until_next_look(Instant now) const {
  Duration out = kLookAgain;
  if (chain_.sizing) out = std::max<Duration>(out, (now - chain_.created) / 8);
  // What is stuck should not wait much longer because the chain is old.
  if (attendance_.look_every)
    out = std::max<Duration>(*attendance_.look_every,
                             std::min<Duration>(kLooksAtLeast, (now - chain_.created) / 8));
  return out;
}

Result<void> Advance::release_all() {
  for (const Batch& batch : chain_.batches) {
    if (batch.state != BatchState::kAccepted) continue;
    if (batch.move && !batch.move->spare.empty())
      TRY_VOID(cluster_.cancel_tasks(*batch.job, shifted_down(batch.move->spare, batch.offset)));
    TRY_VOID(cluster_.release({*batch.job, std::nullopt}));
    TRY_VOID(record(BatchReleased{batch.number}));
  }
  return {};
}

Result<void> Advance::drop_handlers() {
  for (const Handler& handler : chain_.handlers) {
    if (handler.gone) continue;
    if (handler.job && handler.job != attendance_.self)
      TRY_VOID(cluster_.cancel({*handler.job, std::nullopt}));
    TRY_VOID(record(HandlerGone{handler.number}));
  }
  successor_.reset();
  // A submission that was made twice may have a twin that is held for ever, and the job of a move
  // that was given up may have arrived after all.
  for (const Batch& batch : chain_.batches) {
    const bool twice = batch.attempts >= 2 && batch.job;
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
    if (now - batch.intended < kLookFor)
      progress_.uncertain = true;
    else
      TRY_VOID(record(BatchWithdrawn{batch.number, GivenUp::kWithdrawn}));
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
