#include "cli/job_status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/connection.h"
#include "cli/job_ends.h"
#include "cli/local_time.h"
#include "cli/wait.h"
#include "text/array_spec.h"
#include "text/duration.h"
#include "text/job_reference.h"
#include "text/printable.h"
#include "wire/api_fields.h"
#include "wire/http.h"

namespace sluice {
namespace {

std::string why_text(const QueueLine& line) {
  if (line.waiting == 0 || line.reason.empty()) return {};
  return fmt::format("  waits for {}{}\n", line.reason,
                     line.detail.empty() ? "" : fmt::format(" ({})", line.detail));
}

std::string of_array(const QueueLine& line, const JobEnds& ends, Instant now) {
  QueueLine shown = line;
  // What the daemon has forgotten is in the history.
  shown.done = std::max(shown.done, static_cast<std::int64_t>(ends.tasks.size()));
  shown.tasks = std::max(shown.tasks, shown.done + shown.running + shown.waiting);
  std::string out = fmt::format("array {}  {}\n  {}\n", ends.job, printable(line.name),
                                progress_text(shown, now));
  if (!ends.tasks.empty()) out += fmt::format("  ended: {}\n", ends.counts());
  out += why_text(line);
  const IndexSet failed = ends.failed();
  if (failed.size() == 0) return out;
  out += fmt::format("  not completed: {}\n", compress_indices(failed));
  out += fmt::format("  their output:   sluice logs {} --failed\n", ends.job);
  out += fmt::format("  run them again: sluice rerun {} --failed\n", ends.job);
  return out;
}

std::string of_job(const JobCard& card) {
  const QueueLine& line = card.line;
  std::string out =
      fmt::format("job {}  {}\n  {}", line.id, printable(line.name), slurm_name(line.state));
  if (line.started)
    out += fmt::format("{} {}{}{}", has_ended(line.state) ? ", ran" : " for",
                       format_short_duration(line.elapsed),
                       line.limit ? " of " + format_short_duration(*line.limit) : "",
                       line.nodes.empty() ? "" : " on " + line.nodes);
  out += "\n" + why_text(line);
  if (card.failure) out += fmt::format("  {}\n", printable(*card.failure));
  if (has_ended(line.state) && exit_status(card) != 0)
    out +=
        fmt::format("  exit status {}; its output: sluice logs {}\n", exit_status(card), line.id);
  return out;
}

}  // namespace

Result<ExitCode> show_job_status(const JobStatusOptions& options) {
  TRY(const JobReference reference, parse_job_reference(options.job));
  TRY(Connection daemon, Connection::open());
  if (options.watch) daemon.wait_through_restarts();
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  for (;;) {
    TRY(const std::string body, daemon.get("/v1/jobs/" + percent_encoded(options.job)));
    TRY(const JobCard card, from_json<JobCard>(body));
    const bool is_array = card.line.array && !reference.tasks;
    JobEnds ends;
    if (is_array) {
      TRY(ends, ends_of(daemon, reference.job.value()));
    }
    if (options.watch && terminal && !options.json) fmt::print("\033[H\033[2J");
    fmt::print("{}", options.json ? body
                     : is_array   ? of_array(card.line, ends, now_here())
                                  : of_job(card));
    std::fflush(stdout);
    const bool ended =
        is_array ? card.line.waiting + card.line.running == 0 : has_ended(card.line.state);
    const bool failed = is_array ? ends.worst() != 0 : exit_status(card) != 0;
    if (ended || !options.watch) return ended && failed ? ExitCode::kWorkFailed : ExitCode::kDone;
    std::this_thread::sleep_for(std::chrono::seconds(std::max<std::int64_t>(*options.watch, 1)));
  }
}

}  // namespace sluice
