// What sacct remembers of jobs: one entry a job or array task, its steps folded into it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/sighting.h"

namespace sluice {

struct AccountedTask {
  JobId job;              // The array's, of a task.
  Instant submitted;      // Of its first run that is known.
  SeenTask seen;          // Its last run.
  Instant resubmitted{};  // When that run was put into the queue again, where it was requeued.
};

// These jobs with their steps and earlier runs.
std::vector<std::string> accounted_jobs_command(std::span<const JobId> jobs);
// A run that ended without a time of its end is left out: it is not over for sure. Rows that
// cannot be read, steps without their job, and text cut off in the middle are left out too. A
// number that was used again is another entry; a run that was requeued goes on in the same one.
std::vector<AccountedTask> parse_accounted_tasks(std::string_view text);

// One's own jobs since then, with the field that shows their keys: that of the newest releases, or,
// where this Slurm does not know it, of those before.
enum class SubmitLinesFrom : std::uint8_t { kNewest, kBefore };
std::vector<std::string> submit_lines_command(Instant since, SubmitLinesFrom from);
struct SubmitLine {
  RemoteJob job;
  std::string line;
};
std::vector<SubmitLine> parse_submit_lines(std::string_view text);

}  // namespace sluice
