// sluice sim compare A B: the same workload under two policies.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>

#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "policyfile/plan/differences.h"
#include "sim/reports/policy_comparison.h"
#include "sim/reports/report.h"
#include "sim/simulation.h"
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

struct Ran {
  Simulation simulation;
  SimulationReport report;
};

Result<Ran> run_under(const std::shared_ptr<const Policy>& policy, const std::string& name,
                      const Workload& workload, std::atomic<std::size_t>& ended,
                      const std::atomic<bool>& stop) {
  SimulationOptions options;
  options.observe = true;
  std::size_t before = 0;
  options.go_on = [&](const SimulationProgress& so_far) {
    ended += so_far.ended - before;
    before = so_far.ended;
    return !stop;
  };
  Ran out;
  TRY(out.simulation, simulate(policy, workload, options));
  if (out.simulation.stopped_early) return failed("stopped before both policies were tried");
  out.report = make_report(workload, out.simulation, policy);
  out.report.rules = name;
  return out;
}

struct Both {
  Result<Ran> before;
  Result<Ran> after;
};

// Side by side: neither knows of the other, so that the result does not depend on the cores.
Both run_both(const Options& options, const std::shared_ptr<const Policy>& before,
              const std::shared_ptr<const Policy>& after, const Workload& workload) {
  std::atomic<std::size_t> ended{0};
  std::atomic<bool> stop{false};
  const auto start = [&](const std::shared_ptr<const Policy>& policy, const std::string& name) {
    return std::async(std::launch::async,
                      [&] { return run_under(policy, name, workload, ended, stop); });
  };
  auto first = start(before, options.before);
  auto second = start(after, options.after);
  ProgressLine progress;
  for (auto* each : {&first, &second})
    while (each->wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
      if (!progress.show(ended, 2 * workload.items.size())) stop = true;
  progress.clear();
  return {first.get(), second.get()};
}

Result<ExitCode> run(const Options& options) {
  TRY(const std::shared_ptr<const Policy> before, load_policy(options.before));
  TRY(const std::shared_ptr<const Policy> after, load_policy(options.after));
  // The same submissions under both: made for the first.
  TRY(const LoadedWorkload loaded, load_workload(*options.workload, before));
  Both both = run_both(options, before, after, loaded.workload);
  TRY(const Ran a, std::move(both.before));
  TRY(Ran b, std::move(both.after));
  b.report.unexercised = loaded.unexercised;
  std::vector<std::string> differences;
  for (const Difference& each : policy_differences(*before, *after))
    differences.push_back(each.sentence());
  const PolicyComparison comparison =
      compare_policies(loaded.workload, {&a.simulation, &a.report}, {&b.simulation, &b.report},
                       std::move(differences), options.seed);
  if (!options.html.empty())
    TRY_VOID(write_output(options.html, comparison_html(comparison, a.report, b.report)));
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
