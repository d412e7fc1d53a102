// sluice run: a command as a job that is waited for, with its input and output here.
#include <fmt/format.h>

#include "cli/attached_job.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/job_request.h"
#include "cli/verbs.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

Result<ExitCode> run(std::span<const std::string> arguments, bool& wants_help) {
  TRY(SbatchCommandLine line, read_submit_arguments(arguments));
  wants_help = line.action != SbatchAction::kSubmit;
  if (wants_help) return ExitCode::kDone;
  if (line.script.empty())
    return bad_input("no command is given", "sluice run [OPTIONS] -- COMMAND [ARGUMENTS...]");
  TRY(const std::string program, find_command(line.script));
  const std::vector<std::string> command = line.arguments;
  const std::string name = line.script.substr(line.script.rfind('/') + 1);
  const std::string line_command = line.script;
  line.wrap = line.script;  // So that nothing is read as a script.
  line.script.clear();
  line.arguments.clear();
  TRY(SbatchRequest request, request_of(line));
  if (request.own.dry_run)
    return bad_input("run has no --dry-run", "type: sluice submit --dry-run SCRIPT");
  request.spec.launch.command = program;
  if (request.spec.name.empty() || request.spec.name == "wrap") request.spec.name = name;
  add_surroundings(request);
  AttachedWork work;
  work.words = {"exec", program, line_command};
  work.words.insert(work.words.end(), command.begin(), command.end());
  TRY(const AttachedEnd end, run_attached(request.spec, work));
  if (end.refused)
    return failed("refused: " + end.refusal + (end.detail.empty() ? "" : "\n  " + end.detail),
                  "see what the machines have: sluice nodes");
  if (end.ended_as != slurm_name(JobState::kCompleted) &&
      end.ended_as != slurm_name(JobState::kFailed))
    fmt::print(stderr, "sluice: job {} ended: {}\n", end.job, end.ended_as);
  if (request.own.json) {
    TRY(Connection daemon, Connection::open());
    TRY(const JobCard card, daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}", end.job)));
    fmt::print(stderr, "{}\n", to_json(card));
  }
  return static_cast<ExitCode>(end.status);
}

}  // namespace

std::optional<ExitCode> run_run(std::span<const std::string> arguments) {
  bool wants_help = false;
  const auto ended = run(arguments, wants_help);
  if (wants_help) return std::nullopt;
  return ended ? *ended : report(ended.error());
}

void add_run(Command& root, ExitCode&) {
  Command* verb =
      root.add_subcommand("run", "Run a command as a job, wait for it and see its output");
  verb->footer(
      "sluice run [OPTIONS] -- COMMAND [ARGUMENTS...]\n\n"
      "Takes sbatch's options. Standard input, output and error are this command's own. The exit\n"
      "status is the command's, 128 and the signal where one ended it. Signals (interrupt,\n"
      "terminate, hang up, quit, USR1, USR2) go to the job. --json prints the job's card to "
      "standard\n"
      "error when it has ended.\n\n"
      "Examples:\n"
      "  sluice run -- hostname\n"
      "  sluice run -c 4 --mem=8G -t 30 -- make -j4\n"
      "  sluice run --gres=gpu:1 -- nvidia-smi");
}

}  // namespace sluice
