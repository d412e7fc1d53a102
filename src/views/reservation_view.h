// The reservations, and what they mean to a job that waits.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

std::vector<ReservationLine> reservation_lines(const State& state, Instant now);

}  // namespace sluice
