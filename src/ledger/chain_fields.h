// The numbered fields of ladders and requests. Rules for adding one: engine/fields.h.
#pragma once

#include "engine/fields.h"
#include "engine/job_fields.h"
#include "engine/outcome_fields.h"
#include "escalation/chain.h"
#include "escalation/ladder.h"

namespace sluice {

template <>
struct LastOf<Remedy> {
  static constexpr auto value = Remedy::kMoreOfBoth;
  static_assert(static_cast<int>(value) == 4, "the numbers of enumerators are for ever");
};
template <>
struct LastOf<Climb> {
  static constexpr auto value = Climb::kWholeLevel;
  static_assert(static_cast<int>(value) == 1, "the numbers of enumerators are for ever");
};

template <class Fields>
void each_field(Fields& f, Like<Level> auto& item) {
  auto& [partitions, memory, time, where] = item;
  f(1, partitions);
  f(2, memory);
  f(3, time);
  f(4, where);
}

template <class Fields>
void each_field(Fields& f, Like<Request> auto& item) {
  auto& [partitions, memory, time] = item;
  f(1, partitions);
  f(2, memory);
  f(3, time);
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
  auto& [memory, time] = item;
  f(1, memory);
  f(2, time);
}

template <class Fields>
void each_field(Fields& f, Like<Sizing> auto& item) {
  auto& [from, tasks, memory_mb, time] = item;
  f(1, from);
  f(2, tasks);
  f(3, memory_mb);
  f(4, time);
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

// A settled ladder: growth has become levels.
struct StoredLadder {
  std::vector<Level> levels;
  Climb climb = Climb::kByCause;
  std::uint32_t most_again = 0;
  std::vector<RemedyRow> states;
  std::vector<RemedyRow> exit_codes;
  std::vector<RemedyRow> signals;
  std::vector<StderrRule> stderr_rules;
};

template <class Fields>
void each_field(Fields& f, Like<StoredLadder> auto& item) {
  auto& [levels, climb, most_again, states, exit_codes, signals, stderr_rules] = item;
  f(1, levels);
  f(2, climb);
  f(3, most_again);
  f(4, states);
  f(5, exit_codes);
  f(6, signals);
  f(7, stderr_rules);
}

}  // namespace sluice
