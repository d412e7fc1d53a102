// Which workload to simulate, from the command line: for sim, sim compare and sim tune.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "model/policy.h"
#include "sim/workloads/workload.h"

namespace sluice {

struct WorkloadOptions {
  std::string workload;  // A file of any kind, or settings as --generate takes them.
  std::string swf;
  std::string generated;
  std::string rules;
  std::string estimates = "given";
  std::string bad_lines = "stop";
  std::size_t limit = 0;

  bool any() const { return !workload.empty() || !swf.empty() || !generated.empty(); }
};

void add_workload_options(Command& verb, const std::shared_ptr<WorkloadOptions>& options);

struct LoadedWorkload {
  Workload workload;
  std::string people;                    // How the policy's users came by the jobs.
  std::vector<std::string> unexercised;  // What of the policy no job touches.
};

// For a policy, its names and its size count. Without one, only the log's own.
Result<LoadedWorkload> load_workload(const WorkloadOptions& options,
                                     const std::shared_ptr<const Policy>& policy);

// The file, read and checked.
Result<std::shared_ptr<const Policy>> load_policy(const std::string& path);

}  // namespace sluice
