// What a policy gives to jobs that leave memory or CPUs open, and what a node has to give.
#pragma once

#include <cstdint>
#include <optional>

#include "model/job.h"
#include "model/policy.h"

namespace sluice {

// DefCpuPerGPU and DefMemPerGPU: the partition's, or else those of all jobs. Slurm prefers them to
// what a job without GPUs gets per CPU or node.
void give_with_gpus(const Policy& policy, PartitionId partition, JobSpec& spec);

// What a job without GPUs gets that names none: the partition's, or else that of all jobs.
std::optional<MemoryRequest> usual_memory(const Policy& policy, PartitionId partition);

// The defaults that suit a node: its CPUs share its memory, and its GPUs three quarters of it, so
// that jobs without GPUs find some beside them. 0 where it has none.
std::int64_t memory_per_cpu(const Node& node);
std::int64_t memory_per_gpu(const Node& node);

}  // namespace sluice
