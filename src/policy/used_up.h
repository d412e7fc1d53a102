// Running jobs whose limit on time used up has been reached, as slurmctld looks at them.
#pragma once

#include <optional>

#include "model/reason.h"
#include "state/state.h"

namespace sluice {

// Whether any limit of the policy can end a running job: GrpTRESMins, GrpWall or MaxTRESMinsPerJob,
// without `safe`, which does not let a job start that could get there.
bool ends_what_is_used_up(const Policy& policy);

// Which limit ends the job now, if any. A job that holds none of what was used up goes on.
std::optional<Reason> used_up(const State& state, const Job& job, Instant now);

}  // namespace sluice
