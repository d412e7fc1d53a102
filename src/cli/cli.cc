// The root of the command tree, its help, and what a wrong command line is told.
#include "cli/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/version.h"
#include "cli/command.h"
#include "text/printable.h"

namespace sluice {
namespace {

int exit_with_usage_error(const std::string& problem, const CommandLine& line) {
  fmt::print(stderr, "sluice: {}\nTo see what it takes, type: {} --help\n", problem,
             line.reached());
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace

ExitCode report(const Error& error) {
  // What Slurm or another user wrote may stand in it.
  fmt::print(stderr, "sluice: {}\n", printable_lines(error.text()));
  switch (error.kind) {
    case ErrorKind::kBadInput:
      return ExitCode::kUsage;
    case ErrorKind::kFailed:
      return ExitCode::kWorkFailed;
    case ErrorKind::kUnreachable:
      return ExitCode::kUnreachable;
    case ErrorKind::kNoCapacity:
      return ExitCode::kNoCapacity;
    case ErrorKind::kUnknown:
      return ExitCode::kUnknownOutcome;
    case ErrorKind::kNotAllowed:
      return ExitCode::kNotAllowed;
  }
  return ExitCode::kWorkFailed;
}

int run_cli(int argc, char** argv, std::span<const Verb> verbs) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  const auto called =
      std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == word; });
  const bool known = !word.empty() && called != verbs.end();
  if (known && called->direct != nullptr) {
    const std::vector<std::string> arguments(argv + 2, argv + argc);
    if (const auto ended = called->direct(arguments)) return static_cast<int>(*ended);
    // What is left to say is the help, and CLI11 says it.
    argc = 3;
    static char help[] = "--help";
    static char* shown[] = {argv[0], argv[1], help, nullptr};
    argv = shown;
  }
  CommandLine line(
      "sluice",
      "Write a sharing policy once. Rehearse it in virtual time, run it on one machine,\n"
      "apply it to Slurm, and get every task through.",
      fmt::format("sluice {}", kVersion));
  if (!verbs.empty()) line.root().require_subcommand();

  ExitCode exit_code = ExitCode::kDone;
  for (const Verb& verb : verbs)
    if (!known || verb.name.empty() || verb.name == word) verb.add(line.root(), exit_code);

  if (argc <= 1) return exit_with_usage_error("say what to do", line);
  if (const auto problem = line.parse(argc, argv)) return exit_with_usage_error(*problem, line);
  return static_cast<int>(exit_code);
}

}  // namespace sluice
