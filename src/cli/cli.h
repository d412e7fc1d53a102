// The command line: reads what a person asked for and runs that verb.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice {

class Command;

// What a process may exit with; scripts depend on these numbers, so they never change meaning.
enum class ExitCode : int {
  kDone = 0,
  kWorkFailed = 1,
  kUsage = 2,
  kUnreachable = 69,
  kNoCapacity = 75,
  kUnknownOutcome = 76,
  kNotAllowed = 77,
};

// The error on standard error, as JSON where the command line asks for JSON; the exit code it leads
// to.
ExitCode report(const Error& error);

// Adds one verb to the command tree: its subcommand, its options, and a callback that does the
// work and stores how it ended in `exit_code`. `exit_code` outlives the parse.
using AddVerb = void (*)(Command& root, ExitCode& exit_code);

// Reads everything after the verb by itself; nothing where help was asked for.
using DirectVerb = std::optional<ExitCode> (*)(std::span<const std::string> arguments);

// A verb with a name is added only when it is called (or help is wanted): a command that asks the
// daemon one question shall not build the options of all others first.
struct Verb {
  constexpr Verb(AddVerb adds) : add(adds) {}
  constexpr Verb(std::string_view word, AddVerb adds, DirectVerb reads = nullptr)
      : name(word), add(adds), direct(reads) {}
  std::string_view name;
  AddVerb add;
  DirectVerb direct = nullptr;
};

// Parses the arguments, runs the verb they name and returns the exit code of the process. Verbs
// that need more than a face may include (the simulator, the daemon) are handed in by `apps`.
int run_cli(int argc, char** argv, std::span<const Verb> verbs = {});

}  // namespace sluice
