// sluice run: a command as a job that is waited for, with its input and output here.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/attached_job.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/efficiency.h"
#include "cli/job_request.h"
#include "cli/pseudo_terminal.h"
#include "cli/run_placement.h"
#include "cli/verbs.h"
#include "text/printable.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

RunPlacement* run_placement = nullptr;

// Takes a flag out of the options that sbatch's do not have. Words after the command are its own:
// a word that no option stands before is the command, as far as can be told; -- tells for sure.
bool take_flag(std::vector<std::string>& words, std::string_view flag) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == flag) {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    const bool after_option = i > 0 && words[i - 1].starts_with('-');
    if (!words[i].starts_with('-') && !after_option) return false;
  }
  return false;
}

Result<ExitCode> run(std::span<const std::string> given, bool& wants_help) {
  std::vector<std::string> arguments(given.begin(), given.end());
  RunAsked asked;
  asked.terminal = take_flag(arguments, "--pty");
  const bool stats = take_flag(arguments, "--stats");
  TRY(SbatchCommandLine typed, read_submit_arguments(arguments));
  TRY(SbatchCommandLine line, with_last_named(std::move(typed)));
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
  asked.command = {line_command};
  asked.command.insert(asked.command.end(), command.begin(), command.end());
  SbatchRequest& request = asked.request;
  TRY(request, request_of(line));
  if (const Launch& launch = request.spec.launch;
      !launch.stdout_path.empty() || !launch.stderr_path.empty() || !launch.stdin_path.empty())
    return bad_input("run has no --output, --error and --input: they are this command's own",
                     "let the shell do it: sluice run -- COMMAND > FILE");
  if (request.own.dry_run)
    return bad_input("run has no --dry-run", "type: sluice submit --dry-run SCRIPT");
  request.spec.launch.command = program;
  if (request.spec.name.empty() || request.spec.name == "wrap") request.spec.name = name;
  TRY_VOID(check_folder_of(request));
  add_surroundings(request);
  if (run_placement != nullptr) {
    TRY(const bool slurm, run_placement->is_slurm(asked));
    if (slurm) return run_placement->run_on_slurm(asked);
    if (request.own.names_pools() || request.spec.account.find(',') != std::string::npos) {
      TRY(request.spec, run_placement->place(asked));
    }
  }
  // As slurmstepd does and says, which nobody sees before this command's streams are the job's.
  const std::string& folder = request.spec.launch.working_directory;
  if (::access(folder.c_str(), X_OK) != 0)
    fmt::print(stderr, "sluice: warning: couldn't chdir to `{}': {}: going to /tmp instead\n",
               printable(folder), std::strerror(errno));
  AttachedWork work;
  work.words = {asked.terminal ? "exec-pty" : "exec", program};
  work.words.insert(work.words.end(), asked.command.begin(), asked.command.end());
  AttachedWatch watch;
  watch.queued = [](std::uint32_t job) {
    if (::isatty(STDERR_FILENO) == 0) return;
    fmt::print(stderr, "sluice: job {} waits; see why: sluice why {}\n", job, job);
  };
  std::unique_ptr<PseudoTerminal> terminal;
  if (asked.terminal) {
    TRY(terminal, PseudoTerminal::open());
    for (int& descriptor : work.descriptors) descriptor = terminal->job_end();
    hold_signals_for_job();
    terminal->begin();
  }
  TRY(const AttachedEnd end, run_attached(request.spec, work, watch));
  terminal.reset();
  if (end.refused)
    return tl::unexpected<Error>(
        Error{ErrorKind::kNotAllowed,
              "refused: " + end.refusal + (end.detail.empty() ? "" : "\n  " + end.detail),
              {},
              "see what the machines have: sluice nodes"});
  if (end.ended_as != slurm_name(JobState::kCompleted) &&
      end.ended_as != slurm_name(JobState::kFailed))
    fmt::print(stderr, "sluice: job {} ended: {}\n", end.job, end.ended_as);
  if (stats) {
    TRY(Connection daemon, Connection::open());
    TRY(const std::string text, efficiency_text(daemon, std::to_string(end.job)));
    fmt::print(stderr, "{}", text);
  }
  if (request.own.json) {
    TRY(Connection daemon, Connection::open());
    TRY(const JobCard card, daemon.fetch<JobCard>(fmt::format("/v1/jobs/{}", end.job)));
    fmt::print(stderr, "{}\n", to_json(card));
  }
  return static_cast<ExitCode>(end.status);
}

}  // namespace

void use_run_placement(RunPlacement* placement) { run_placement = placement; }

std::optional<ExitCode> run_run(std::span<const std::string> arguments) {
  bool wants_help = false;
  const auto ended = run(arguments, wants_help);
  if (wants_help) return std::nullopt;
  return ended ? *ended : report(ended.error());
}

void add_run(Command& root, ExitCode&) {
  Command* verb =
      root.add_subcommand("run", "Run a command as a job, wait for it and see its output");
  verb->operands("-- COMMAND [ARGUMENTS...]");
  verb->footer(
      "Takes sbatch's options. Standard input, output and error are this command's own. The exit\n"
      "status is the command's, 128 and the signal where one ended it. Signals (interrupt,\n"
      "terminate, hang up, quit, USR1, USR2) go to the job. --json prints the job's card to "
      "standard\n"
      "error when it has ended.\n\n"
      "  --pty                    with a terminal of its own: shells, editors, debuggers\n"
      "  --stats                  at the end: what was asked for and used, and what to ask for\n"
      "  --account=a,b            whichever has room now; also --device=gpu|cpu|any, --shape\n"
      "  --on slurm               through srun, in the account that has room\n\n"
      "Examples:\n"
      "  sluice run -- hostname\n"
      "  sluice run --pty -c 2 -- bash\n"
      "  sluice run -c 4 --mem=8G -t 30 -- make -j4\n"
      "  sluice run --stats -- make\n"
      "  sluice run --gres=gpu:1 -- nvidia-smi");
}

}  // namespace sluice
