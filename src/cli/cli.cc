// The root of the command tree, its help, and what a wrong command line is told.
#include "cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/version.h"

namespace sluice {
namespace {

// The command as the person would type it, down to the verb that was reached: "sluice sim".
std::string reached_command(const CLI::App& root) {
  std::string command = root.get_name();
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    command += " " + app->get_name();
  }
  return command;
}

int exit_with_usage_error(const std::string& problem, const CLI::App& root) {
  fmt::print(stderr, "sluice: {}\nTo see what it takes, type: {} --help\n", problem,
             reached_command(root));
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace

ExitCode report(const Error& error) {
  fmt::print(stderr, "sluice: {}\n", error.text());
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
  CLI::App root(
      "Write a sharing policy once. Rehearse it in virtual time, run it on one machine,\n"
      "apply it to Slurm, and get every task through.",
      "sluice");
  root.set_version_flag("--version", fmt::format("sluice {}", kVersion), "Print the version");
  root.set_help_flag("-h,--help", "Print this help");
  root.require_subcommand(verbs.empty() ? 0 : 1);

  ExitCode exit_code = ExitCode::kDone;
  for (const Verb& verb : verbs)
    if (!known || verb.name.empty() || verb.name == word) verb.add(root, exit_code);

  if (argc <= 1) {
    return exit_with_usage_error("say what to do", root);
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& request) {
    // --help and --version arrive as exceptions; CLI11 prints what was asked for.
    root.exit(request);
    return static_cast<int>(ExitCode::kDone);
  } catch (const CLI::ParseError& error) {
    // A misspelt verb is first of all a missing one to CLI11; the person wants the word back.
    const std::vector<std::string> unknown = root.remaining(true);
    return exit_with_usage_error(
        unknown.empty() ? error.what() : fmt::format("does not know '{}'", unknown.front()), root);
  }
  return static_cast<int>(exit_code);
}

}  // namespace sluice
