// sbatch: the parser of `sluice submit`, with Slurm's replies and errors.
#include <fmt/format.h>

#include <algorithm>

#include "cli/job_request.h"
#include "cli/local_time.h"
#include "shims/help.h"
#include "shims/shim.h"
#include "shims/submission_words.h"
#include "shims/test_only.h"
#include "shims/words.h"
#include "text/sbatch_options.h"
#include "views/record_line.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// The exit status of the job, or the worst of an array's tasks; 1 where a signal ended it.
int wait_for(ShimCall& call, std::uint32_t job) {
  const auto card = call.engine->fetch<JobCard>(fmt::format("/v1/jobs/{}?wait=ended", job));
  if (!card) return call.fail(card.error());
  const auto lines =
      call.engine->fetch<Lines<AccountLine>>(fmt::format("/v1/accounts?job={}", job));
  if (!lines) return call.fail(lines.error());
  int worst = 0;
  for (const AccountLine& line : lines->lines) {
    if (line.state == JobState::kCompleted) continue;
    const std::int64_t status =
        line.exit_signal != 0 ? 1 : std::max<std::int64_t>(line.exit_code, 1);
    worst = std::max(worst, static_cast<int>(status));
  }
  return worst;
}

}  // namespace

int run_sbatch(ShimCall& call) {
  const auto line = read_sbatch_arguments(call.arguments);
  if (!line) return complain_of_options(call, line.error());
  switch (line->action) {
    case SbatchAction::kHelp:
      return call.say(shim_help("sbatch")), 0;
    case SbatchAction::kUsage:
      return call.say(shim_usage("sbatch")), 0;
    case SbatchAction::kVersion:
      return call.say(kShimVersion), 0;
    case SbatchAction::kSubmit:
      break;
  }
  auto request = request_of(*line);
  if (!request) {
    const Error& error = request.error();
    if (!error.where.empty() && error.where == line->script)
      return call.error("Unable to open file " + line->script), 1;
    return complain_of_options(call, error);
  }
  if (!say_warnings(call, request->warnings)) return 1;
  add_surroundings(*request);
  note_submit_line(call, request->spec);
  if (request->test_only) return test_only(call, *request);
  SubmitRequest wanted;
  wanted.jobs.push_back(request->spec);
  const auto reply = call.engine->submit(wanted);
  if (!reply) return call.fail(reply.error());
  if (reply->results.empty())
    return call.error("Batch job submission failed: Unspecified error"), 1;
  const SubmitResult& result = reply->results.front();
  if (!result.job) {
    return complain_of_refusal(call, "Batch job submission failed", result, request->spec), 1;
  }
  if (request->parsable)
    call.say(request->clusters.empty()
                 ? fmt::format("{}", result.job->value())
                 : fmt::format("{};{}", result.job->value(), request->clusters));
  else if (!request->quiet)
    call.say(fmt::format("Submitted batch job {}", result.job->value()));
  if (!request->wait) return 0;
  call.flush();
  return wait_for(call, result.job->value());
}

}  // namespace sluice
