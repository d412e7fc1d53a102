// Checks levels, fills in what they leave open, and writes growth out.
#include <fmt/format.h>

#include <algorithm>

#include "escalation/ladder.h"
#include "escalation/level_order.h"
#include "text/duration.h"
#include "text/memory.h"

namespace sluice {
namespace {

// Doubling from a megabyte passes any machine's memory long before this.
constexpr std::size_t kMostLevels = 40;
// Where nothing limits time, doubling ends here: no task is left to run for years.
constexpr Duration kLongestGrown = std::chrono::hours(24 * 28);

tl::unexpected<Error> bad_level(const Level& level, std::size_t number, std::string what,
                                std::string hint) {
  Error error{ErrorKind::kBadInput, fmt::format("level {} {}", number + 1, what), level.where,
              std::move(hint)};
  return tl::unexpected<Error>(std::move(error));
}

// What one node must have for it; per CPU and per GPU it depends on what else is asked for.
std::int64_t memory_per_node(const std::optional<MemoryRequest>& memory, const JobSpec& spec) {
  if (!memory) return 0;
  if (memory->per == MemoryPer::kCpu)
    return memory->mb * std::max<std::int64_t>(1, spec.cpus_per_task.value_or(1));
  return memory->mb;
}

bool holds(const PartitionCeiling& partition, std::int64_t memory, Duration time) {
  return memory <= partition.memory_mb && (!partition.time || time <= *partition.time);
}

std::string shown(const Level& level) {
  Request request = request_of(level);
  request.partitions.clear();
  return describe(request);
}

// Something that neither memory nor time say. Other partitions have other GPUs.
bool differs_in_kind(const Level& a, const Level& b) {
  return a.qos != b.qos || a.gpus != b.gpus || a.cpus != b.cpus || a.constraint != b.constraint ||
         (a.gpus && !a.gpus->empty() && a.partitions != b.partitions);
}

Result<void> check_order(const Ladder& ladder) {
  for (std::size_t i = 1; i < ladder.levels.size(); ++i) {
    const Level& before = ladder.levels[i - 1];
    const Level& level = ladder.levels[i];
    if (memory_of(level) < memory_of(before))
      return bad_level(
          level, i,
          fmt::format("asks for {}, less than the {} before it", shown(level), shown(before)),
          "a ladder goes up: order the levels by memory");
    if (time_of(level) < time_of(before))
      return bad_level(
          level, i,
          fmt::format("ends after {}, sooner than the {} before it",
                      format_duration(time_of(level)), format_duration(time_of(before))),
          "a ladder goes up: order the levels by time");
    if (memory_of(level) == memory_of(before) && time_of(level) == time_of(before) &&
        !differs_in_kind(level, before))
      return bad_level(level, i, "gives no more than the one before it",
                       "raise mem, time or cpus, name other gpus, or remove the level");
  }
  return {};
}

// Keeps the partitions that can hold the level; says which limit is in the way where none can.
Result<void> keep_what_fits(Level& level, std::size_t number, const JobSpec& spec,
                            const Ceilings& ceilings) {
  if (ceilings.partitions.empty()) return {};
  std::vector<std::string> named = level.partitions;
  if (named.empty() && !ceilings.default_partition.empty())
    named.push_back(ceilings.default_partition);
  const std::int64_t memory = memory_per_node(level.memory, spec);
  const Duration time = time_of(level);
  std::vector<std::string> fitting;
  std::string why;
  for (const std::string& name : named) {
    const PartitionCeiling* partition = ceilings.find(name);
    if (partition == nullptr) {
      std::vector<std::string_view> there;
      for (const PartitionCeiling& one : ceilings.partitions) there.push_back(one.name);
      return bad_level(level, number,
                       fmt::format("names the partition '{}', which is not there", name),
                       fmt::format("the partitions are: {}", fmt::join(there, ", ")));
    }
    if (!partition->never.empty()) {
      why += fmt::format("{}{}: {}", why.empty() ? "" : ", ", name, partition->never);
      continue;
    }
    if (holds(*partition, memory, time)) {
      fitting.push_back(name);
      continue;
    }
    const auto by = [](const std::string& limit) {
      return limit.empty() ? std::string() : " (" + limit + ")";
    };
    why += fmt::format("{}{} has {}{} and {}{}", why.empty() ? "" : ", ", name,
                       format_memory_mb(partition->memory_mb), by(partition->memory_limit),
                       partition->time ? format_duration(*partition->time) : "no time limit",
                       by(partition->time_limit));
  }
  if (fitting.empty())
    return bad_level(level, number,
                     fmt::format("fits no partition: it asks for {}; {}", shown(level), why),
                     "name a larger partition, or end the ladder before it with --max-level");
  if (!level.partitions.empty()) level.partitions = std::move(fitting);
  return {};
}

std::int64_t grown(std::int64_t value, std::int64_t percent, std::int64_t most) {
  if (value > most / percent * 100) return std::max(value, most);
  return std::min(std::max(value, most), value * percent / 100);
}

// Levels after the last one, until the largest partition has no more to give.
void grow(Ladder& ladder, const JobSpec& spec, const Ceilings& ceilings) {
  if (!ladder.growth) return;
  const Level& base = ladder.levels.back();
  std::int64_t most_memory = 0;
  Duration most_time(0);
  std::string memory_limit;
  std::string time_limit;
  const Duration longest = std::max(kLongestGrown, time_of(base));
  for (const PartitionCeiling& partition : ceilings.partitions) {
    const bool named = base.partitions.empty()
                           ? partition.name == ceilings.default_partition
                           : std::find(base.partitions.begin(), base.partitions.end(),
                                       partition.name) != base.partitions.end();
    if (!named) continue;
    if (partition.memory_mb > most_memory) {
      most_memory = partition.memory_mb;
      memory_limit =
          fmt::format("{} allows {}",
                      partition.memory_limit.empty() ? "the largest node of " + partition.name
                                                     : partition.memory_limit,
                      format_memory_mb(partition.memory_mb));
    }
    if (const Duration time = partition.time.value_or(longest); time > most_time) {
      most_time = time;
      time_limit =
          !base.time ? ""
          : !partition.time
              ? fmt::format("no limit on time is set, and it grows to {}", format_duration(longest))
              : fmt::format("{} allows {}",
                            partition.time_limit.empty() ? "partition " + partition.name
                                                         : partition.time_limit,
                            format_duration(*partition.time));
    }
  }
  if (ceilings.partitions.empty()) {
    most_memory = kMostMemoryMb;
    most_time = longest;
  }
  const std::int64_t scale = base.memory && base.memory->per == MemoryPer::kCpu
                                 ? std::max<std::int64_t>(1, spec.cpus_per_task.value_or(1))
                                 : 1;
  const std::size_t last =
      std::min<std::size_t>(kMostLevels, ladder.max_level.value_or(kMostLevels));
  while (ladder.levels.size() < last) {
    Level level = ladder.levels.back();
    if (level.memory && level.memory->mb > 0)
      level.memory->mb =
          grown(level.memory->mb, ladder.growth->memory_percent, most_memory / scale);
    if (level.time)
      level.time =
          Duration(grown(level.time->count(), ladder.growth->time_percent, most_time.count()));
    if (level.memory == ladder.levels.back().memory && level.time == ladder.levels.back().time)
      break;
    ladder.levels.push_back(std::move(level));
  }
  ladder.growth.reset();
  if (ladder.max_level && ladder.levels.size() >= last) {
    ladder.top = fmt::format("--max-level {}", *ladder.max_level);
    return;
  }
  ladder.top = memory_limit + (memory_limit.empty() || time_limit.empty() ? "" : "; ") + time_limit;
}

// What the job asks for itself.
Level level_of(const JobSpec& spec) {
  Level out;
  out.partitions = spec.partitions;
  out.memory = spec.memory;
  out.time = spec.time_limit;
  out.qos = spec.qos;
  if (!spec.gpus.empty()) out.gpus = spec.gpus;
  out.cpus = spec.cpus_per_task;
  if (!spec.constraint.text.empty()) out.constraint = spec.constraint;
  return out;
}

// What a level does not say stays as it was before it.
void fill_in(Level& level, const Level& before) {
  if (!level.memory) level.memory = before.memory;
  if (!level.time) level.time = before.time;
  if (level.partitions.empty()) level.partitions = before.partitions;
  if (level.qos.empty()) level.qos = before.qos;
  if (!level.gpus) level.gpus = before.gpus;
  if (!level.cpus) level.cpus = before.cpus;
  if (!level.constraint) level.constraint = before.constraint;
}

// A warning before the beginning would come at once.
Result<void> check_checkpoint(const Ladder& ladder) {
  if (!ladder.checkpoint) return {};
  for (std::size_t i = 0; i < ladder.levels.size(); ++i)
    if (const auto& time = ladder.levels[i].time;
        time && *time <= ladder.checkpoint->signal.before_end)
      return bad_level(
          ladder.levels[i], i,
          fmt::format("ends after {}, and checkpoint.before is {}", format_duration(*time),
                      format_duration(ladder.checkpoint->signal.before_end)),
          "a warning comes before the end: lower before, or raise the level's time");
  return {};
}

}  // namespace

Result<Ladder> settle_ladder(Ladder ladder, const JobSpec& spec, const Ceilings& ceilings) {
  return settle_ladder(std::move(ladder), spec,
                       [&](const JobSpec& /*asking*/) { return ceilings; });
}

Result<Ladder> settle_ladder(Ladder ladder, const JobSpec& spec, const CeilingsFor& ceilings_for) {
  if (ladder.levels.empty()) ladder.levels.emplace_back();
  for (std::size_t i = 0; i < ladder.levels.size(); ++i) {
    Level& level = ladder.levels[i];
    fill_in(level, i == 0 ? level_of(spec) : ladder.levels[i - 1]);
    if (level.memory && i > 0 && ladder.levels[i - 1].memory &&
        level.memory->per != ladder.levels[i - 1].memory->per)
      return bad_level(level, i, "counts its memory per node, unlike the job",
                       "submit with --mem instead of --mem-per-cpu");
  }
  if (ladder.max_level && *ladder.max_level < ladder.levels.size())
    ladder.levels.resize(std::max<std::uint32_t>(1, *ladder.max_level));
  const auto asking = [&](const Level& level) { return spec_asking(spec, request_of(level)); };
  if (ladder.growth) {
    const JobSpec last = asking(ladder.levels.back());
    grow(ladder, last, ceilings_for(last));
  }
  TRY_VOID(check_order(ladder));
  TRY_VOID(check_checkpoint(ladder));
  std::optional<Ceilings> ceilings;
  for (std::size_t i = 0; i < ladder.levels.size(); ++i) {
    Level& level = ladder.levels[i];
    // Levels that differ in memory and time alone have the same ceilings.
    if (!ceilings || differs_in_kind(level, ladder.levels[i - 1]))
      ceilings = ceilings_for(asking(level));
    TRY_VOID(keep_what_fits(level, i, asking(level), *ceilings));
  }
  return ladder;
}

}  // namespace sluice
