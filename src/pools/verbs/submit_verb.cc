// The parsed request decides: a chain, a routed submission, or a job of this machine's daemon.
#include "pools/verbs/submit_verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/command.h"
#include "cli/job_request.h"
#include "cli/submit_here.h"
#include "pools/counters.h"
#include "pools/routed_cluster.h"
#include "pools/routing_context.h"
#include "text/printable.h"
#include "text/quoting.h"

namespace sluice {
namespace {

enum class Meant : std::uint8_t { kAsItSays, kRouted, kChain };

Result<Asked> asked_of(SbatchRequest request) {
  Asked out;
  out.request = std::move(request);
  TRY_VOID(check_folder_of(out.request));
  add_surroundings(out.request);
  out.request.spec.launch.capture = out.request.own.capture;
  TRY(out.engine, chosen_engine(out.request.own.engine));
  out.accounts = listed_names({out.request.spec.account});
  if (out.accounts.size() > 1)
    out.request.spec.account.clear();
  else
    out.accounts.clear();
  return out;
}

// Arguments that are scripts were probably meant to be jobs.
void say_if_scripts(const SbatchCommandLine& line) {
  std::size_t scripts = 0;
  for (const std::string& argument : line.arguments) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(argument, problem)) return;
    std::ifstream file(argument);
    char mark[2] = {};
    if (file.read(mark, 2) && mark[0] == '#' && mark[1] == '!') ++scripts;
  }
  if (line.script.empty() || scripts == 0 || scripts < line.arguments.size()) return;
  fmt::print(stderr,
             "sluice: warning: this is one job, {}, with {} script{} as argument{}; to run each as "
             "a task: sluice each ::: {} {}{}\n",
             printable(line.script), scripts, scripts == 1 ? "" : "s", scripts == 1 ? "" : "s",
             printable(shell_word(line.script)), printable(shell_word(line.arguments.front())),
             scripts == 1 ? "" : " …");
}

// Nothing: help was asked for.
Result<std::optional<Asked>> read_asked(std::span<const std::string> arguments) {
  TRY(SbatchCommandLine typed, read_submit_arguments(arguments));
  TRY(const SbatchCommandLine line, with_last_named(std::move(typed)));
  if (line.action != SbatchAction::kSubmit) return std::nullopt;
  if (!line.wrap && line.script.empty() && ::isatty(STDIN_FILENO) != 0)
    return bad_input("no script is named", "type: sluice submit [OPTIONS] SCRIPT [ARGUMENTS...]");
  TRY(SbatchRequest request, request_as_typed(line));
  say_if_scripts(line);
  TRY(Asked out, asked_of(std::move(request)));
  return std::optional(std::move(out));
}

bool asks_for_pools(const Asked& asked) {
  return asked.engine == "slurm" || !asked.accounts.empty() || asked.request.own.names_pools();
}

Result<ExitCode> submit(Asked asked, Meant meant) {
  const SbatchRequest& request = asked.request;
  const OwnOptions& own = request.own;
  for (const std::string& warning : request.warnings)
    fmt::print(stderr, "sluice: warning: {}\n", warning);
  if (own.detach && !own.keep_back)
    return bad_input("--detach is for tasks that are kept back", "add --keep-back");
  if ((meant == Meant::kChain || own.starts_chain()) && own.by_finish())
    return bad_input("--by finish is for one submission; rounds of a chain go by slots",
                     "leave out --by finish, or what makes it a chain");
  if (meant == Meant::kChain || own.starts_chain()) return submit_chain(std::move(asked));
  if (meant == Meant::kRouted || asks_for_pools(asked)) return submit_routed(std::move(asked));
  return submit_here(request);
}

std::optional<ExitCode> run(std::span<const std::string> arguments, Meant meant) {
  auto asked = read_asked(arguments);
  if (!asked) return report(asked.error());
  if (!*asked) return std::nullopt;
  const auto done = submit(std::move(**asked), meant);
  return done ? *done : report(done.error());
}

