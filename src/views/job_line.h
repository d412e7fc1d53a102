// One record of a job as a line of the queue.
#pragma once

#include <string>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

// "12", "12_3", or for the waiting tasks of an array "12_[4-9%2]".
std::string job_id_text(const State& state, const Job& job);

// Overwrites every field of `out`, whose memory is used again.
void fill_line(const Engine& engine, const Job& job, Instant now, QueueLine& out);

std::string nodes_text(const Policy& policy, const Allocation& allocation);

// How long it has run, without the time it was suspended.
Duration elapsed_of(const Job& job, const Run& run, Instant now);

}  // namespace sluice
