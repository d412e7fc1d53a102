// sluice policy diff A B: by fields, and by what the same workload gets under both.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/command.h"
#include "policyfile/plan/differences.h"
#include "studies/compared_run.h"
#include "studies/workload_options.h"
#include "targets/verbs/policy_verb.h"
#include "text/quoting.h"

namespace sluice {
namespace {

struct Options {
  std::string before;
  std::string after;
  std::shared_ptr<WorkloadOptions> workload = std::make_shared<WorkloadOptions>();
  bool json = false;
  bool exit_code = false;
};

Result<ExitCode> diff(const Options& options) {
  TRY(const std::shared_ptr<const Policy> before, load_policy(options.before));
  TRY(const std::shared_ptr<const Policy> after, load_policy(options.after));
  const std::vector<Difference> differences = policy_differences(*before, *after);
  std::optional<PolicyComparison> consequences;
  if (options.workload->any()) {
    TRY(const LoadedWorkload loaded, load_workload(*options.workload, before));
    TRY(ComparedRun compared,
        compare_runs(loaded, {options.before, before}, {options.after, after}, 1));
    consequences = std::move(compared.comparison);
  }
  if (options.json) {
    std::string list;
    for (const Difference& each : differences)
      list += (list.empty() ? "" : ", ") + json_string(each.sentence());
    fmt::print(
        "{{\"schema\": \"sluice.policy.diff/2\", \"differences\": [{}], \"consequences\": {}}}\n",
        list, consequences ? comparison_json(*consequences) : "null");
  } else {
    for (const Difference& each : differences) fmt::print("{}\n", each.sentence());
    if (differences.empty()) fmt::print("The two files say the same.\n");
    if (consequences) {
      // They are listed above.
      consequences->differences.clear();
      fmt::print("\n{}", comparison_text(*consequences, 10));
    }
  }
  return options.exit_code && !differences.empty() ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

void add_policy_diff(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand(
      "diff", "Compare two policy files, by what they say and by what a workload gets under each");
  auto options = std::make_shared<Options>();
  verb->add_option("A", options->before, "The policy file before")->required();
  verb->add_option("B", options->after, "The policy file after")->required();
  add_workload_options(*verb, options->workload);
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--exit-code", options->exit_code, "Exit with 1 where they differ");
  verb->footer(
      "Examples:\n  sluice policy diff old.yaml new.yaml\n"
      "  sluice policy diff old.yaml new.yaml --generate jobs=5000\n"
      "  sluice policy diff old.yaml new.yaml --workload sacct.txt");
  verb->callback([options, &exit_code] {
    const auto done = diff(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
