// One record of a job as a line of the queue.
#pragma once

#include <string>
#include <string_view>

#include "engine/engine.h"
#include "views/rows.h"

namespace sluice {

// "12", "12_3", or for the waiting tasks of an array "12_[4-9%2]".
std::string job_id_text(const State& state, const Job& job);

// Why it ended, in slurmctld's words; nothing where it has none for that end. `run` is its last.
std::string_view end_word(JobState state, const Run* run);

// Overwrites every field of `out`, whose memory is used again.
void fill_line(const Engine& engine, const Job& job, Instant now, QueueLine& out);

// Jobs that ask and wait for the same are told apart by little: whether all but kOwnFields of their
// lines is the same. Only of jobs that wait and are of no array. `others` is why the other waits.
bool is_alike(const Engine& engine, const Job& job, const Job& other, const Explanation& others);
inline constexpr std::string_view kOwnFields = "id,job,priority,limit,submitted";
// Overwrites these, in a line of a job that is alike.
void fill_own_fields(const Engine& engine, const Job& job, QueueLine& out);

std::string nodes_text(const Policy& policy, const Allocation& allocation);

// How long it has run, without the time it was suspended.
Duration elapsed_of(const Job& job, const Run& run, Instant now);

}  // namespace sluice
