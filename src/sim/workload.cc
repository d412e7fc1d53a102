// A trace's request in the engine's words.
#include "sim/workload.h"

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
}

}  // namespace sluice
