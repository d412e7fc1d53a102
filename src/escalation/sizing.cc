// Needs are sorted once; what a request costs is then a sum over the few steps above it.
#include "escalation/sizing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace sluice {
namespace {

// Fewer tell little.
constexpr std::size_t kFewest = 5;
// More change nothing, and every product stays within 64 bits.
constexpr std::size_t kMost = 4096;
constexpr std::uint64_t kLongestHeld = 86'400;
// A change is worth its trouble where it saves a twentieth.
constexpr std::uint64_t kWorthPercent = 95;

// Seconds. Below a minute what disturbs a machine is more than what a task takes.
constexpr std::uint64_t kLeastTime = 60;

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Tasks differ a little from run to run, and MaxRSS is a sample: an eighth more.
std::uint64_t memory_with_room(std::int64_t max_rss_kb) {
  const auto mb = (static_cast<std::uint64_t>(std::max<std::int64_t>(0, max_rss_kb)) + 1023) / 1024;
  return rounded_up(mb + mb / 8 + 8, 8);
}

// Run times differ more: a quarter. Whole minutes where that is no great part.
std::uint64_t time_with_room(Duration elapsed) {
  const auto took = static_cast<std::uint64_t>(std::max<std::int64_t>(0, to_seconds(elapsed)));
  const std::uint64_t wanted = took + took / 4 + 1;
  return wanted >= 600 ? rounded_up(wanted, 60) : wanted;
}

bool sizes_memory(const Ladder& ladder) {
  return std::all_of(ladder.levels.begin(), ladder.levels.end(), [](const Level& level) {
    return level.memory && level.memory->per == MemoryPer::kNode && level.memory->mb > 0;
  });
}

bool sizes_time(const Ladder& ladder) {
  return std::all_of(ladder.levels.begin(), ladder.levels.end(),
                     [](const Level& level) { return level.time.has_value(); });
}

struct Needs {
  std::vector<Need> memory;
  std::vector<Need> time;
};

std::optional<Duration> elapsed(const TaskRun& run) {
  if (!run.start || !run.end || *run.end < *run.start) return std::nullopt;
  return *run.end - *run.start;
}

// One need a task, of its latest run. What ran out needs at least what it gets next.
Needs needs_of(const Chain& chain, std::span<const TaskRun> runs) {
  std::map<std::uint32_t, const TaskRun*> latest;
  for (const TaskRun& run : runs) {
    const TaskRun*& kept = latest[run.index];
    if (kept == nullptr || kept->batch < run.batch) kept = &run;
  }
  Needs out;
  for (const auto& [index, run] : latest) {
    const Request next = request_at(chain.ladder, chain.task(index).rung);
    const auto took = elapsed(*run);
    const std::uint64_t held =
        took ? std::clamp<std::uint64_t>(static_cast<std::uint64_t>(to_seconds(*took)), 1,
                                         kLongestHeld)
             : 1;
    if (run->state == JobState::kCompleted) {
      if (run->max_rss_kb) out.memory.push_back({memory_with_room(*run->max_rss_kb), held});
      if (took) out.time.push_back({time_with_room(*took), 1});
    } else if (run->state == JobState::kOutOfMemory && next.memory) {
      out.memory.push_back({static_cast<std::uint64_t>(next.memory->mb), held});
    } else if (run->state == JobState::kTimeout && next.time) {
      out.time.push_back({static_cast<std::uint64_t>(to_seconds(*next.time)), 1});
    }
  }
  // The quick ones end first: a task that still runs may need all the time it has.
  if (!out.time.empty())
    for (const Task& task : chain.tasks)
      if (task.state == TaskState::kSubmitted && task.running)
        if (const auto& asked = chain.batch(task.batch).request.time)
          out.time.push_back({static_cast<std::uint64_t>(to_seconds(*asked)), 1});
  for (std::vector<Need>* needs : {&out.memory, &out.time}) {
    if (needs->size() > kMost) {
      // Evenly over all of them, so that no part of the array counts for more.
      std::vector<Need> fewer;
      for (std::size_t i = 0; i < kMost; ++i) fewer.push_back((*needs)[i * needs->size() / kMost]);
      *needs = std::move(fewer);
    }
  }
  return out;
}

// What all but one in twenty get by with.
std::uint64_t enough_for_most(std::vector<Need> needs) {
  std::sort(needs.begin(), needs.end());
  return needs[(needs.size() - 1) * 95 / 100].amount;
}

// The better first request and not below `least`, where it is worth a change.
std::optional<std::uint64_t> better(const std::vector<Need>& needs,
                                    const std::vector<std::uint64_t>& steps,
                                    std::uint64_t asked_now, std::uint64_t least) {
  if (needs.size() < kFewest) return std::nullopt;
  auto best = best_first(needs, steps);
  if (best) best = std::min(std::max(*best, least), steps.back());
  if (!best || *best == asked_now) return std::nullopt;
  const std::uint64_t now = cost_of_all(asked_now, needs, steps);
  if (cost_of_all(*best, needs, steps) > now / 100 * kWorthPercent) return std::nullopt;
  return best;
}

std::uint8_t level_with(std::span<const std::uint64_t> values, std::uint64_t asked) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] >= asked) return static_cast<std::uint8_t>(i);
  return static_cast<std::uint8_t>(values.size() - 1);
}

