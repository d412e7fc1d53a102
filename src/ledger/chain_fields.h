// The numbered fields of ladders and requests. Rules for adding one: storage/fields.h.
#pragma once

#include "escalation/chain.h"
#include "escalation/ladder.h"
#include "storage/fields.h"
#include "storage/job_fields.h"
#include "storage/outcome_fields.h"

namespace sluice {

template <>
struct LastOf<Remedy> {
  static constexpr auto value = Remedy::kOtherGpu;
  static_assert(static_cast<int>(value) == 5, "the numbers of enumerators are for ever");
};
template <>
struct LastOf<Climb> {
  static constexpr auto value = Climb::kWholeLevel;
  static_assert(static_cast<int>(value) == 1, "the numbers of enumerators are for ever");
};

template <class Fields>
void each_field(Fields& f, Like<Level> auto& item) {
  auto& [partitions, memory, time, where, qos, gpus, cpus, constraint] = item;
  f(1, partitions);
  f(2, memory);
  f(3, time);
  f(4, where);
  f(5, qos);
  f(6, gpus);
  f(7, cpus);
  f(8, constraint);
}

template <class Fields>
void each_field(Fields& f, Like<Request> auto& item) {
  auto& [partitions, memory, time, qos, gpus, cpus, constraint] = item;
  f(1, partitions);
  f(2, memory);
  f(3, time);
  f(4, qos);
  f(5, gpus);
  f(6, cpus);
  f(7, constraint);
}

template <class Fields>
void each_field(Fields& f, Like<StderrRule> auto& item) {
  auto& [pattern, remedy] = item;
  f(1, pattern);
  f(2, remedy);
}

// One row of a table of remedies: a state, an exit code or a signal.
struct RemedyRow {
  std::int32_t what = 0;
  Remedy remedy = Remedy::kGiveUp;
};

template <class Fields>
void each_field(Fields& f, Like<RemedyRow> auto& item) {
  auto& [what, remedy] = item;
  f(1, what);
  f(2, remedy);
}

template <class Fields>
void each_field(Fields& f, Like<Rung> auto& item) {
  auto& [memory, time, place] = item;
  f(1, memory);
  f(2, time);
  f(3, place);
}

template <class Fields>
void each_field(Fields& f, Like<Sizing> auto& item) {
  auto& [from, tasks, memory_mb, time] = item;
  f(1, from);
  f(2, tasks);
  f(3, memory_mb);
  f(4, time);
}

template <class Fields>
void each_field(Fields& f, Like<Checkpoint> auto& item) {
  auto& [signal, progress, exit_code, most] = item;
  f(1, signal);
  f(2, progress);
  f(3, exit_code);
  f(4, most);
}

// Where a batch took over tasks of another job.
struct StoredMove {
  std::uint32_t from = 0;
  std::uint32_t job = 0;
  std::int64_t submitted = 0;
  std::string account;
  std::string qos;
  std::string spare;  // "3,7-9"
};

template <class Fields>
void each_field(Fields& f, Like<StoredMove> auto& item) {
  auto& [from, job, submitted, account, qos, spare] = item;
  f(1, from);
  f(2, job);
  f(3, submitted);
  f(4, account);
  f(5, qos);
  f(6, spare);
}

template <class Fields>
void each_field(Fields& f, Like<Placement> auto& item) {
  auto& [pool, shape] = item;
  f(1, pool);
  f(2, shape);
}

// What was agreed on; times as they are stored everywhere here.
struct StoredTerms {
  std::string engine;
  std::string project;
  bool attended = true;
  bool routed = false;
  bool spread = false;
  std::string device;
  std::string shape;
  std::vector<std::string> accounts;
  bool keep_back = false;
  std::optional<Duration> gpu_runtime;
  std::optional<Duration> cpu_runtime;
  bool stopped = false;
  std::optional<std::uint32_t> last_level;
  std::optional<std::int64_t> looked_around;
  std::uint32_t accounts_seen = 0;
};

template <class Fields>
void each_field(Fields& f, Like<StoredTerms> auto& item) {
  auto& [engine, project, attended, routed, spread, device, shape, accounts, keep_back, gpu_runtime,
         cpu_runtime, stopped, last_level, looked_around, accounts_seen] = item;
  f(1, engine);
  f(2, project);
  f(3, attended);
  f(4, routed);
  f(5, spread);
  f(6, device);
  f(7, shape);
  f(8, accounts);
  f(9, keep_back);
  f(10, gpu_runtime);
  f(11, cpu_runtime);
  f(12, stopped);
  f(13, last_level);
  f(14, looked_around);
  f(15, accounts_seen);
}

// A settled ladder: growth has become levels.
struct StoredLadder {
  std::vector<Level> levels;
  Climb climb = Climb::kByCause;
  std::uint32_t most_again = 0;
  std::vector<RemedyRow> states;
  std::vector<RemedyRow> exit_codes;
  std::vector<RemedyRow> signals;
  std::vector<StderrRule> stderr_rules;
  std::string top;
  Remedy gpu_memory = Remedy::kGiveUp;
  std::optional<Checkpoint> checkpoint;
};

template <class Fields>
void each_field(Fields& f, Like<StoredLadder> auto& item) {
  auto& [levels, climb, most_again, states, exit_codes, signals, stderr_rules, top, gpu_memory,
         checkpoint] = item;
  f(1, levels);
  f(2, climb);
  f(3, most_again);
  f(4, states);
  f(5, exit_codes);
  f(6, signals);
  f(7, stderr_rules);
  f(8, top);
  f(9, gpu_memory);
  f(10, checkpoint);
}

}  // namespace sluice
