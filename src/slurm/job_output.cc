#include "slurm/job_output.h"

#include "slurm/squeue.h"
#include "slurm/table.h"

namespace sluice {
namespace {

using enum QueueField;
constexpr QueueField kAskedOfOutput[] = {kState, kStdOut, kStdErr};

}  // namespace

std::vector<std::string> job_output_command(const std::string& job) {
  return squeue_command({"--jobs=" + job, "--states=all"}, kAskedOfOutput);
}

std::optional<JobOutput> parse_job_output(std::string_view text) {
  std::optional<JobOutput> out;
  read_queue(text, kAskedOfOutput, [&](const QueueRecord& record) {
    // The task that was asked for comes alone; of an array the first will do.
    if (out) return;
    out = JobOutput{std::string(or_empty(record[kStdOut])), std::string(or_empty(record[kStdErr])),
                    record.state() != JobState::kPending};
  });
  return out;
}

}  // namespace sluice