constexpr const char* kHelp =
    "Takes sbatch's options, its SBATCH_ variables and #SBATCH lines; SCRIPT may be a program,\n"
    "and standard input is read where there is none. Often used:\n"
    "  -J, --job-name=NAME      -c, --cpus-per-task=N    -o, --output=FILE (%j %A %a %x %u %N)\n"
    "  -a, --array=0-99%10      --mem=4G                 -e, --error=FILE\n"
    "  -t, --time=1:00:00       --gres=gpu:1             -d, --dependency=afterok:12\n"
    "  -p, --partition=NAME     -A, --account=NAME       -q, --qos=NAME\n"
    "  --begin=16:00            -H, --hold               --wrap='COMMAND'\n"
    "  -W, --wait               --test-only              --parsable\n"
    "and options of its own, which may also stand in #SLUICE lines of the script:\n"
    "  --on embedded|slurm      this machine, or Slurm; else what SLUICE_ON says\n"
    "  --capture                on this machine: keep the output for `sluice logs`\n"
    "  --copies=N               on this machine: N jobs of their own from one request\n"
    "  --dry-run                every decision and its reason; nothing is submitted\n"
    "  --as-is                  leave out #SLUICE lines and SLUICE_DEVICE, SLUICE_SHAPE\n"
    "  --json                   the reply as JSON\n\n"
    "Over several accounts and devices, to those that have room now; on Slurm always:\n"
    "  -A a,b                   only these accounts\n"
    "  --device gpu|cpu|any     which pools to use; else SLUICE_DEVICE, or what the job asks for\n"
    "  --shape NAME             what a task needs on each device, by its name in routing.yaml\n"
    "  --runtime gpu=22m,cpu=282m  known run times: the earliest finish decides, not slots; else\n"
    "                           those of finished tasks of the same name, where there are some\n"
    "  --by slots|finish        finish: simulates the queue and goes where the tasks would end\n"
    "                           first, also to pools that are full now, and says what that gains\n"
    "  --wait-for-capacity[=TIME]  wait while every pool is full\n"
    "  --keep-back              submit what can start now, the rest as pools free up\n"
    "  --detach                 with --keep-back: return at once, and `sluice list` shows the "
    "rest\n"
    "Tasks find SLUICE_DEVICE (gpu or cpu) and SLUICE_ACCOUNT in their environment.\n\n"
    "As a chain, whose tasks are retried with more when they run out of memory or time:\n"
    "  --chain                  memory and time double from what the job asks for, as far as its\n"
    "                           partitions go\n"
    "  --ladder FILE            the levels to climb instead (also --config)\n"
    "  --throttle N             at most N tasks of the chain at once\n"
    "  --max-level N            end the ladder there\n"
    "  --start-mem M            begin at the level with that memory\n"
    "  --whole-level            climb memory and time together, whatever was short\n"
    "  --size-from-history      size later tasks from the first tasks that end\n"
    "  --no-handlers            submit no handler jobs; continue with `sluice resume`\n"
    "  --no-wait                return at once, as without --wait\n"
    "Tasks find SLUICE_CHAIN, SLUICE_ROUND and SLUICE_LEVEL in their environment. With -A a,b,\n"
    "--device or --keep-back each round goes to the pools that have room then.\n\n"
    "Exit codes: 2 bad options, script or ladder; 69 the cluster does not answer; 75 every pool "
    "is\n"
    "full; 77 it is refused, or no pool will ever take it (nothing is submitted with any of "
    "these);\n"
    "76 an answer was lost (the message says what to do).\n\n"
    "Examples:\n"
    "  sluice submit job.sh\n"
    "  sluice submit --array=0-99%10 --mem=2G job.sh input.csv\n"
    "  sluice submit --wrap='sleep 10; hostname' --capture\n"
    "  sluice submit --device any --runtime gpu=22m,cpu=282m --array=0-199 decon.sh\n"
    "  sluice submit -A lab,dept --by finish --dry-run --array=0-199 job.sh\n"
    "  sluice submit --array=0-9999 --ladder ladder.yaml --throttle 200 job.sh 'two words'\n"
    "  sluice submit --chain --dry-run --mem=1G --time=10 --array=0-99 job.sh";

void add_help(Command& verb) {
  verb.operands("SCRIPT [ARGUMENTS...]");
  verb.footer(kHelp);
}

// One command is one submission; what it says about itself (its help) is none.
std::optional<ExitCode> counted(std::optional<ExitCode> code) {
  if (code)
    count_up(CountOf::kSubmit, *code == ExitCode::kDone || *code == ExitCode::kWorkFailed
                                   ? "accepted"
                               : *code == ExitCode::kUsage          ? "invalid"
                               : *code == ExitCode::kUnreachable    ? "unreachable"
                               : *code == ExitCode::kNoCapacity     ? "full"
                               : *code == ExitCode::kUnknownOutcome ? "unknown"
                                                                    : "refused");
  return code;
}

}  // namespace

Result<ExitCode> submit_request(SbatchRequest request) {
  TRY(Asked asked, asked_of(std::move(request)));
  return submit(std::move(asked), Meant::kAsItSays);
}

Result<bool> goes_to_pools(const SbatchRequest& request) {
  TRY(const Asked asked, asked_of(request));
  return !request.own.starts_chain() && asks_for_pools(asked);
}

std::optional<ExitCode> run_submit(std::span<const std::string> arguments) {
  return counted(run(arguments, Meant::kAsItSays));
}

std::optional<ExitCode> run_route(std::span<const std::string> arguments) {
  return counted(run(arguments, Meant::kRouted));
}

void add_submit(Command& root, ExitCode&) {
  add_help(*root.add_subcommand("submit", "Submit a batch job, as sbatch does"));
}

void add_route(Command& root, ExitCode&) {
  add_help(*root.add_subcommand("route", "Submit to whichever of your accounts have room now"));
}

// A verb below another reads its words itself, its help included.
void add_chain_submit(Command& chain, ExitCode& exit_code) {
  Command* verb = chain.add_subcommand("submit", "Start a chain; prints its id");
  verb->prefix_command();
  verb->no_help_flag();
  add_help(*verb);
  verb->callback([verb, &exit_code] {
    const auto done = run(verb->remaining(), Meant::kChain);
    if (!done) fmt::print("{}", verb->help());
    exit_code = done.value_or(ExitCode::kDone);
  });
}

}  // namespace sluice
