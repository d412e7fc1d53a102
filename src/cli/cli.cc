// The root of the command tree, its help, and what a wrong command line is told.
#include "cli/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "base/error_codes.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/elsewhere.h"
#include "text/printable.h"
#include "text/scan.h"
#include "text/spelling.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// What people who know Slurm type first, and the command that does it here.
struct OtherName {
  std::string_view typed;
  std::string_view ours;
};
constexpr OtherName kOtherNames[] = {
    {"sbatch", "submit"},   {"srun", "run"},
    {"salloc", "run"},      {"squeue", "queue"},
    {"sacct", "history"},   {"scancel", "cancel"},
    {"sinfo", "nodes"},     {"scontrol", "job"},
    {"sprio", "priority"},  {"sshare", "shares"},
    {"sacctmgr", "policy"}, {"sreport", "usage"},
    {"seff", "efficiency"}, {"jobs", "queue"},
    {"ps", "queue"},        {"ls", "queue"},
    {"kill", "cancel"},     {"log", "logs"},
    {"tail", "logs"},       {"stop", "daemon"},
    {"simulate", "sim"},    {"parallel", "each"},
    {"start", "daemon"},    {"show", "job"},
    {"eff", "efficiency"},  {"reportseff", "efficiency"},
    {"map", "each"},        {"retry", "rerun"},
};

constexpr std::string_view kFirstCommands =
    "sluice: no command given. The first ones to know:\n"
    "  sluice submit job.sh     run a script as a job (sbatch's options and #SBATCH lines work)\n"
    "  sluice queue             see what runs, what waits and why\n"
    "  sluice why JOB           see why a job waits, and what would help\n"
    "  sluice logs -f JOB       follow a job's output\n"
    "  sluice pools             see how much each of your accounts can still take\n"
    "For all commands, type: sluice --help\n";

// What shells ask; people do not see it.
constexpr std::string_view kCompleteWord = "complete";

std::optional<std::string> meant_verb(std::string_view word, std::span<const Verb> verbs) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs)
    if (!verb.name.empty()) names.emplace_back(verb.name);
  const auto is_ours = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const OtherName& other : kOtherNames)
    if (other.typed == word && is_ours(other.ours)) return std::string(other.ours);
  return nearest_word(word, names);
}

// Whether the person asked for JSON; a program that did reads errors as JSON too.
bool& wants_json() {
  static bool wants = false;
  return wants;
}

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "--json" || word == "--format=json") return true;
    if (word == "--format" && i + 1 < argc && std::string_view(argv[i + 1]) == "json") return true;
  }
  return false;
}

int exit_with_unknown_verb(std::string_view word, std::span<const Verb> verbs) {
  const auto meant = meant_verb(word, verbs);
  if (wants_json())
    return static_cast<int>(
        report(Error{ErrorKind::kBadInput,
                     fmt::format("unknown command {}", quoted(word)),
                     {},
                     meant ? fmt::format("did you mean 'sluice {}'?", *meant) : ""}));
  fmt::print(stderr, "sluice: unknown command {}{}\nFor all commands, type: sluice --help\n",
             quoted(word), meant ? fmt::format("; did you mean 'sluice {}'?", *meant) : "");
  return static_cast<int>(ExitCode::kUsage);
}

int exit_with_usage_error(const std::string& problem, const CommandLine& line) {
  if (wants_json())
    return static_cast<int>(report(
        Error{ErrorKind::kBadInput, problem, {}, fmt::format("type: {} --help", line.reached())}));
  fmt::print(stderr, "sluice: {}\nTo see what it takes, type: {} --help\n", problem,
             line.reached());
  return static_cast<int>(ExitCode::kUsage);
}

// Verbs that know the jobs of this machine alone, and what shows or does the same on Slurm.
struct HereOnly {
  std::string_view verb;
  std::string_view on_slurm;
  enum class Of : std::uint8_t { kAll, kJobs } of = Of::kAll;  // kJobs: chains are everywhere.
};
constexpr HereOnly kHereOnly[] = {
    {"job", "scontrol show job JOB, or sluice why JOB"},
    {"history", "sacct"},
    {"efficiency", "sacct, or seff JOB"},
    {"shares", "sshare, or sluice usage"},
    {"priority", "sprio"},
    {"hold", "scontrol hold JOB"},
    {"release", "scontrol release JOB"},
    {"requeue", "scontrol requeue JOB"},
    {"suspend", "scontrol suspend JOB"},
    {"update", "scontrol update jobid=JOB"},
    {"cancel", "scancel JOB", HereOnly::Of::kJobs},
    {"resume", "scontrol resume JOB", HereOnly::Of::kJobs},
    {"logs", "the file that scontrol show job JOB names", HereOnly::Of::kJobs},
    {"wait", "sluice why JOB, or squeue", HereOnly::Of::kJobs},
    {"status", "sluice why JOB, or squeue", HereOnly::Of::kJobs},
    {"rerun", "sbatch again", HereOnly::Of::kJobs},
};

