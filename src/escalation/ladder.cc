// Says what each rung asks for, and which rung comes next.
#include "escalation/ladder.h"

#include <fmt/format.h>

#include "escalation/level_order.h"
#include "text/duration.h"
#include "text/memory.h"

namespace sluice {
namespace {

// The next level after this one of which that is true.
template <class IsMore>
std::optional<std::uint8_t> next_level(const Ladder& ladder, std::size_t after, IsMore is_more) {
  for (std::size_t i = after + 1; i < ladder.levels.size(); ++i)
    if (is_more(ladder.levels[i])) return static_cast<std::uint8_t>(i);
  return std::nullopt;
}

std::string gpu_words(const std::vector<GpuRequest>& gpus) {
  std::string out;
  for (const GpuRequest& gpu : gpus)
    out += fmt::format("{}{} {}GPU{}", out.empty() ? "" : " and ", gpu.count,
                       gpu.type.empty() ? "" : gpu.type + " ", gpu.count == 1 ? "" : "s");
  return out.empty() ? "no GPU" : out;
}

std::string kind_of(const Request& request) {
  std::vector<std::string> with;
  if (request.gpus) with.push_back(gpu_words(*request.gpus));
  if (request.cpus)
    with.push_back(fmt::format("{} CPU{}", *request.cpus, *request.cpus == 1 ? "" : "s"));
  if (request.constraint) with.push_back("constraint " + request.constraint->text);
  if (!request.qos.empty()) with.push_back("QoS " + request.qos);
  return fmt::format("{}", fmt::join(with, ", "));
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
  if (const std::string with = kind_of(request); !with.empty()) out += " with " + with;
  if (!request.partitions.empty()) out += fmt::format(" in {}", fmt::join(request.partitions, ","));
  return out;
}

std::string kind_words(const Ladder& ladder, const Request& request) {
  const std::string first = kind_of(request_of(ladder.levels.front()));
  const bool same =
      std::all_of(ladder.levels.begin(), ladder.levels.end(),
                  [&](const Level& level) { return kind_of(request_of(level)) == first; });
  return same ? "" : kind_of(request);
}

Request request_of(const Level& level) {
  return {level.partitions, level.memory, level.time,      level.qos,
          level.gpus,       level.cpus,   level.constraint};
}

Request request_at(const Ladder& ladder, const Rung& rung) {
  Request out = request_of(ladder.levels[rung.highest()]);
  out.memory = ladder.levels[rung.memory].memory;
  out.time = ladder.levels[rung.time].time;
  return out;
}

JobSpec spec_asking(const JobSpec& spec, const Request& asked) {
  JobSpec out = spec;
  if (!asked.partitions.empty()) out.partitions = asked.partitions;
  if (asked.memory) out.memory = asked.memory;
  if (asked.time) {
    out.time_limit = asked.time;
    out.no_time_limit = false;
  }
  if (!asked.qos.empty()) out.qos = asked.qos;
  if (asked.gpus) out.gpus = *asked.gpus;
  if (asked.cpus) out.cpus_per_task = asked.cpus;
  if (asked.constraint) out.constraint = *asked.constraint;
  return out;
}

std::optional<Rung> climb(const Ladder& ladder, const Rung& rung, Remedy remedy) {
  if (ladder.climb == Climb::kWholeLevel) {
    const std::size_t level = rung.highest() + 1U;
    if (level >= ladder.levels.size()) return std::nullopt;
    const auto both = static_cast<std::uint8_t>(level);
    return Rung{both, both, 0};
  }
  Rung next = rung;
  if (remedy == Remedy::kOtherGpu) {
    const Level& now = ladder.levels[rung.highest()];
    const auto other = next_level(ladder, rung.highest(), [&](const Level& level) {
      return level.gpus != now.gpus || level.constraint != now.constraint ||
             level.partitions != now.partitions;
    });
    if (!other) return std::nullopt;
    next.place = *other;
    return next;
  }
  // Levels may share a value: the next rung is the next that gives more.
  if (remedy != Remedy::kMoreTime)
    if (const auto more = next_level(ladder, rung.memory, [&](const Level& level) {
          return memory_of(level) > memory_of(ladder.levels[rung.memory]);
        }))
      next.memory = *more;
  // With more CPUs the same time may be enough.
  if (remedy != Remedy::kMoreMemory)
    if (const auto more = next_level(ladder, rung.time, [&](const Level& level) {
          const Level& now = ladder.levels[rung.time];
          return time_of(level) > time_of(now) || cpus_of(level) > cpus_of(now);
        }))
      next.time = *more;
  return next == rung ? std::nullopt : std::optional(next);
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

Rung rung_with_memory(const Ladder& ladder, std::int64_t memory_mb) {
  for (std::size_t i = 0; i < ladder.levels.size(); ++i)
    if (ladder.levels[i].memory && ladder.levels[i].memory->mb == memory_mb) {
      const auto level = static_cast<std::uint8_t>(i);
      return ladder.climb == Climb::kWholeLevel ? Rung{level, level} : Rung{level, 0};
    }
  return {};
}

}  // namespace sluice
