#include "apps/top_verb.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "apps/own_sources.h"
#include "cli/command.h"
#include "cli/engine_choice.h"
#include "top/screen.h"

namespace sluice {
namespace {

constexpr double kLeastPause = 0.2;
constexpr double kSlurmPause = 5;

struct Options {
  std::optional<double> every;
  std::string engine;
};

Result<void> run(const Options& options) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0)
    return bad_input("top needs a terminal", "in a script: sluice queue --json");
  TRY(const std::string engine, chosen_engine(options.engine));
  const bool slurm = engine == "slurm";
  TRY(WebSources sources, own_sources(slurm ? ShownCluster::kSlurm : ShownCluster::kEmbedded));
  // Sites forbid asking Slurm more often.
  const double every = std::clamp(options.every.value_or(slurm ? kSlurmPause : 1),
                                  slurm ? kSlurmPause : kLeastPause, 3600.0);
  const char* no_colour = std::getenv("NO_COLOR");
  TopSettings settings;
  settings.colour = no_colour == nullptr || *no_colour == '\0';
  TopWatch watch(std::move(sources), Duration(static_cast<std::int64_t>(every * 1000)));
  return run_top(watch, settings);
}

}  // namespace

void add_top(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("top", "Watch queue, pools, chains and nodes in a terminal");
  auto options = std::make_shared<Options>();
  verb->add_option("-d,--every", options->every, "Refresh every SECONDS (1; Slurm 5)")
      ->type_name("SECONDS");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "Keys: 1-4 views, j k or arrows, Enter opens a job with its log, / filters, s sorts,\n"
      "c cancels after a question, ? shows all keys, q quits. NO_COLOR is respected.\n\n"
      "Examples:\n  sluice top\n  sluice top -d 5\n  sluice top --on slurm");
  verb->callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? ExitCode::kDone : report(done.error());
  });
}

}  // namespace sluice