std::vector<std::uint64_t> memory_by_level(const Ladder& ladder) {
  std::vector<std::uint64_t> out;
  for (const Level& level : ladder.levels)
    out.push_back(level.memory ? static_cast<std::uint64_t>(level.memory->mb) : 0);
  return out;
}

std::vector<std::uint64_t> time_by_level(const Ladder& ladder) {
  std::vector<std::uint64_t> out;
  for (const Level& level : ladder.levels)
    out.push_back(level.time ? static_cast<std::uint64_t>(to_seconds(*level.time)) : 0);
  return out;
}

std::size_t ended_once(const Chain& chain) {
  return static_cast<std::size_t>(
      std::count_if(chain.tasks.begin(), chain.tasks.end(), [](const Task& task) {
        return task.state == TaskState::kSubmitted ? task.round > 1 : task.round > 0;
      }));
}

// Its first attempt, and it was not seen running.
bool has_not_begun(const Task& task) {
  return task.state == TaskState::kSubmitted ? task.round == 1 && !task.running
                                             : task.state == TaskState::kWaiting && task.round == 0;
}

}  // namespace

std::vector<std::uint64_t> memory_steps(const Ladder& ladder) {
  auto out = memory_by_level(ladder);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::uint64_t> time_steps(const Ladder& ladder) {
  auto out = time_by_level(ladder);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::uint64_t cost_of(std::uint64_t first, std::uint64_t need,
                      std::span<const std::uint64_t> steps) {
  const Need one{need, 1};
  return cost_of_all(first, {&one, 1}, steps);
}

std::uint64_t cost_of_all(std::uint64_t first, std::span<const Need> needs,
                          std::span<const std::uint64_t> steps) {
  const auto held_above = [&](std::uint64_t amount) {
    std::uint64_t sum = 0;
    for (const Need& need : needs)
      if (need.amount > amount) sum += need.held_for;
    return sum;
  };
  std::uint64_t cost = 0;
  for (const Need& need : needs) cost += first * need.held_for;
  std::uint64_t before = first;
  for (const std::uint64_t step : steps) {
    if (step <= first) continue;
    cost += step * held_above(before);
    before = step;
  }
  return cost;
}

std::optional<std::uint64_t> best_first(std::span<const Need> needs,
                                        std::span<const std::uint64_t> steps) {
  if (needs.empty() || steps.empty()) return std::nullopt;
  std::vector<Need> sorted(needs.begin(), needs.end());
  std::sort(sorted.begin(), sorted.end());
  // held[i]: of all needs from the i-th on.
  std::vector<std::uint64_t> held(sorted.size() + 1, 0);
  for (std::size_t i = sorted.size(); i-- > 0;) held[i] = held[i + 1] + sorted[i].held_for;
  const auto held_above = [&](std::uint64_t amount) {
    const auto at =
        std::upper_bound(sorted.begin(), sorted.end(), amount,
                         [](std::uint64_t value, const Need& need) { return value < need.amount; });
    return held[static_cast<std::size_t>(at - sorted.begin())];
  };
  std::vector<std::uint64_t> candidates(steps.begin(), steps.end());
  // A task that needs nothing asks for the least that can be asked for.
  for (const Need& need : sorted)
    if (need.amount < steps.back()) candidates.push_back(std::max<std::uint64_t>(1, need.amount));
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::uint64_t best = steps.back();
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t first : candidates) {
    std::uint64_t cost = first * held[0];
    std::uint64_t before = first;
    for (const std::uint64_t step : steps) {
      if (step <= first) continue;
      cost += step * held_above(before);
      before = step;
    }
    if (cost > least) continue;
    least = cost;
    best = first;
  }
  return best;
}

SizedRequest sized_request(const Ladder& ladder, const Sizing& sizing) {
  SizedRequest out;
  out.rung = sizing.from;
  if (sizing.memory_mb)
    out.rung.memory =
        level_with(memory_by_level(ladder), static_cast<std::uint64_t>(*sizing.memory_mb));
  if (sizing.time)
    out.rung.time =
        level_with(time_by_level(ladder), static_cast<std::uint64_t>(to_seconds(*sizing.time)));
  if (ladder.climb == Climb::kWholeLevel)
    out.rung.memory = out.rung.time = std::max(out.rung.memory, out.rung.time);
  out.request = request_at(ladder, out.rung);
  if (sizing.memory_mb) out.request.memory->mb = *sizing.memory_mb;
  if (sizing.time) out.request.time = sizing.time;
  return out;
}

bool sizing_matters(const Chain& chain) {
  return chain.sizing && chain.state == ChainState::kActive &&
         std::any_of(chain.tasks.begin(), chain.tasks.end(), has_not_begun);
}

bool knows_enough_to_size(const Chain& chain) {
  return ended_once(chain) >= std::max<std::size_t>(kFewest, 2 * std::size_t{chain.sizing->tasks});
}

std::optional<Sizing> next_sizing(const Chain& chain, std::span<const TaskRun> runs) {
  if (!sizing_matters(chain) || !knows_enough_to_size(chain)) return std::nullopt;
  const Needs needs = needs_of(chain, runs);
  Sizing out = *chain.sizing;
  out.tasks = static_cast<std::uint32_t>(ended_once(chain));
  const Request now = sized_request(chain.ladder, *chain.sizing).request;
  if (sizes_memory(chain.ladder))
    if (const auto memory = better(needs.memory, memory_steps(chain.ladder),
                                   static_cast<std::uint64_t>(now.memory->mb), 0))
      out.memory_mb = static_cast<std::int64_t>(*memory);
  // Time that was asked for and not used costs nobody anything but a later start, a lost run does:
  // few are to come back for it.
  if (sizes_time(chain.ladder) && !needs.time.empty()) {
    const auto asked = static_cast<std::uint64_t>(to_seconds(*now.time));
    const std::uint64_t least = std::max(enough_for_most(needs.time), std::min(asked, kLeastTime));
    if (const auto time = better(needs.time, time_steps(chain.ladder), asked, least))
      out.time = seconds(static_cast<std::int64_t>(*time));
  }
  return out;
}

std::vector<Batch> parts_to_resize(const Chain& chain, Instant now) {
  std::map<std::uint32_t, IndexSet> waiting;
  for (const Task& task : chain.tasks)
    if (task.state == TaskState::kSubmitted && has_not_begun(task) &&
        chain.batch(task.batch).state == BatchState::kReleased && !chain.is_moving(task.index) &&
        !chain.batch(task.batch).placement)  // On another device the same time is not enough.
      waiting[task.batch].insert(task.index);
  const SizedRequest sized = sized_request(chain.ladder, *chain.sizing);
  std::vector<Batch> out;
  for (auto& [number, tasks] : waiting) {
    const Batch& batch = chain.batch(number);
    if (batch.request == sized.request) continue;
    Batch part = batch;
    part.number = static_cast<std::uint32_t>(chain.batches.size() + out.size() + 1);
    part.rung = sized.rung;
    part.request = sized.request;
    part.tasks = std::move(tasks);
    part.intended = now;
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace sluice
