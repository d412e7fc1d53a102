// What changes something. reliability: only what may be done twice is repeated.
#include "slurm/slurm_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "slurm/accounting_rows.h"
#include "slurm/answers.h"
#include "slurm/job_update.h"
#include "slurm/my_jobs.h"
#include "slurm/squeue.h"
#include "slurm/submit_command.h"
#include "slurm/table.h"

namespace sluice {
namespace {

// sbatch tries for two minutes by itself.
constexpr Duration kSubmitLimit = seconds(150);
// How far back a lost submission is looked for in the accounting.
constexpr Duration kRemembered = std::chrono::hours(24 * 14);

// "123" or "123;cluster", and the end of the line: of an answer that was cut off the number may be
// another job's.
std::optional<JobId> printed_job(std::string_view text) {
  if (!text.ends_with('\n')) return std::nullopt;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const auto number = whole_number<std::uint32_t>(text.substr(0, text.find(';')));
  if (!number || *number == 0) return std::nullopt;
  return JobId(*number);
}

std::string last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t start = text.rfind('\n');
  return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

// Of "scancel: error: Kill job error on job id 7: Access/permission denied" the end: a line of a
// terminal has room for that.
std::string reason_of(std::string_view text) {
  const std::string line = last_line(text);
  const std::size_t colon = line.rfind(": ");
  return colon == std::string::npos ? line : line.substr(colon + 2);
}

std::string conf_of(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "SLURM_CONF=";
  for (const std::string& word : environment)
    if (word.starts_with(kName)) return word.substr(kName.size());
  return {};
}

}  // namespace

Instant SlurmCluster::submit_time(JobId job, Instant before) const {
  static constexpr QueueField kAsked[] = {QueueField::kSubmit};
  const auto shown = caller_.run(
      squeue_command({"--states=all", fmt::format("--jobs={}", job.value())}, kAsked), seconds(30));
  Instant out = before;
  if (shown && shown->exit_code == 0)
    read_queue(shown->output, kAsked, [&](const QueueRecord& record) {
      out = record.time(QueueField::kSubmit).value_or(out);
    });
  return out;
}

Result<SubmitAnswer> SlurmCluster::submit(const Submission& submission) {
  const SubmitCommand command = submit_command(submission, conf_of(caller_.settings().environment));
  // Never a whole second: those are Slurm's own.
  const Instant before = instant_at(seconds(to_seconds(caller_.now()))) - Duration(1);
  auto done = caller_.run(command.argv, kSubmitLimit, command.script, &command.environment);
  caller_.forget();
  if (!done) {
    if (done.error().kind == ErrorKind::kUnknown) return Uncertain{done.error().what};
    return tl::unexpected<Error>(done.error());
  }
  const auto job = printed_job(done->output);
  if (done->exit_code == 0 && job) return Accepted{{*job, submit_time(*job, before)}};
  if (may_have_submitted(*done))
    return Uncertain{
        fmt::format("sbatch ended with exit code {}: {}", done->exit_code, last_line(done->error))};
  switch (no_answer(done->error)) {
    case NoAnswer::kNotSent:
      return unreachable(fmt::format("sbatch: {}", last_line(done->error)),
                         "nothing was submitted; try again when slurmctld answers");
    case NoAnswer::kAmbiguous:
      return Uncertain{last_line(done->error)};
    default:
      return Declined{refusal_of(done->error)};
  }
}

Result<std::vector<RemoteJob>> SlurmCluster::find(const std::string& key) {
  TRY(const CommandOutput shown, caller_.insist(my_jobs_command()));
  if (shown.exit_code != 0)
    return unreachable(fmt::format("squeue: {}", last_line(shown.error)),
                       "whether the job exists is not known; nothing was done");
  std::set<RemoteJob> found;
  for (const MyJob& job : parse_my_jobs(shown.output).jobs)
    if (carries(job.comment, key)) found.insert({job.job, job.submitted});
  const Instant since = caller_.now() - kRemembered;
  TRY(CommandOutput accounted,
      caller_.insist(submit_lines_command(since, SubmitLinesFrom::kNewest)));
  if (accounted.exit_code != 0 && is_unknown_field(accounted.error)) {
    TRY(accounted, caller_.insist(submit_lines_command(since, SubmitLinesFrom::kBefore)));
  }
  const NoAnswer problem =
      accounted.exit_code == 0 ? NoAnswer::kNoDatabase : no_answer(accounted.error);
  if (problem != NoAnswer::kNoDatabase && found.empty())
    return unreachable(fmt::format("sacct: {}", last_line(accounted.error)),
                       "whether the job exists is not known; nothing was done");
  for (const SubmitLine& line : parse_submit_lines(accounted.output)) {
    if (!carries(line.line, key)) continue;
    // A job that was requeued has a later time there.
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const RemoteJob& job) { return job.job == line.job.job; });
    if (!known) found.insert(line.job);
  }
  return std::vector<RemoteJob>(found.begin(), found.end());
}

