// sbatch's command line, environment and #SBATCH lines, made into a job.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/job.h"
#include "text/begin_time.h"
#include "text/export_mode.h"
#include "text/option_reader.h"
#include "text/own_options.h"

namespace sluice {

enum class SbatchAction : std::uint8_t { kSubmit, kHelp, kUsage, kVersion };

// The command line by itself: enough to know which script to read.
struct SbatchCommandLine {
  SbatchAction action = SbatchAction::kSubmit;
  std::vector<GivenOption> options;
  std::optional<std::string> wrap;  // --wrap: there is no script to read.
  std::string script;               // Empty: standard input.
  std::vector<std::string> arguments;
  std::vector<GivenOption> own;  // Rows of own_options.h.
};
Result<SbatchCommandLine> read_sbatch_arguments(std::span<const std::string> arguments);
// The same with our own options among sbatch's, up to the script.
Result<SbatchCommandLine> read_submit_arguments(std::span<const std::string> arguments);

// A job and how sbatch itself should behave.
struct SbatchRequest {
  // Complete but for what the caller knows: user, working directory, launch.environment.
  JobSpec spec;
  ExportMode environment;   // --export: for exported().
  std::string export_file;  // --export-file
  std::string clusters;     // --clusters
  bool get_user_env = false;
  bool into_reservation = false;  // --signal=R:…
  bool parsable = false;
  bool wait = false;
  bool test_only = false;
  bool quiet = false;
  int verbosity = 0;
  std::vector<std::string> warnings;  // To be said before the reply.
  OwnOptions own;
};

struct SbatchContext {
  std::span<const EnvironmentVariable> environment;  // SBATCH_* among others.
  Instant now;
  // What the clocks here differ by at that time: asked where an option names a time of day.
  UtcOffset (*offset_at)(Instant) = nullptr;  // nullptr: they show UTC.
  UtcOffset offset() const { return offset_at == nullptr ? UtcOffset{} : offset_at(now); }
};

// The command line over the environment over the script's #SBATCH and #SLUICE lines. script_text is
// what the command line names (ignored with --wrap). Errors have sbatch's words in `what`, without
// "sbatch: error: ", and ours in `hint`.
Result<SbatchRequest> make_sbatch_request(const SbatchCommandLine& command_line,
                                          std::string_view script_text,
                                          const SbatchContext& context);

// The first #SBATCH line of a script, counted from 1, with an option that nobody could take.
std::optional<std::size_t> line_of_mistake(std::string_view script_text,
                                           const SbatchContext& context);

}  // namespace sluice
