// sluice submit: sbatch's spellings, a friendly reply.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/connection.h"
#include "cli/job_request.h"
#include "cli/submission.h"
#include "cli/verbs.h"
#include "cli/wait.h"
#include "text/array_spec.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

Error refused(const SubmitResult& result) {
  Error error{ErrorKind::kFailed, "refused: " + result.refusal, {}, {}};
  if (!result.detail.empty())
    error.what += fmt::format("\n  {} ({})", result.detail, result.reason);
  else if (!result.reason.empty())
    error.what += fmt::format(" ({})", result.reason);
  if (result.refusal == "Access/permission denied") error.kind = ErrorKind::kNotAllowed;
  error.hint = "see what the machines have: sluice nodes; the limits: sluice shares";
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

Result<ExitCode> submit(std::span<const std::string> arguments, bool& wants_help) {
  TRY(const TypedOptions typed, split_options(arguments));
  wants_help = typed.help;
  if (wants_help) return ExitCode::kDone;
  TRY(const SbatchCommandLine line, read_sbatch_arguments(typed.sbatch));
  if (line.action != SbatchAction::kSubmit) {
    wants_help = true;
    return ExitCode::kDone;
  }
  TRY(SbatchRequest request, request_of(line));
  add_surroundings(request);
  request.spec.launch.capture = typed.capture;
  request.test_only = request.test_only || typed.dry_run;
  for (const std::string& warning : request.warnings)
    fmt::print(stderr, "sluice: warning: {}\n", warning);
  TRY(Connection daemon, Connection::open());
  SubmitRequest wanted;
  wanted.jobs.push_back(request.spec);
  wanted.copies = typed.copies;
  wanted.test_only = request.test_only;
  TRY(const std::string body, send_submission(daemon, wanted));
  TRY(const SubmitReply reply, from_json<SubmitReply>(body));
  if (reply.results.empty()) return failed("the daemon said nothing");
  const SubmitResult& result = reply.results.front();
  if (!result.refusal.empty()) return tl::unexpected<Error>(refused(result));
  if (typed.json) {
    fmt::print("{}", body);
  } else if (request.test_only) {
    fmt::print("It would be taken.\n");
  } else if (request.parsable) {
    fmt::print("{}\n", result.job->value());
  } else if (!request.quiet) {
    fmt::print("{}\n", what_was_made(request.spec, result, typed.copies));
  }
  std::fflush(stdout);
  if (request.wait && !request.test_only) return wait_for_job(daemon, result.job->value());
  return ExitCode::kDone;
}

}  // namespace

std::optional<ExitCode> run_submit(std::span<const std::string> arguments) {
  bool wants_help = false;
  const auto ended = submit(arguments, wants_help);
  if (wants_help) return std::nullopt;
  return ended ? *ended : report(ended.error());
}

void add_submit(Command& root, ExitCode&) {
  Command* verb = root.add_subcommand("submit", "Submit a batch job, as sbatch does");
  verb->footer(
      "sluice submit [OPTIONS] SCRIPT [ARGUMENTS...]\n\n"
      "Takes sbatch's options, its SBATCH_ variables and #SBATCH lines; SCRIPT may be a program,\n"
      "and standard input is read where there is none. Often used:\n"
      "  -J, --job-name=NAME      -c, --cpus-per-task=N    -o, --output=FILE (%j %A %a %x %u %N)\n"
      "  -a, --array=0-99%10      --mem=4G                 -e, --error=FILE\n"
      "  -t, --time=1:00:00       --gres=gpu:1             -d, --dependency=afterok:12\n"
      "  -p, --partition=NAME     -A, --account=NAME       -q, --qos=NAME\n"
      "  --begin=16:00            -H, --hold               --wrap='COMMAND'\n"
      "  -W, --wait               --test-only              --parsable\n"
      "and of our own\n"
      "  --capture                keep the output for `sluice logs`, make no file\n"
      "  --copies=N               N jobs of their own from one request\n"
      "  --json                   the reply as JSON\n"
      "  --chain, --ladder=FILE   what runs out of memory or time comes back with more:\n"
      "                           sluice submit --chain --help\n"
      "Over several accounts and devices, to those that have room now (sluice route --help):\n"
      "  -A a,b                   --device=gpu|cpu|any     --runtime gpu=22m,cpu=282m\n"
      "  --keep-back              --wait-for-capacity      --dry-run\n\n"
      "Examples:\n"
      "  sluice submit job.sh\n"
      "  sluice submit --array=0-99%10 --mem=2G job.sh input.csv\n"
      "  sluice submit --wrap='sleep 10; hostname' --capture\n"
      "  id=$(sluice submit --parsable job.sh); sluice submit -d afterok:$id next.sh");
}

}  // namespace sluice
