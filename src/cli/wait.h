// Waiting for a job, and what its end means for the command that waited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/cli.h"
#include "cli/connection.h"
#include "views/rows.h"

namespace sluice {

// Until the job, or the last task of the array, has ended; a line on a terminal shows how far it
// is. False where `until` came first. An error where it can never start.
Result<bool> wait_until_ended(Connection& daemon, std::uint32_t job, std::optional<Instant> until);

// "[#####.....] 50%  5 of 10 done, 2 running, about 3m left"
std::string progress_text(const QueueLine& line, Instant now);

// Until the job, or the last task of the array, has ended; as sbatch --wait exits.
Result<ExitCode> wait_for_job(Connection& daemon, std::uint32_t job);

// The job's exit status as a shell has it: 128 and the signal where one ended it.
int exit_status(const JobCard& card);

}  // namespace sluice
