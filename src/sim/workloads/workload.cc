// A trace's request in the engine's words.
#include "sim/workloads/workload.h"

namespace sluice {

JobSpec spec_of(const Workload& workload, const WorkRequest& request) {
  JobSpec spec;
  fill_spec(workload, request, spec);
  return spec;
}

void fill_spec(const Workload& workload, const WorkRequest& request, JobSpec& spec) {
  spec.user = workload.users[request.user];
  spec.account = workload.accounts[request.account];
  spec.tasks = request.cpus;
  spec.time_limit = request.limit;
  if (request.nodes > 0) spec.min_nodes = spec.max_nodes = request.nodes;
  if (request.gpus > 0) spec.gpus.push_back(GpuRequest{GpusPer::kJob, {}, request.gpus});
  if (request.memory_mb > 0) spec.memory = MemoryRequest{request.memory_per, request.memory_mb};
  if (request.qos > 0) spec.qos = workload.qos[request.qos - 1];
  if (request.partition > 0) spec.partitions = {workload.partitions[request.partition - 1]};
}

}  // namespace sluice
