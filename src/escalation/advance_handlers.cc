// The small jobs that go on with a chain: every open batch has one that waits for it.
#include <fmt/format.h>

#include <algorithm>

#include "escalation/advance.h"
#include "escalation/sizing.h"
#include "escalation/submit_limit.h"

namespace sluice {
namespace {

constexpr Duration kLookAgain = minutes(2);
constexpr Duration kLooksAtLeast = minutes(60);

}  // namespace

bool Advance::anything_waits() const {
  return std::any_of(chain_.tasks.begin(), chain_.tasks.end(), [&](const Task& task) {
    return task.state == TaskState::kWaiting && !chain_.is_stopped(task);
  });
}

bool Advance::worth_a_look() const {
  if (sizing_matters(chain_)) return true;
  return attendance_.look_every &&
         std::any_of(chain_.tasks.begin(), chain_.tasks.end(), [](const Task& task) {
           return task.state == TaskState::kSubmitted && !task.running;
         });
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
    if (is_submit_limit(declined->refusal)) {
      TRY_VOID(attend_without_room(chain_.handlers[number - 1].batches));
      return std::nullopt;
    }
    return tl::unexpected<Error>(
        Error{ErrorKind::kNotAllowed,
              fmt::format("the cluster refuses the job that continues the chain ({})",
                          declined->refusal.message),
              {},
              fmt::format("nothing more was released; continue by hand with: sluice resume {}",
                          chain_.id)});
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
      "no room for the job that continues the chain; later: sluice resume {}", chain_.id));
  for (const std::uint32_t number : batches) {
    const Batch& batch = chain_.batch(number);
    // Recorded first: seen cancelled, its tasks would count as ended by a user.
    if (batch.state == BatchState::kAccepted)
      TRY_VOID(record(BatchWithdrawn{number, GivenUp::kNo, {}}));
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
  // Nothing more happens to a chain that its user has stopped.
  const bool idle = !any_open && !anything_waits() && !chain_.is_under_way();
  const bool comes_later =
      !idle && (!any_open || progress_.waits_for_room || worth_a_look()) && !stands_by;
  const bool needed = !uncovered.empty() || comes_later;
  // Sizes are learnt, and accounts fill up, while an array is under way: other commands look then.
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
  // Where the site allows no change of a job another one takes its place. Left as it is it would
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

Result<void> Advance::drop_handlers() {
  for (const Handler& handler : chain_.handlers) {
    if (handler.gone) continue;
    if (handler.job && handler.job != attendance_.self)
      TRY_VOID(cluster_.cancel({*handler.job, std::nullopt}));
    TRY_VOID(record(HandlerGone{handler.number}));
  }
  successor_.reset();
  return clear_twins();
}

}  // namespace sluice
