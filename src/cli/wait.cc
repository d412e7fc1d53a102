#include "cli/wait.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/api_fields.h"

namespace sluice {

int exit_status(const JobCard& card) {
  if (card.line.state == JobState::kCompleted) return 0;
  if (card.exit_signal.value_or(0) != 0) return 128 + *card.exit_signal;
  return std::max(card.exit_code.value_or(1), 1);
}

// An array's worst exit status counts, as sbatch says.
Result<ExitCode> wait_for_job(Connection& daemon, std::uint32_t job) {
  TRY(const JobCard card, daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}?wait=ended", job)));
  if (!card.line.array) return static_cast<ExitCode>(exit_status(card));
  TRY(const auto rows, daemon.fetch<Lines<HistoryLine>>(fmt::format("/v1/history?job={}", job)));
  int worst = 0;
  for (const HistoryLine& row : rows.lines) {
    if (row.requeued || row.state == JobState::kCompleted) continue;
    worst =
        std::max(worst, row.exit_signal != 0 ? 128 + row.exit_signal : std::max(row.exit_code, 1));
  }
  return static_cast<ExitCode>(worst);
}

}  // namespace sluice
