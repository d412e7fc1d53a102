// What Slurm's commands print about live jobs, past runs and itself, in whatever form it comes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/tres.h"
#include "slurm/assoc_records.h"
#include "slurm/held_jobs.h"
#include "slurm/job_details.h"
#include "slurm/job_output.h"
#include "slurm/listed_jobs.h"
#include "slurm/live_jobs.h"
#include "slurm/past_runs.h"
#include "slurm/policy_texts.h"
#include "slurm/run_times.h"
#include "slurm/used_runs.h"
#include "slurm/version.h"
#include "text/printed_tres.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Two commands that belong together: the second's output begins behind a byte 0.
  const std::size_t end = std::min(text.find('\0'), size);
  const std::string_view details = text.substr(std::min(end + 1, size));
  (void)parse_live_jobs(text.substr(0, end), details);
  (void)parse_listed_jobs(text);
  (void)parse_held_jobs(text, TresRegistry());
  for (const auto& [job, claims] : parse_job_claims(text))
    for (const auto& claim : claims) CHECK(!claim.empty());
  (void)gres_indices(text);
  (void)parse_job_output(text);
  (void)parse_assoc_records(text);
  (void)parse_past_runs(text);
  (void)parse_run_times(text);
  (void)parse_job_starts(text);
  (void)parse_planned_jobs(text);
  (void)parse_used_runs(text);
  (void)parse_due_shares(text);
  (void)read_printed_tres(text);
  (void)read_slurm_version(text);
  (void)identity_in(text);
  (void)switches_command(text);
  return 0;
}
