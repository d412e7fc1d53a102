// Lets time pass, event by event.
#include "sim/virtual_time.h"

#include <algorithm>
#include <utility>

#include "model/event.h"
#include "policy/conservative.h"

namespace sluice {

VirtualTime::VirtualTime(Engine& engine, FateOf fate_of, OnTurn on_turn)
    : engine_(engine), fate_of_(std::move(fate_of)), on_turn_(std::move(on_turn)) {}

VirtualTime::~VirtualTime() = default;

void VirtualTime::take_over(Instant now) {
  CHECK(launches_ == 0, "virtual time takes over before anything was launched in it");
  now_ = now;
  begun_ = now;
  const State& state = engine_.state();
  std::vector<std::pair<std::uint64_t, JobId>> running;
  std::vector<Input> inputs;
  state.for_each_job([&](const Job& job) {
    if (job.in_line) {
      inputs.emplace_back(RunReturned{job.id});
    } else if (holds_nodes(job.state)) {
      const Run& run = state.run_of(job);
      if (run.ending_as != JobState::kPending)
        inputs.emplace_back(RunEnded{
            job.id, job.attempt, Outcome{.state = JobState::kCancelled, .signal = 15}, {}});
      else
        running.emplace_back(run.order, job.id);
    }
  });
  std::sort(running.begin(), running.end());
  for (const auto& [order, job] : running) plan_end(job);
  inputs.emplace_back(Tick{});
  turn(inputs, now);
  take_orders();
}

// Ends are planned in the order in which runs began, as take_orders() does.
void VirtualTime::replay(const Turn& turn, Instant now) {
  now_ = now;
  for (const Event& event : turn.events) engine_.replay(event);
  on_turn_(turn);
  for (const Event& event : turn.events) {
    if (const auto* started = std::get_if<JobStarted>(&event.body))
      plan_end(started->job);
    else if (const auto* resumed = std::get_if<JobResumed>(&event.body))
      plan_end(resumed->job);
  }
}

bool VirtualTime::step() {
  finish_instant();
  const Instant next = upcoming();
  if (next == Instant::max()) return false;
  begin_instant(next);
  finish_instant();
  return true;
}

void VirtualTime::leap(Instant at) {
  CHECK(at >= now_, "virtual time runs forwards");
  now_ = at;
  begun_ = at;
  std::vector<Input> inputs = std::exchange(killed_, {});
  while (!ends_.empty() && ends_.top().at <= at) {
    const bool at_limit = ends_.top().at_limit();
    const PlannedEnd& end = take_next();
    if (!is_current(end)) continue;
    if (at_limit && is_given_more_time(end, at))
      plan_end(end.ended.job);
    else
      inputs.emplace_back(end.ended);
  }
  inputs.emplace_back(Tick{});
  turn(inputs, at);
  take_orders();
}

Reply VirtualTime::give(const Input& input, Instant now) {
  CHECK(now >= now_, "virtual time runs forwards");
  while (now_ < now) {
    finish_instant();
    const Instant next = upcoming();
    if (next >= now) break;
    begin_instant(next);
  }
  if (begun_ != now) begin_instant(now);
  turn_with_killed(input);
  Reply reply = std::move(turn_.replies.back());
  take_orders();
  return reply;
}

void VirtualTime::pass(Instant until) {
  while (true) {
    finish_instant();
    const Instant next = upcoming();
    if (next == Instant::max() || next > until) break;
    begin_instant(next);
  }
}

void VirtualTime::advance(Instant until) {
  pass(until);
  if (until == Instant::max()) return;
  if (begun_ != until && until > now_) begin_instant(until);
  // A view is made: what depends on time alone is brought up to date.
  turn_with_killed(Tick{});
  take_orders();
}

bool VirtualTime::is_current(const PlannedEnd& end) const {
  const Job* job = engine_.state().find_job(end.ended.job);
  return job != nullptr && job->attempt == end.ended.attempt && job->state == JobState::kRunning &&
         engine_.state().run_of(*job).suspended_for == end.paused;
}

// Since its end at its limit was planned.
bool VirtualTime::is_given_more_time(const PlannedEnd& end, Instant now) const {
  const State& state = engine_.state();
  return state.run_of(state.job(end.ended.job)).expected_end > now;
}

// Good until another end is planned.
const VirtualTime::PlannedEnd& VirtualTime::take_next() {
  const std::size_t slot = ends_.top().slot();
  ends_.pop();
  free_plans_.push_back(static_cast<std::uint32_t>(slot));
  return plans_[slot];
}

// Those at their limit end together, before anything else happens; under EASY within the turn of
// whatever happens first, because they bring no pass of their own before it.
void VirtualTime::begin_instant(Instant now) {
  now_ = now;
  begun_ = now;
  killed_.clear();
  while (!ends_.empty() && ends_.top().at == now && ends_.top().at_limit()) {
    const std::uint64_t rank = ends_.top().rank;
    const PlannedEnd& end = take_next();
    if (!is_current(end)) continue;
    if (is_given_more_time(end, now)) {
      plan_end(end.ended.job);
      continue;
    }
    if (killed_.empty()) first_killed_ = rank;
    killed_.emplace_back(end.ended);
  }
  if (!killed_.empty() && !joins_first_event()) end_killed();
  if (wake_at_ <= now && killed_.empty()) {
    const Input tick = Tick{};
    turn({&tick, 1}, now);
    take_orders();
  }
}

bool VirtualTime::joins_first_event() const {
  return engine_.state().policy().scheduler.type == SchedulerType::kEasy;
}

bool VirtualTime::ends_alike() const {
  return engine_.state().policy().scheduler.type == kConservativeScheduler;
}

// The other ends of this instant, in order of start.
void VirtualTime::finish_instant() {
  while (!ends_.empty() && ends_.top().at == now_) {
    // The first of those at their limit started before this one.
    if (!killed_.empty() && first_killed_ < (ends_.top().rank & ~kNotAtLimit)) end_killed();
    const PlannedEnd& end = take_next();
    if (!is_current(end)) continue;
    *std::get_if<RunEnded>(&ended_) = end.ended;
    turn_with_killed(ended_);
    take_orders();
  }
  if (!killed_.empty()) end_killed();
}

void VirtualTime::end_killed() {
  const std::vector<Input> ended = std::exchange(killed_, {});
  turn(ended, now_);
  take_orders();
}

void VirtualTime::turn_with_killed(const Input& input) {
  if (killed_.empty()) return turn({&input, 1}, now_);
  std::vector<Input> inputs = std::exchange(killed_, {});
  inputs.push_back(input);
  turn(inputs, now_);
}

void VirtualTime::turn(std::span<const Input> inputs, Instant now) {
  now_ = now;
  engine_.handle(inputs, now, turn_);
  on_turn_(turn_);
  wake_at_ = turn_.wake_at ? *turn_.wake_at : Instant::max();
}

void VirtualTime::take_orders() {
  while (true) {
    told_.clear();
    for (const Order& order : turn_.orders) {
      if (const auto* launch = std::get_if<LaunchJob>(&order)) {
        plan_end(launch->job);
      } else if (const auto* go_on = std::get_if<ContinueJob>(&order)) {
        plan_end(go_on->job);
      } else if (const auto* end = std::get_if<EndJob>(&order)) {
        told_.push_back(
            RunEnded{end->job, end->attempt, Outcome{.state = JobState::kCancelled, .signal = 15}});
      }
    }
    turn_.orders.clear();
    if (told_.empty()) return;
    const std::vector<Input> ended = std::exchange(told_, {});
    turn(ended, now_);
  }
}

void VirtualTime::plan_end(JobId id) {
  const Job& job = engine_.state().job(id);
  if (job.state != JobState::kRunning) return;
  const Run& run = engine_.state().run_of(job);
  const Fate fate = fate_of_(job);
  const Instant natural = run.started + run.suspended_for + fate.run;
  const Duration over = engine_.state().policy().over_time_limit(run.partition);
  // Where jobs may run on for ever their limit ends them here, and not in the engine.
  const Instant latest = over < kForever ? run.expected_end + over : run.expected_end;
  Due due;
  // Its limit may have been cut below what it had run, while it was suspended.
  due.at = std::max(now_, std::min(natural, latest));
  std::size_t slot = plans_.size();
  if (free_plans_.empty()) {
    plans_.emplace_back();
  } else {
    slot = free_plans_.back();
    free_plans_.pop_back();
  }
  CHECK(slot < kMostPlans && launches_ < kMostLaunches, "virtual time is full");
  const bool at_limit = natural >= latest && !ends_alike();
  due.rank = ++launches_ * kMostPlans | slot | (at_limit ? 0 : kNotAtLimit);
  PlannedEnd& end = plans_[slot];
  end.ended.job = id;
  end.ended.attempt = job.attempt;
  end.paused = run.suspended_for;
  end.ended.outcome = fate.outcome;
  if (natural > latest) end.ended.outcome = Outcome{.state = JobState::kTimeout, .signal = 15};
  ends_.push(due);
}

}  // namespace sluice