// Whoever works on Slurm must not be told of, or end, another job of the same number here.
std::optional<Error> wrong_engine(int argc, char** argv) {
  const char* engine = std::getenv("SLUICE_ON");
  if (engine == nullptr || std::string_view(engine) != "slurm" || argc < 2) return std::nullopt;
  const std::span<char*> words(argv + 2, argv + argc);
  const auto found = std::find_if(std::begin(kHereOnly), std::end(kHereOnly),
                                  [&](const HereOnly& row) { return row.verb == argv[1]; });
  if (found == std::end(kHereOnly)) return std::nullopt;
  bool names_job = false;
  bool after_option = false;  // It may be that option's value.
  for (const std::string_view word : words) {
    if (word == "--help" || word == "-h") return std::nullopt;
    names_job |= !after_option &&
                 word.find_first_not_of("0123456789_[]-,*") == std::string_view::npos &&
                 word.find_first_of("0123456789") == 0 && !is_chain_id(word);
    after_option = word.starts_with('-') && word.find('=') == std::string_view::npos;
  }
  if (found->of == HereOnly::Of::kJobs && !names_job) return std::nullopt;
  return Error{
      ErrorKind::kBadInput,
      fmt::format("{} knows the jobs of this machine, and SLUICE_ON says slurm", argv[1]),
      {},
      fmt::format("on Slurm: {}; here: SLUICE_ON=embedded sluice {}", found->on_slurm, argv[1])};
}

}  // namespace

ExitCode report(const Error& error) {
  if (wants_json()) {
    ErrorReply reply;
    reply.error.what = error.what;
    reply.error.where = error.where;
    reply.error.hint = error.hint;
    reply.error.code = codes_of(error.kind).exit_code;
    fmt::print(stderr, "{}\n", to_json(reply));
    return static_cast<ExitCode>(codes_of(error.kind).exit_code);
  }
  // What Slurm or another user wrote may stand in it.
  fmt::print(stderr, "sluice: {}\n", printable_lines(error.text()));
  return static_cast<ExitCode>(codes_of(error.kind).exit_code);
}

int run_cli(int argc, char** argv, std::span<const Verb> verbs) {
  wants_json() = asks_for_json(argc, argv);
  if (argc <= 1 && !verbs.empty()) {
    fmt::print(stderr, "{}", kFirstCommands);
    return static_cast<int>(ExitCode::kUsage);
  }
  // `sluice help why` is `sluice why --help`.
  static char help_option[] = "--help";
  static char version_option[] = "--version";
  char* rewritten[] = {argv[0], nullptr, nullptr, nullptr};
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "help" || (first == "version" && argc == 2)) {
    rewritten[1] = first == "version" ? version_option : argc > 2 ? argv[2] : help_option;
    rewritten[2] = argc > 2 ? help_option : nullptr;
    argc = argc > 2 ? 3 : 2;
    argv = rewritten;
  }
  const std::string_view word = argc > 1 ? argv[1] : "";
  const auto called =
      std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == word; });
  const bool known = !word.empty() && called != verbs.end();
  if (known)
    if (const auto problem = wrong_engine(argc, argv)) return static_cast<int>(report(*problem));
  // Verbs without a name are known only to the command tree.
  const bool all_named =
      std::all_of(verbs.begin(), verbs.end(), [](const Verb& verb) { return !verb.name.empty(); });
  if (!known && all_named && word != kCompleteWord && !word.empty() && word.front() != '-')
    return exit_with_unknown_verb(word, verbs);
  if (known && called->direct != nullptr) {
    const std::vector<std::string> arguments(argv + 2, argv + argc);
    if (const auto ended = called->direct(arguments)) return static_cast<int>(*ended);
    // What is left to say is the help, and CLI11 says it.
    argc = 3;
    static char* shown[] = {argv[0], argv[1], help_option, nullptr};
    argv = shown;
  }
  CommandLine line(
      "sluice",
      "Write a sharing policy once. Rehearse it in virtual time, run it on one machine,\n"
      "apply it to Slurm, and get every task through.",
      fmt::format("sluice {}", kVersion));
  if (!verbs.empty()) line.root().require_subcommand();

  ExitCode exit_code = ExitCode::kDone;
  const bool prints_tree = word == "completion" || word == "manual";
  for (const Verb& verb : verbs)
    if (!known || prints_tree || verb.name.empty() || verb.name == word)
      verb.add(line.root(), exit_code);

  if (word == kCompleteWord) {
    const bool has_dashes = argc > 2 && std::string_view(argv[2]) == "--";
    print_completion(line.root().page(), {argv + (has_dashes ? 3 : 2), argv + argc});
    return static_cast<int>(ExitCode::kDone);
  }
  if (argc <= 1) return exit_with_usage_error("no command given", line);
  if (const auto problem = line.parse(argc, argv)) return exit_with_usage_error(*problem, line);
  return static_cast<int>(exit_code);
}

}  // namespace sluice