Result<bool> SlurmCluster::others_wait_for(JobId job, std::span<const JobId> but) const {
  static constexpr QueueField kAsked[] = {QueueField::kDependency};
  TRY(const CommandOutput shown,
      caller_.insist(squeue_command({"--me", "--states=PENDING"}, kAsked)));
  if (shown.exit_code != 0)
    return unreachable(fmt::format("squeue: {}", last_line(shown.error)), "nothing was changed");
  const std::string wanted = fmt::format(":{}", job.value());
  bool found = false;
  read_queue(shown.output, kAsked, [&](const QueueRecord& record) {
    if (std::find(but.begin(), but.end(), JobId(record.job())) != but.end()) return;
    // "afterok:12_*(unfulfilled),afterany:15(unfulfilled)"
    const std::string_view text = record[QueueField::kDependency];
    for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) {
      const std::size_t end = at + wanted.size();
      found |= end >= text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0;
    }
  });
  return found;
}

Result<Changed> SlurmCluster::release(const RemoteRef& ref) {
  TRY(const CommandOutput done, caller_.insist({"scontrol", "release", job_name(ref)}));
  caller_.forget();
  if (done.exit_code == 0) return Changed::kDone;
  switch (no_answer(done.error)) {
    case NoAnswer::kNoSuchJob:
    case NoAnswer::kTooLate:
      return Changed::kTooLate;
    case NoAnswer::kRefused:
      return tl::unexpected<Error>(
          Error{ErrorKind::kNotAllowed,
                fmt::format("job {} stays held: {}", job_name(ref), last_line(done.error)),
                {},
                {}});
    default:
      return unreachable(
          fmt::format("job {} could not be released: {}", job_name(ref), last_line(done.error)),
          "it stays held, or runs if the answer was lost; releasing it again does no harm");
  }
}

Result<std::variant<Changed, Refusal>> SlurmCluster::change(const std::string& job,
                                                            const std::vector<std::string>& argv) {
  TRY(const CommandOutput done, caller_.insist(argv));
  caller_.forget();
  if (done.exit_code == 0) return Changed::kDone;
  switch (no_answer(done.error)) {
    case NoAnswer::kNoSuchJob:
    case NoAnswer::kTooLate:
      return Changed::kTooLate;
    case NoAnswer::kRefused:
      return refusal_of(done.error);
    default:
      return unreachable(
          fmt::format("job {} could not be changed: {}", job, last_line(done.error)),
          "it is as it was, or changed if the answer was lost; changing it again does no harm");
  }
}

Result<std::variant<Changed, Refusal>> SlurmCluster::update(const RemoteRef& ref,
                                                            const JobChange& what) {
  return change(job_name(ref), update_command(job_name(ref), what));
}

Result<std::variant<Changed, Refusal>> SlurmCluster::update_tasks(const RemoteJob& job,
                                                                  const IndexSet& tasks,
                                                                  const JobChange& what) {
  return change(job_name(job, tasks), update_command(job_name(job, tasks), what));
}

Result<std::variant<Changed, Refusal>> SlurmCluster::hold(const RemoteRef& ref) {
  return change(job_name(ref), {"scontrol", "hold", job_name(ref)});
}

Result<std::variant<Changed, Refusal>> SlurmCluster::hold_tasks(const RemoteJob& job,
                                                                const IndexSet& tasks) {
  return change(job_name(job, tasks), {"scontrol", "hold", job_name(job, tasks)});
}

Result<void> SlurmCluster::cancel(const RemoteRef& ref) { return cancel_named(job_name(ref)); }

Result<void> SlurmCluster::cancel_tasks(const RemoteJob& job, const IndexSet& tasks) {
  return cancel_named(job_name(job, tasks));
}

Result<void> SlurmCluster::cancel_named(const std::string& job) {
  TRY(const CommandOutput done, caller_.insist({"scancel", job}));
  caller_.forget();
  if (done.exit_code == 0) return {};
  switch (no_answer(done.error)) {
    case NoAnswer::kNoSuchJob:
    case NoAnswer::kTooLate:
      return {};
    case NoAnswer::kRefused:
      return tl::unexpected<Error>(
          Error{ErrorKind::kNotAllowed,
                fmt::format("job {} was not cancelled: {}", job, reason_of(done.error)),
                {},
                {}});
    default:
      return unreachable(
          fmt::format("job {} could not be cancelled: {}", job, last_line(done.error)),
          "it continues, or ends if the answer was lost; cancelling it again does no harm");
  }
}

}  // namespace sluice
