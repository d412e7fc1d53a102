// sluice pools: what each account can still take, which users hold the rest, what is left out.
#include "pools/verbs/pools_verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/command.h"
#include "cli/local_time.h"
#include "host/files/files.h"
#include "pools/routed_cluster.h"
#include "pools/routing_context.h"
#include "text/printable.h"

namespace sluice {
namespace {

constexpr Duration kLookAtTerminal = Duration(std::chrono::milliseconds(200));

struct Options {
  bool json = false;
  std::string format = "table";
  std::optional<double> watch;
  std::vector<std::string> accounts;
  std::string engine;
};

// `first` goes out with the page: a screen that is wiped before the answer is there would flicker.
ExitCode show(const Options& options, RoutedCluster& on, const char* first = "") {
  auto settings = load_routing_settings();
  if (!settings) return report(settings.error());
  const auto seen = on.cluster->describe();
  if (!seen) return report(seen.error());
  TaskNeeds needs = usual_needs(*seen, *settings);
  needs.accounts = listed_names(options.accounts);
  const std::vector<std::string> known = accounts_of(*seen);
  for (const std::string& name : needs.accounts)
    if (std::none_of(known.begin(), known.end(),
                     [&](const std::string& one) { return is_same_account(one, name); }))
      return report(Error{
          ErrorKind::kNotAllowed,
          fmt::format("{} has no account '{}' on {}", seen->user, name, seen->policy->cluster),
          {},
          fmt::format("there are: {}", fmt::join(known, ", "))});
  const auto pools = find_pools(*seen, *settings, needs);
  const std::string date = today();
  const PoolsPage page{&*seen, pools, date, now_here(), terminal_width()};
  fmt::print("{}", first);
  const bool as_json = options.json || options.format == "json";
  if (pools.empty() && !as_json)
    return report(
        Error{ErrorKind::kNotAllowed,
              fmt::format("{} may use no account on {}", seen->user, seen->policy->cluster),
              {},
              on.slurm ? "ask for one, or look at: sacctmgr show assoc user=$USER"
                       : "give the user an account in policy.yaml, or look at Slurm's with --on "
                         "slurm"});
  if (as_json) {
    fmt::print("{}", pools_json(page));
  } else if (options.format == "snakemake") {
    fmt::print("{}", pools_for_snakemake(pools));
    if (std::all_of(pools.begin(), pools.end(), [](const Pool& pool) {
          return pool.left_out != LeftOut::kNo || pool.now_jointly == 0;
        }))
      return report(Error{
          ErrorKind::kNoCapacity, "every pool is full", {}, "wait, or look at: sluice pools"});
  } else {
    fmt::print("{}", printable_lines(pools_table(page)));
  }
  if (seen->behind.empty()) return ExitCode::kDone;
  fmt::print(stderr, "sluice: {} does not answer, so this is old: {}\n", on.nickname, seen->behind);
  return ExitCode::kUnreachable;
}

ExitCode run(const Options& options) {
  auto on = open_cluster(options.engine);
  if (!on) return report(on.error());
  if (!options.watch) return show(options, *on);
  // Slurm is asked every 30 s at most, however often this is drawn.
  const double pause = std::max(on->slurm ? 5.0 : 0.5, *options.watch);
  const bool terminal = ::isatty(STDOUT_FILENO) != 0 && !options.json;
  for (;;) {
    const ExitCode code = show(options, *on, terminal ? "\x1b[H\x1b[2J" : "");
    if (code != ExitCode::kDone && code != ExitCode::kUnreachable) return code;
    std::fflush(stdout);
    // A terminal that gets another width is drawn anew at once.
    const std::size_t width = terminal_width();
    const auto end = now_here() + Duration(static_cast<std::int64_t>(pause * 1000));
    while (now_here() < end && terminal_width() == width)
      wait_for(std::min<Duration>(end - now_here(), kLookAtTerminal));
  }
}

}  // namespace

void add_pools(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand(
      "pools", "What each of your accounts can still take, and which users hold the rest");
  auto options = std::make_shared<Options>();
  verb->add_flag("--json", options->json, "Everything, as JSON");
  verb->add_option("--format", options->format, "table, json, or snakemake (live_accounts=[…])")
      ->one_of({"table", "json", "snakemake"});
  verb->add_option("--watch", options->watch,
                   "Refresh at this interval in seconds (30); Slurm is asked every 30 s at most")
      ->expected(0, 1)
      ->default_str("30");
  verb->add_option("-A,--account", options->accounts, "Only these accounts: a,b");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "A pool is what one (account, QoS, device) can take: limits minus what all users hold.\n"
      "What one task needs is in ~/.config/sluice/routing.yaml or .sluice.yaml\n"
      "(docs/reference/routing-file.md).\n\n"
      "Exit code 69: no answer (an earlier answer is shown with its age).\n\n"
      "Examples:\n  sluice pools\n  sluice pools --on slurm\n  sluice pools --watch\n  sluice "
      "pools --json | jq .totals\n"
      "  snakemake --config \"$(sluice pools --format snakemake)\"");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sluice
