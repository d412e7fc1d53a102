// Checks levels, writes growth out, and says what each rung asks for.
#include "escalation/ladder.h"

#include <fmt/format.h>

#include <algorithm>

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

std::int64_t memory_of(const Level& level) { return level.memory ? level.memory->mb : 0; }
Duration time_of(const Level& level) { return level.time.value_or(Duration(0)); }

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

std::string shown(const Level& level) { return describe(Request{{}, level.memory, level.time}); }

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
    if (memory_of(level) == memory_of(before) && time_of(level) == time_of(before))
      return bad_level(level, i, "gives no more than the one before it",
                       "raise mem or time, or remove the level");
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
  if (ceilings.memory_mb && memory > *ceilings.memory_mb)
    return bad_level(level, number,
                     fmt::format("asks for {}; {} allows {}", shown(level), ceilings.holder,
                                 format_memory_mb(*ceilings.memory_mb)),
                     "lower its mem, or end the ladder before it with --max-level");
  if (ceilings.time && time > *ceilings.time)
    return bad_level(level, number,
                     fmt::format("asks for {}; {} allows {}", shown(level), ceilings.holder,
                                 format_duration(*ceilings.time)),
                     "lower its time, or end the ladder before it with --max-level");
  std::vector<std::string> fitting;
  std::string why;
  for (const std::string& name : named) {
    const PartitionCeiling* partition = ceilings.find(name);
    if (partition == nullptr)
      return bad_level(level, number,
                       fmt::format("names the partition '{}', which is not there", name),
                       "sinfo lists the partitions");
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
      time_limit = !partition.time
                       ? "no limit on time is set, and growth ends there"
                       : fmt::format("{} allows {}",
                                     partition.time_limit.empty() ? "partition " + partition.name
                                                                  : partition.time_limit,
                                     format_duration(*partition.time));
    }
  }
  if (ceilings.memory_mb) most_memory = std::min(most_memory, *ceilings.memory_mb);
  if (ceilings.partitions.empty()) {
    most_memory = kMostMemoryMb;
    most_time = longest;
  }
  if (ceilings.time) most_time = std::min(most_time, *ceilings.time);
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

}  // namespace

std::string describe(const Request& request) {
  std::string out;
  if (request.memory)
    out = format_memory_mb(request.memory->mb) +
          (request.memory->per == MemoryPer::kCpu   ? " per CPU"
           : request.memory->per == MemoryPer::kGpu ? " per GPU"
                                                    : "");
  if (request.time) out += (out.empty() ? "" : " and ") + format_duration(*request.time);
  if (out.empty()) out = "the partition's defaults";
  if (!request.partitions.empty()) out += fmt::format(" in {}", fmt::join(request.partitions, ","));
  return out;
}

Request request_at(const Ladder& ladder, const Rung& rung) {
  const Level& higher = ladder.levels[std::max(rung.memory, rung.time)];
  return {higher.partitions, ladder.levels[rung.memory].memory, ladder.levels[rung.time].time};
}

std::optional<Rung> climb(const Ladder& ladder, const Rung& rung, Remedy remedy) {
  const bool whole = ladder.climb == Climb::kWholeLevel;
  const bool memory = whole || remedy != Remedy::kMoreTime;
  const bool time = whole || remedy != Remedy::kMoreMemory;
  Rung next = rung;
  // Levels may share a value: the next rung is the next that gives more.
  const std::size_t levels = ladder.levels.size();
  bool more = false;
  if (whole) {
    const std::size_t level = std::max<std::size_t>(rung.memory, rung.time) + 1;
    if (level >= levels) return std::nullopt;
    return Rung{static_cast<std::uint8_t>(level), static_cast<std::uint8_t>(level)};
  }
  for (std::size_t i = rung.memory + 1U; memory && i < levels; ++i)
    if (memory_of(ladder.levels[i]) > memory_of(ladder.levels[rung.memory])) {
      next.memory = static_cast<std::uint8_t>(i);
      more = true;
      break;
    }
  for (std::size_t i = rung.time + 1U; time && i < levels; ++i)
    if (time_of(ladder.levels[i]) > time_of(ladder.levels[rung.time])) {
      next.time = static_cast<std::uint8_t>(i);
      more = true;
      break;
    }
  return more ? std::optional(next) : std::nullopt;
}

std::optional<Rung> climb_from(const Ladder& ladder, const Rung& rung, const Request& asked,
                               Remedy remedy) {
  const Request full = request_at(ladder, rung);
  const bool less_memory = asked.memory && full.memory && asked.memory->mb < full.memory->mb;
  const bool less_time = asked.time && full.time && *asked.time < *full.time;
  if (ladder.climb == Climb::kWholeLevel)
    return less_memory || less_time ? std::optional(rung) : climb(ladder, rung, remedy);
  const bool memory = remedy == Remedy::kMoreMemory || remedy == Remedy::kMoreOfBoth;
  const bool time = remedy == Remedy::kMoreTime || remedy == Remedy::kMoreOfBoth;
  if (!(memory && less_memory) && !(time && less_time)) return climb(ladder, rung, remedy);
  // What was not cut climbs, as far as it can.
  Rung next = rung;
  if (memory && !less_memory) next = climb(ladder, next, Remedy::kMoreMemory).value_or(next);
  if (time && !less_time) next = climb(ladder, next, Remedy::kMoreTime).value_or(next);
  return next;
}

Result<Ladder> settle_ladder(Ladder ladder, const JobSpec& spec, const Ceilings& ceilings) {
  if (ladder.levels.empty()) ladder.levels.emplace_back();
  for (std::size_t i = 0; i < ladder.levels.size(); ++i) {
    Level& level = ladder.levels[i];
    const Level* before = i == 0 ? nullptr : &ladder.levels[i - 1];
    // What a level does not say stays as it was before it.
    if (!level.memory) level.memory = before != nullptr ? before->memory : spec.memory;
    if (!level.time) level.time = before != nullptr ? before->time : spec.time_limit;
    if (level.partitions.empty())
      level.partitions = before != nullptr ? before->partitions : spec.partitions;
    if (before != nullptr && level.memory && before->memory &&
        level.memory->per != before->memory->per)
      return bad_level(level, i, "counts its memory per node, unlike the job",
                       "submit with --mem instead of --mem-per-cpu");
  }
  if (ladder.max_level && *ladder.max_level < ladder.levels.size())
    ladder.levels.resize(std::max<std::uint32_t>(1, *ladder.max_level));
  grow(ladder, spec, ceilings);
  TRY_VOID(check_order(ladder));
  for (std::size_t i = 0; i < ladder.levels.size(); ++i)
    TRY_VOID(keep_what_fits(ladder.levels[i], i, spec, ceilings));
  return ladder;
}

Rung rung_with_memory(const Ladder& ladder, std::int64_t memory_mb) {
  for (std::size_t i = 0; i < ladder.levels.size(); ++i)
    if (memory_of(ladder.levels[i]) == memory_mb) {
      const auto level = static_cast<std::uint8_t>(i);
      return ladder.climb == Climb::kWholeLevel ? Rung{level, level} : Rung{level, 0};
    }
  return {};
}

}  // namespace sluice
