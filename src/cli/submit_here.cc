// One request, and a friendly reply.
#include "cli/submit_here.h"

#include <fmt/format.h>

#include "cli/connection.h"
#include "cli/submission.h"
#include "cli/submission_notes.h"
#include "cli/wait.h"
#include "text/array_spec.h"
#include "text/printable.h"
#include "views/when_fields.h"
#include "wire/api_fields.h"
#include "wire/when_request.h"

namespace sluice {
namespace {

Error refused(const SubmitResult& result) {
  Error error{ErrorKind::kNotAllowed, "refused: " + result.refusal, {}, {}};
  if (!result.detail.empty())
    error.what += fmt::format("\n  {}{}", result.detail,
                              result.reason.empty() ? "" : fmt::format(" ({})", result.reason));
  else if (!result.reason.empty())
    error.what += fmt::format(" ({})", result.reason);
  // Slurm's words for a queue that is full: it may go later.
  if (result.refusal == "Resource temporarily unavailable") {
    error.kind = ErrorKind::kNoCapacity;
    error.hint =
        "the queue is full: each array task counts (jobs.max_job_count and jobs.max_jobs_per_user "
        "of "
        "the policy); try again when some have ended";
    return error;
  }
  error.hint = "see what the machines have: sluice nodes; the limits: sluice limits";
  return error;
}

std::string what_was_made(const JobSpec& spec, const SubmitResult& result, std::uint32_t copies) {
  const std::uint32_t id = result.job->value();
  if (copies > 1)
    return fmt::format("Submitted {} jobs, {} to {}{}", result.count, id, id + result.count - 1,
                       result.count < copies ? "; a limit keeps the others out" : "");
  if (spec.array) {
    const std::size_t tasks = spec.array->indices.size();
    return fmt::format("Submitted array {} of {} task{}", id, tasks, tasks == 1 ? "" : "s");
  }
  return fmt::format("Submitted job {}{}", id,
                     spec.name.empty() ? "" : fmt::format(" ({})", spec.name));
}

// As in Slurm what waits for a job that nobody knows waits for nothing; a person who mistyped its
// number wants to hear of it.
void warn_of_unknown_jobs(Connection& daemon, const JobSpec& spec) {
  constexpr std::size_t kMostLookedAt = 10;
  std::size_t looked_at = 0;
  for (const Dependency& term : spec.dependencies.terms) {
    if (term.job == JobId{} || looked_at++ >= kMostLookedAt) continue;
    const auto card = daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}", term.job.value()));
    if (!card && card.error().kind == ErrorKind::kFailed)
      fmt::print(stderr, "sluice: warning: there is no job {}; nothing waits for it\n",
                 term.job.value());
  }
}

// Taken is not started: of what waits with no start in sight, the reason. "" where it starts, and
// where nothing is known.
std::string what_keeps_it(Connection& daemon, JobSpec spec) {
  spec.array.reset();  // One of its tasks.
  WhenRequest question;
  question.request.push_back(std::move(spec));
  const auto card = daemon.post<WhenCard>("POST", "/v1/when", question);
  return card ? card->never : std::string();
}

}  // namespace

Result<ExitCode> submit_here(const SbatchRequest& request) {
  const OwnOptions& own = request.own;
  const bool test_only = request.test_only || own.dry_run;
  TRY(Connection daemon, Connection::open());
  if (!request.quiet) warn_of_unknown_jobs(daemon, request.spec);
  SubmitRequest wanted;
  wanted.jobs.push_back(request.spec);
  wanted.copies = own.copies;
  wanted.test_only = test_only;
  TRY(const std::string body, send_submission(daemon, wanted));
  TRY(const SubmitReply reply, from_json<SubmitReply>(body));
  if (reply.results.empty()) return failed("the daemon sent an empty answer");
  const SubmitResult& result = reply.results.front();
  if (!result.refusal.empty()) return tl::unexpected<Error>(refused(result));
  if (!test_only) remember_request(wanted, reply);
  if (own.json) {
    fmt::print("{}", body);
  } else if (test_only) {
    const std::string never = own.dry_run ? what_keeps_it(daemon, request.spec) : "";
    fmt::print("It would be taken{}{}.\n", never.empty() ? "" : ", and waits: ", printable(never));
  } else if (request.parsable) {
    fmt::print("{}\n", result.job->value());
  } else if (!request.quiet) {
    fmt::print("{}\n", printable(what_was_made(request.spec, result, own.copies)));
  }
  std::fflush(stdout);
  if (request.wait && !test_only) return wait_for_job(daemon, result.job->value());
  return ExitCode::kDone;
}

}  // namespace sluice
