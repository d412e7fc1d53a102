// May this be submitted at all, and what do the parts left open mean?
#pragma once

#include <memory>
#include <variant>

#include "base/time.h"
#include "model/job.h"
#include "model/reason.h"
#include "state/state.h"

namespace sluice {

// The request with every default filled in: account, QoS, partitions, time limit, memory.
using Admission = std::variant<std::shared_ptr<const JobSpec>, Refusal>;

// Association lookup, allowed QoS, partition access, whether any node could ever hold it, every
// limit that refuses at submission.
Admission admit(const State& state, const JobSpec& asked, Instant now);

// Whether so many more jobs and tasks can be remembered: MaxJobCount.
bool has_room_for(const State& state, std::int64_t tasks);

// The same for a change to a job that waits: `asked` is the whole new request.
Admission admit_change(const State& state, const Job& job, const JobSpec& asked, Instant now);

}  // namespace sluice
