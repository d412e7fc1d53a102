// A request in the terms of the policy in force: ids for names, numbers for notations.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"
#include "model/allocation.h"
#include "model/job.h"
#include "model/policy.h"
#include "state/policy_names.h"

namespace sluice {

// What a job without a time limit counts as when ends are compared: Slurm plans with a year.
inline constexpr Duration kForever = std::chrono::hours(24 * 365);

// GPUs of one type (or any) that every node, task or the whole job must have.
struct GpuNeed {
  GpusPer per = GpusPer::kNode;
  std::int32_t count = 0;
  std::string type;
  TresIndex tres{kTresGpu};
};

// What is looked at for every job comes first: with thousands of shapes in use, each line of memory
// counts.
struct Shape {
  std::shared_ptr<const JobSpec> request;
  std::uint32_t jobs = 0;  // Living jobs that refer to it.
  UserId user;
  std::optional<AssocId> assoc;
  std::optional<QosId> qos;
  Duration limit = kForever;
  bool keep = false;
  // It stands in the books of an association or a QoS.
  bool counted = true;
  // Nothing but CPUs of any nodes is asked for.
  bool only_cpus = true;
  // It is an array, held, to begin later, or waits for others.
  bool waits_for_more = false;
  bool has_licenses = false;
  bool has_priority = false;  // Of its own, in the request.
  bool wants_signal = false;  // --signal
  bool whole_memory = false;  // --mem=0
  bool exclusive = false;
  bool by_user = false;        // No other user's jobs are on its nodes.
  bool whole_sockets = false;  // It gets whole sockets, not cores.
  bool oversubscribe = false;
  bool names_nodes = false;  // --nodelist
  // How its nodes are chosen, or what each must have besides CPUs and memory, is said by the
  // request: --contiguous, --constraint with counts, --mincpus and the like.
  bool chooses_nodes = false;
  bool in_reservation = false;     // --reservation
  bool prefers = false;            // --prefer
  bool limit_by_operator = false;  // MaxTime and MaxWall do not count.
  std::int32_t tasks = 1;
  std::int32_t cpus_per_task = 1;
  std::int32_t min_nodes = 1;
  std::int32_t max_nodes = std::numeric_limits<std::int32_t>::max();
  std::int32_t tasks_per_node = 0;  // 0: any number.
  // A node with room for fewer takes no part.
  std::int32_t least_tasks_on_node = 1;
  std::int32_t least_cpus_on_node = 0;  // --mincpus: it gets as many.
  // --cpus-per-gpu: CPUs that come with the GPUs of a node; and with each GPU of the job as a
  // whole, whose tasks are then counted as these CPUs where there are more of them.
  std::int32_t cpus_with_gpus = 0;
  std::int32_t cpus_with_each_gpu = 0;
  std::int32_t threads_used = 0;    // Of each core, by --threads-per-core; 0: all.
  std::int32_t tasks_per_core = 0;  // At most; 0: any number.
  std::int32_t most_switches = 0;   // --switches; 0: any number.
  std::int64_t memory_per_node = 0;
  std::int64_t memory_per_cpu = 0;
  std::int64_t memory_per_gpu = 0;
  std::vector<PartitionId> partitions;
  std::vector<GpuNeed> gpus;
  TresVector asked;  // What it counts against limits before nodes are chosen.
};

// Names in the request must exist in the policy (admission has seen to it), or are left out.
Shape shape_of(const Policy& policy, const PolicyNames& names,
               std::shared_ptr<const JobSpec> request, UserId user);
// For callers without an index of the names.
Shape shape_of(const Policy& policy, std::shared_ptr<const JobSpec> request, UserId user);

// What a job with this allocation holds, in every dimension.
TresVector tres_of(const Policy& policy, const Shape& shape, PartitionId partition,
                   const Allocation& allocation);
// The same into `tres`, whatever was in it.
void count_tres(const Policy& policy, const Shape& shape, PartitionId partition,
                const Allocation& allocation, TresVector& tres);

}  // namespace sluice
