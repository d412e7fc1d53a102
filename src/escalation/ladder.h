// The levels a task climbs when it runs out of memory, time or a GPU's memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "escalation/ceilings.h"
#include "escalation/remedy.h"
#include "model/job.h"

namespace sluice {

struct Level {
  std::vector<std::string> partitions;  // Empty: as the job was submitted.
  std::optional<MemoryRequest> memory;  // Nothing: the partition's default.
  std::optional<Duration> time;         // Nothing: the partition's default.
  std::string where;                    // "ladder.yaml:7", for messages.
  // Nothing, or empty: as the job was submitted.
  std::string qos = {};
  std::optional<std::vector<GpuRequest>> gpus = {};
  std::optional<std::int32_t> cpus = {};  // Of one task of the job, as --cpus-per-task.
  std::optional<Constraint> constraint = {};
  friend bool operator==(const Level&, const Level&) = default;
};

enum class Climb : std::uint8_t {
  kByCause,     // Out of memory raises memory alone, out of time raises time alone.
  kWholeLevel,  // Every failure that climbs goes to the next level.
};

// How the levels go on after the last one written, in hundredths: 200 doubles.
struct Growth {
  std::int64_t memory_percent = 200;
  std::int64_t time_percent = 200;
  friend bool operator==(const Growth&, const Growth&) = default;
};

// A task is warned before its time is over. One that then says that it made progress goes on from
// there at the same level.
struct Checkpoint {
  WarningSignal signal;
  std::string progress = "sluice: progress";  // A pattern in the stderr of a task out of time.
  std::int32_t exit_code = 85;                // Or it ends by itself with this one.
  std::uint32_t most = 100;                   // So often one task goes on.
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

struct Ladder {
  std::vector<Level> levels;  // At least one, none below the one before it.
  std::optional<Growth> growth;
  Climb climb = Climb::kByCause;
  std::optional<std::uint32_t> max_level;  // Counts from 1, as people do.
  // So often a task is run again without climbing, for lost nodes and preemption.
  std::uint32_t most_again = 10;
  Handling handling;
  std::string top;  // What keeps it from growing further: "GrpTRES of QoS x allows 4G".
  std::optional<Checkpoint> checkpoint;
  friend bool operator==(const Ladder&, const Ladder&) = default;
};

// Where a task stands: the levels its memory and its time are taken from. Everything else is that
// of the highest of the three.
struct Rung {
  std::uint8_t memory = 0;
  std::uint8_t time = 0;
  std::uint8_t place = 0;
  std::uint8_t highest() const { return std::max({memory, time, place}); }
  friend auto operator<=>(const Rung&, const Rung&) = default;
};

// What a task on this rung asks for.
struct Request {
  std::vector<std::string> partitions;
  std::optional<MemoryRequest> memory;
  std::optional<Duration> time;
  std::string qos = {};  // Empty, or nothing: as the job was submitted.
  std::optional<std::vector<GpuRequest>> gpus = {};
  std::optional<std::int32_t> cpus = {};
  std::optional<Constraint> constraint = {};
  friend bool operator==(const Request&, const Request&) = default;
};
Request request_at(const Ladder& ladder, const Rung& rung);
// What a whole level asks for.
Request request_of(const Level& level);
// The job with what the request names in place of its own.
JobSpec spec_asking(const JobSpec& spec, const Request& asked);

// The rung after this one, or nothing at the top of the ladder.
std::optional<Rung> climb(const Ladder& ladder, const Rung& rung, Remedy remedy);
// The same for a task that asked for less than its rung gives: that comes first.
std::optional<Rung> climb_from(const Ladder& ladder, const Rung& rung, const Request& asked,
                               Remedy remedy);

// The ladder that a chain keeps: what the job itself asks for fills what levels leave open, growth
// is written out as levels up to the ceilings, partitions that cannot hold a level are left out of
// it. Refuses a ladder that goes down and a level that no partition can hold.
Result<Ladder> settle_ladder(Ladder ladder, const JobSpec& spec, const Ceilings& ceilings);
// The same where levels name a QoS, GPUs, CPUs or features of their own: the ceilings of each.
using CeilingsFor = std::function<Ceilings(const JobSpec& asking)>;
Result<Ladder> settle_ladder(Ladder ladder, const JobSpec& spec, const CeilingsFor& ceilings);

// --start-mem: the first level with that much memory; the first level where none has it.
Rung rung_with_memory(const Ladder& ladder, std::int64_t memory_mb);

// "2G and 00:02:00 with 2 a100 GPUs, 8 CPUs in day,week"
std::string describe(const Request& request);
// Of that "2 a100 GPUs, 8 CPUs", where levels of the ladder differ in it; else "".
std::string kind_words(const Ladder& ladder, const Request& request);

}  // namespace sluice
