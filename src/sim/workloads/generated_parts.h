// What made-up workloads share, with a policy and without: run times, failures, arrivals.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/workloads/generated.h"
#include "sim/workloads/request_table.h"
#include "sim/workloads/splitmix.h"
#include "sim/workloads/workload.h"

namespace sluice::generated {

// Minutes people ask for.
inline constexpr std::array<std::int64_t, 14> kLimits = {5,   10,  15,  30,  60,   120,  180,
                                                         240, 360, 480, 720, 1440, 2160, 2880};
inline constexpr std::uint64_t kHabits = 6;  // Different requests of one user.

// Which draws go where, so that a change to one leaves the others alone.
enum Stream : std::uint64_t {
  kHabitStream = 1,
  kJobStream = 2,
  kArrivalStream = 3,
  kFailStream = 4,
  kEstimateStream = 5
};

// Every eighth runs into its limit; the others need from all of it down to a hundredth.
Duration draw_run(Draws& draws, Duration limit);

// The shortest of kLimits that is at least twice as long as needed, and no longer than `most`.
Duration roomy_limit(Duration run, Duration most);

// Some fail: early and by a mistake, or later for lack of memory.
void draw_failures(const GeneratorSettings& settings, Workload& workload);

// A user who always has more waiting than fits: what each of the jobs asks for, and the CPUs that
// would all be busy with them.
struct Neighbour {
  WorkRequest request;
  std::int64_t cpus = 0;
};
// Beside the jobs that are there: batches of equal jobs, over the same time, that would fill all of
// those CPUs.
void add_neighbours(const std::vector<Neighbour>& neighbours, std::int64_t span,
                    RequestTable& requests, Workload& workload);

// Submissions over so many seconds, in the hours in which people submit: a Poisson process with
// that rate, given the number of jobs.
void spread_over(std::int64_t span, const GeneratorSettings& settings, Workload& workload);

}  // namespace sluice::generated
