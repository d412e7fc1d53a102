// What the keeper is told about one run: everything decided, nothing left to look up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "host/keeper/run_key.h"
#include "host/machine/identity.h"
#include "model/allocation.h"
#include "model/job.h"
#include "model/policy.h"

namespace sluice {

// A soft limit of the submitter's shell, as RLIMIT_* number it.
struct ResourceLimit {
  std::int32_t resource = 0;
  std::uint64_t soft = 0;  // ~0: none.
  friend bool operator==(const ResourceLimit&, const ResourceLimit&) = default;
};

struct Assignment {
  RunKey run;
  Identity identity;
  std::string script;   // Its text; empty: `program` runs.
  std::string program;  // By its full path.
  std::vector<std::string> arguments;
  std::string working_directory;
  std::string stdin_path;  // Patterns are filled in; empty: nothing to read.
  std::string stdout_path;
  std::string stderr_path;  // Empty: goes where stdout goes.
  bool append = false;
  bool capture = false;  // Both outputs go to the store; the paths are empty.
  // NAME=value, each followed by a NUL.
  std::string environment;
  std::optional<std::uint32_t> umask;
  std::vector<ResourceLimit> limits;
  std::int32_t cpus = 0;       // 0: as many as it likes.
  std::int64_t memory_mb = 0;  // 0: as much as it likes.
  std::int64_t processes = 0;  // 0: as many as any run may have.
  // The node is this machine: it gets CPUs of its own where the launcher can bind it to them.
  bool own_cpus = false;
  // Device files of GPUs it may open, and those of the machine that it may not.
  std::vector<std::string> devices;
  std::vector<std::string> other_devices;
  // Run as the keeper's own user before and after; empty: none.
  std::string prolog;
  std::string epilog;
  Duration prolog_limit{0};  // 0: none.
  // How long it may run, kept by the keeper while no daemon is there. 0: for ever.
  Duration time_limit{0};
  Duration kill_wait{0};  // Between SIGTERM and SIGKILL then.
  // Bytes that captured output of this user's runs may still take; absent: not bounded.
  std::optional<std::uint64_t> output_room;
  std::string node;  // What the cluster calls the first of its nodes.
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

// The tasks of an array as submitted, for SLURM_ARRAY_TASK_COUNT, MIN, MAX and STEP.
struct ArrayFacts {
  JobId id;
  std::uint32_t task = 0;
  std::uint32_t count = 0;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  std::uint32_t step = 1;
};
// `tasks` as submitted, whatever became of them.
ArrayFacts array_facts(JobId id, std::uint32_t task, const IndexSet& tasks);

// One run as the scheduler decided it. References must outlive the call only.
struct RunFacts {
  RunKey run;
  const JobSpec& request;
  const Policy& policy;
  const Allocation& allocation;
  PartitionId partition;
  std::string_view account;  // As decided: the request may leave them to the defaults.
  std::string_view qos;
  std::optional<ArrayFacts> array;
  std::uint32_t restarts = 0;  // Times it was requeued.
  // Whether the node stands for this machine as it is, rather than for a part or a pretended one.
  bool node_is_this_machine = false;
  // What CUDA and ROCm call the GPU behind a device file ("GPU-5f0e..."), where there is one.
  const std::map<std::string, std::string>* gpu_identities = nullptr;
  std::string_view socket = {};  // Of the daemon: what is called inside the job asks this one.
  std::string_view shims = {};   // Slurm's commands over it; they come first in the job's PATH.
};

// Fills patterns, variables and limits in. The identity is the caller's to look up, once a user.
// SLURM_UMASK and SLURM_RLIMIT_NOFILE and the like in the request's environment set the job's, as
// sbatch sends them; the job does not see them.
Assignment assignment_of(const RunFacts& facts, const Identity& identity);

}  // namespace sluice
