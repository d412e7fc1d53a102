// One workload under two policies, side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "model/policy.h"
#include "sim/reports/policy_comparison.h"
#include "sim/reports/report.h"
#include "studies/workload_options.h"

namespace sluice {

struct NamedPolicy {
  std::string name;  // Of its file.
  std::shared_ptr<const Policy> policy;
};

struct ComparedRun {
  PolicyComparison comparison;
  SimulationReport before;
  SimulationReport after;
};

// The workload was loaded for `before`. Shows how far it is, and ends early with an error where the
// person who waits interrupts it. The result does not depend on the number of cores.
Result<ComparedRun> compare_runs(const LoadedWorkload& loaded, const NamedPolicy& before,
                                 const NamedPolicy& after, std::uint64_t seed);

}  // namespace sluice
