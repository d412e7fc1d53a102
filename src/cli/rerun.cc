#include "cli/rerun.h"

#include <fmt/format.h>

#include "cli/connection.h"
#include "cli/job_ends.h"
#include "cli/submission.h"
#include "cli/submission_notes.h"
#include "text/array_spec.h"
#include "text/job_reference.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// Programs read the reply to a submission of nothing.
ExitCode nothing_to_do(const RerunJob& wanted, const std::string& says) {
  fmt::print("{}", wanted.json ? to_json(SubmitReply{}) + "\n" : says);
  return ExitCode::kDone;
}

}  // namespace

Result<ExitCode> rerun_job(const RerunJob& wanted) {
  TRY(const JobReference reference, parse_job_reference(wanted.job));
  const std::uint32_t job = reference.job.value();
  TRY(Connection daemon, Connection::open());
  TRY(const JobCard card, daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}", job)));
  TRY(JobSpec spec, remembered_request(job, card.line.submitted));
  if (!spec.array && (reference.tasks || !wanted.tasks.empty()))
    return bad_input(fmt::format("job {} is not an array", job),
                     fmt::format("type: sluice rerun {}", job));
  TRY(const JobEnds ends, ends_of(daemon, job));
  if (spec.array) {
    IndexSet named;
    if (reference.tasks) named = *reference.tasks;
    if (!wanted.tasks.empty()) {
      TRY(const ArraySpec asked, parse_array_spec(wanted.tasks));
      named = asked.indices;
    }
    if (named.size() == 0 && !wanted.failed)
      return bad_input("which tasks?", fmt::format("write sluice rerun {0} --failed, or sluice "
                                                   "rerun {0} --tasks=3,7-9",
                                                   job));
    if (named.size() == 0) named = ends.failed();
    for (const std::uint32_t task : named.to_vector())
      if (!spec.array->indices.contains(task))
        return bad_input(fmt::format("array {} has no task {}", job, task));
    if (named.size() == 0) {
      return nothing_to_do(wanted, fmt::format("No task of {} has failed.\n", job));
    }
    spec.array->indices = named;
  } else if (wanted.failed && ends.worst() == 0) {
    return nothing_to_do(wanted, fmt::format("Job {} has not failed.\n", job));
  }
  // What it waited for has been, or never came true.
  spec.dependencies = {};
  spec.begin.reset();
  SubmitRequest request;
  request.jobs.push_back(std::move(spec));
  TRY(const std::string body, send_submission(daemon, request));
  TRY(const SubmitReply reply, from_json<SubmitReply>(body));
  if (reply.results.empty()) return failed("the daemon sent an empty answer");
  const SubmitResult& result = reply.results.front();
  if (!result.job)
    return tl::unexpected<Error>(
        Error{ErrorKind::kNotAllowed, "refused: " + result.refusal, {}, result.detail});
  remember_request(request, reply);
  if (wanted.json) {
    fmt::print("{}\n", body);
    return ExitCode::kDone;
  }
  const auto& array = request.jobs.front().array;
  if (array)
    fmt::print("Submitted array {} of {} task{}: {} of array {} again\n", result.job->value(),
               array->indices.size(), array->indices.size() == 1 ? "" : "s",
               compress_indices(array->indices), job);
  else
    fmt::print("Submitted job {}: job {} again\n", result.job->value(), job);
  return ExitCode::kDone;
}

}  // namespace sluice
