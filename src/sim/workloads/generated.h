// Made-up workloads: as many jobs as one wants, the same on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "model/policy.h"
#include "sim/workloads/workload.h"

namespace sluice {

// How sizes and run times are drawn.
enum class WorkModel : std::uint8_t { kHabits, kLublin };

struct GeneratorSettings {
  std::int64_t jobs = 10'000;
  std::int64_t users = 0;     // 0: 100, or as many as the policy has.
  std::int64_t accounts = 0;  // 0: one for every ten users, or those of the policy.
  std::int64_t cpus = 0;      // 0: 1024, or those of the policy.
  // Work that arrives over what the machine could do meanwhile. 0: 900, or 700 for a policy.
  std::int64_t load_permille = 0;
  std::int64_t gpu_permille = 500;  // Requests that ask for GPUs, where the policy has GPUs.
  std::int64_t fail_permille = 0;   // Jobs that fail before they have done their work.
  std::int64_t neighbours = 0;      // People who always have more waiting than can run.
  WorkModel model = WorkModel::kHabits;
  bool daily = true;  // Submissions follow the hours of the day; else every hour is like any other.
  std::uint64_t seed = 1;
};

// "jobs=100000,seed=1,load=0.9,model=lublin,gpus=0.5,fail=0.02", in any order; what is left out
// stays.
Result<GeneratorSettings> parse_generator(std::string_view text);

// After Lublin and Feitelson's findings: submissions follow the hours of the day, few users submit
// most jobs and each asks for the same few things over and over, sizes are powers of two and log
// uniform like the run times, limits are round and mostly far too long, some are too short. Made
// of integer operations on counted draws alone.
Workload generate(const GeneratorSettings& settings);

// For a policy: submitted by its users under the accounts, QoS and partitions they may use, with
// GPUs and memory where its nodes have them. Each request would start on the empty cluster, and the
// busiest resource of any partition has the load that was asked for. An error where no user may
// start anything.
Result<Workload> generate_for(const GeneratorSettings& settings,
                              std::shared_ptr<const Policy> policy);

}  // namespace sluice
