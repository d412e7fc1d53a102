// Reasons in words and numbers.
#pragma once

#include <string>

#include "base/time.h"
#include "engine/engine.h"
#include "model/reason.h"

namespace sluice {

// An amount of what the reason counts: "4", "16G", "1-00:00:00".
std::string amount_text(const Reason& reason, std::int64_t amount);
// What one unit of it is called: "gres/gpu", "jobs", "" for times and sizes.
std::string unit_text(const Policy& policy, const Reason& reason);

// "GrpTRES gres/gpu of qos interactive: limit 4, used 3, asked 2"; "" where no limit is the reason.
std::string limit_numbers(const Policy& policy, const Reason& reason);

// The same, or "begins in 2h30m" and the like; "" where the word says it all.
std::string reason_detail(const Engine& engine, const Job& job, const Explanation& why,
                          Instant now);

// "2h30m": how long it is until then, at least a second.
std::string time_until(Instant time, Instant now);
// "reservation night begins in 2h and ends in 4h": which one keeps nodes from the job.
std::string reservation_in_the_way(const State& state, const Reason& reason, Instant now);

}  // namespace sluice
