// A request with a change made to it, as `scontrol update` makes it.
#pragma once

#include "model/job.h"
#include "model/job_change.h"

namespace sluice {

// The throttle is the array's and not the request's: it is left alone.
JobSpec changed_request(JobSpec asked, const JobChange& change);

}  // namespace sluice
