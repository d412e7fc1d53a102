#include "sim/forks/steps.h"

#include <algorithm>
#include <chrono>

#include "sim/workloads/splitmix.h"

namespace sluice {
namespace {

// Draws of roundings have nothing to do with draws of run times.
constexpr std::uint64_t kRounding = std::uint64_t{1} << 32;
// Of the time that a run ahead came before it was too much work.
constexpr int kFirstSteps = 400;
constexpr Duration kShortest = seconds(1);
constexpr Duration kLongest = minutes(std::int64_t{4} * 24 * 60);

}  // namespace

void Steps::go_on(VirtualTime& time, Instant next) const {
  if (grain_ == Duration(0)) {
    time.step();
    return;
  }
  const Duration ahead = std::max(next, time.now()) - now_;
  const Duration step = at(ahead, grain_);
  time.leap(now_ + (ahead + step - Duration(1)) / step * step);
}

Duration Steps::rounded(const State& state, const Job& job, Duration run) const {
  if (grain_ == Duration(0)) return run;
  const Duration ahead = std::max(Duration(0), state.run_of(job).started + run - now_);
  const auto step = static_cast<std::uint64_t>(at(ahead, grain_).count());
  const std::uint64_t drawn =
      splitmix(splitmix(draw_ + kRounding) ^ job.id.value() * 0x9e3779b97f4a7c15U) % step;
  return std::max(Duration(0), run - Duration(static_cast<std::int64_t>(drawn)));
}

Duration Steps::at(Duration ahead, Duration grain) {
  // With a third of them jobs that fill holes wait twice as long: what ends together leaves no
  // holes. An even number: the ends of longer steps are ends of shorter ones.
  constexpr int kSteps = 80;
  while (ahead > kSteps * grain) grain *= 2;
  return grain;
}

Duration Steps::after(Duration grain, Duration reached) {
  return std::clamp<Duration>(std::chrono::floor<std::chrono::seconds>(
                                  grain == Duration(0) ? reached / kFirstSteps : 4 * grain),
                              kShortest, kLongest);
}

bool Steps::are_longest(Duration grain) { return grain >= kLongest; }

// Measured with queues of up to 20,000 jobs. A pass plans for some hundreds of those that wait, and
// looks at all of them.
std::uint64_t Steps::work_of(const Turn& turn, const State& state) {
  const std::size_t waiting = state.pending_count();
  return 20 + 4 * turn.events.size() + std::min<std::size_t>(waiting, 1000) / 5 + waiting / 50;
}

StateSnapshot Steps::snapshot_for(const StateSnapshot& from) {
  StateSnapshot out = from;
  auto policy = std::make_shared<Policy>(*from.policy);
  policy->jobs.over_time_limit = kForever;
  for (Partition& partition : policy->partitions) partition.over_time_limit.reset();
  out.policy = std::move(policy);
  return out;
}

}  // namespace sluice
