// sluice sim compare A B: the same workload under two policies.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/output_file.h"
#include "studies/compared_run.h"
#include "studies/verbs/sim_verb.h"
#include "studies/workload_options.h"

namespace sluice {
namespace {

struct Options {
  std::shared_ptr<WorkloadOptions> workload = std::make_shared<WorkloadOptions>();
  std::string before;
  std::string after;
  std::string html;
  std::string users = "10";
  std::uint64_t seed = 1;
  bool json = false;
  bool exit_code = false;
};

Result<ExitCode> run(const Options& options) {
  TRY(const std::shared_ptr<const Policy> before, load_policy(options.before));
  TRY(const std::shared_ptr<const Policy> after, load_policy(options.after));
  // The same submissions under both: made for the first.
  TRY(const LoadedWorkload loaded, load_workload(*options.workload, before));
  TRY(const ComparedRun compared,
      compare_runs(loaded, {options.before, before}, {options.after, after}, options.seed));
  const PolicyComparison& comparison = compared.comparison;
  if (!options.html.empty())
    TRY_VOID(
        write_output(options.html, comparison_html(comparison, compared.before, compared.after)));
  std::optional<std::size_t> users;
  if (options.users != "all") {
    std::size_t value = 0;
    const char* end = options.users.data() + options.users.size();
    if (const auto read = std::from_chars(options.users.data(), end, value);
        read.ec != std::errc() || read.ptr != end)
      return bad_input(fmt::format("--users is '{}'", options.users), "give a number, or all");
    users = value;
  }
  fmt::print("{}", options.json ? comparison_json(comparison) : comparison_text(comparison, users));
  return options.exit_code && comparison.why_nothing.empty() ? ExitCode::kWorkFailed
                                                             : ExitCode::kDone;
}

}  // namespace

void add_sim_compare(Command& sim, ExitCode& exit_code) {
  Command* verb = sim.add_subcommand(
      "compare", "The same workload under two policies: what changes, who gains and who loses");
  auto options = std::make_shared<Options>();
  verb->add_option("A", options->before, "The policy file before")->required();
  verb->add_option("B", options->after, "The policy file after")->required();
  add_workload_options(*verb, options->workload);
  verb->add_option("--users", options->users, "How many users to list, or all")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "Of the resampling behind the intervals")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--html", options->html, "Write a report with charts, one file")
      ->type_name("FILE");
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--exit-code", options->exit_code, "Exit with 1 where anything changes");
  verb->footer(
      "A made-up workload is made for A; both policies get the same submissions.\n\n"
      "Examples:\n"
      "  sluice sim compare old.yaml new.yaml --workload jobs=5000,load=0.95\n"
      "  sluice sim compare old.yaml new.yaml --workload sacct.txt --html compare.html");
  verb->callback([options, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
