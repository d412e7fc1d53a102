// A chain on a busy cluster in virtual time: tasks that need more memory or time than they asked
// for climb the ladder, several accounts fill up, others' jobs are in the way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "escalation/chain.h"
#include "escalation/ladder.h"
#include "model/policy.h"
#include "sim/workloads/workload.h"

namespace sluice {

// What tasks really take, which is not known beforehand. Between the bounds every doubling is as
// likely as any other.
struct NeedsModel {
  std::int64_t least_memory_mb = 512;
  std::int64_t most_memory_mb = 4096;
  Duration shortest = minutes(5);
  Duration longest = minutes(60);
  std::int64_t fail_permille = 0;  // Tasks with a mistake in them, which no retry helps.
  std::uint64_t seed = 1;
};

// "mem=500M..6G,run=5m..2h,fail=0.01,seed=1", in any order; one value instead of two: all alike.
Result<NeedsModel> parse_needs(std::string_view text);

// Of one task.
struct TrueNeeds {
  std::int64_t memory_mb = 0;
  Duration run{0};
  bool fails = false;
};
TrueNeeds needs_of_task(const NeedsModel& model, std::uint32_t index);

struct ChainStudy {
  std::shared_ptr<const Policy> policy;
  std::string user;
  JobSpec spec;  // Of one task, as it is asked for first.
  std::optional<ArraySpec> array;
  Ladder ladder;                      // As a file says it, or with growth alone.
  std::vector<std::string> accounts;  // Several: tasks go to whichever has room.
  NeedsModel needs;
  const Workload* others = nullptr;  // Jobs of other people; null: none.
  Duration begin{0};                 // After the first of those jobs.
};

// What was asked for together, and how the runs went.
struct ChainLevelRow {
  std::string asks;  // "2G and 01:00:00"
  std::int64_t memory_mb = 0;
  std::size_t runs = 0;
  std::size_t completed = 0;
  std::size_t out_of_memory = 0;
  std::size_t out_of_time = 0;
  std::size_t failed = 0;
  std::size_t other = 0;    // Preempted, or lost.
  double wait_seconds = 0;  // The mean, from the submission of the round.
  double cpu_hours = 0;
  double lost_cpu_hours = 0;  // Of these, in runs that did not complete.
  double memory_hours = 0;    // Gigabytes asked for, times hours.
};

struct ChainPoolRow {
  std::string pool;
  std::size_t runs = 0;
  std::size_t completed = 0;
  double cpu_hours = 0;
};

struct ChainStudyReport {
  std::size_t tasks = 0;
  std::size_t completed = 0;
  std::size_t unfinished = 0;  // Neither completed nor given up when nothing happened any more.
  std::vector<std::pair<std::string, std::size_t>> given_up;  // Why, and how many.
  std::uint32_t rounds = 0;
  std::optional<Duration> done;    // From its submission to its end; nothing: never.
  double needed_memory_hours = 0;  // Of the runs that completed, what they really took.
  std::vector<ChainLevelRow> levels;
  std::vector<ChainPoolRow> pools;
  std::vector<std::string> ladder;  // In words, level by level.
  std::string ladder_top;
  std::size_t others = 0;  // Their jobs that were submitted by then.
  std::size_t others_refused = 0;
};

// Errors: the ladder does not fit the policy, or the cluster refuses the chain.
Result<ChainStudyReport> study_chain(const ChainStudy& study);

// The same where every task asks for the top of the ladder at once: what the ladder is held
// against.
Result<ChainStudyReport> study_top_alone(const ChainStudy& study);

// The first user of the policy who may use all of these accounts, of whichever may use any.
std::string first_user_of(const Policy& policy, const std::vector<std::string>& accounts);

std::string chain_study_text(const ChainStudy& study, const ChainStudyReport& report,
                             const std::optional<ChainStudyReport>& top);
std::string chain_study_json(const ChainStudyReport& report,
                             const std::optional<ChainStudyReport>& top);

}  // namespace sluice
