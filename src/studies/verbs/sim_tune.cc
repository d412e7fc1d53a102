// sluice sim tune: tries settings of a policy on the same workload, on all cores.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <span>
#include <thread>

#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "host/files/files.h"
#include "policyfile/plan/differences.h"
#include "policyfile/read/include.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/read/yaml.h"
#include "sim/simulation.h"
#include "sim/tuning/tuning.h"
#include "sim/tuning/variation.h"
#include "studies/verbs/sim_verb.h"
#include "studies/workload_options.h"
#include "text/quoting.h"

namespace sluice {
namespace {

constexpr std::size_t kMostTrials = 2000;

struct Options {
  std::shared_ptr<WorkloadOptions> workload = std::make_shared<WorkloadOptions>();
  std::string policy;
  std::vector<std::string> vary;
  std::vector<std::string> goals;
  std::vector<std::string> keep;
  std::string out;
  bool json = false;
};

struct Candidate {
  std::vector<std::string> settings;  // Empty: the policy as it is.
  Value document;
  std::shared_ptr<const Policy> policy;  // Nothing where it cannot be read.
  std::string refused;
  std::string hint;  // What could be written instead.
};

Result<std::vector<Goal>> read_goals(const Options& options) {
  std::vector<Goal> out;
  for (const auto* texts : {&options.goals, &options.keep})
    for (const std::string& text : *texts) {
      TRY(Goal goal, parse_goal(text));
      out.push_back(std::move(goal));
    }
  return out;
}

// A name that no account, user, QoS or partition has would never be met.
Result<void> check_names(const std::vector<Goal>& goals, const Policy& policy) {
  const auto has = [&](const Goal& goal) {
    const auto of = [&](GoalScope scope) {
      return goal.scope == GoalScope::kAny || goal.scope == scope;
    };
    return (of(GoalScope::kAccount) && policy.find_account(goal.of)) ||
           (of(GoalScope::kQos) && policy.find_qos(goal.of)) ||
           (of(GoalScope::kUser) && policy.find_user(goal.of)) ||
           (of(GoalScope::kPartition) && policy.find_partition(goal.of));
  };
  for (const Goal& goal : goals)
    if (!goal.of.empty() && goal.scope != GoalScope::kResource && !has(goal))
      return bad_input(fmt::format("'{}': the policy has no {} '{}'", goal.text,
                                   goal.scope == GoalScope::kAny ? "account, QoS, user or partition"
                                                                 : scope_word(goal.scope),
                                   goal.of));
  return {};
}

Candidate read_candidate(Value document, std::vector<std::string> settings) {
  Candidate out;
  out.settings = std::move(settings);
  PolicyText text = read_policy_document(document);
  out.document = std::move(document);
  if (text.errors.empty())
    out.policy = std::make_shared<const Policy>(std::move(text.policy));
  else {
    out.refused = text.errors.front().what;
    out.hint = text.errors.front().hint;
  }
  return out;
}

// The policy as it is, then every combination.
Result<std::vector<Candidate>> candidates_of(const Value& document,
                                             const std::vector<Variation>& variations) {
  std::size_t count = 1;
  for (const Variation& each : variations) {
    count *= each.values.size();
    if (count > kMostTrials)
      return bad_input(fmt::format("more than {} combinations to try", kMostTrials),
                       "give fewer values, or a larger step: 0..100:20");
  }
  std::vector<Candidate> out;
  out.push_back(read_candidate(document, {}));
  for (std::size_t i = 0; i < count; ++i) {
    Value edited = document;
    std::vector<std::string> settings;
    std::size_t rest = i;
    for (const Variation& each : variations) {
      const std::string& value = each.values[rest % each.values.size()];
      rest /= each.values.size();
      TRY(edited, with_value(edited, each, value));
      settings.push_back(value);
    }
    out.push_back(read_candidate(std::move(edited), std::move(settings)));
  }
  return out;
}

// A setting that the policy file does not have, or that takes other values.
Result<void> check_some_can_be(const std::vector<Candidate>& candidates,
                               const std::vector<std::string>& vary) {
  const auto changed = std::span(candidates).subspan(1);
  for (const Candidate& each : changed)
    if (each.policy != nullptr) return {};
  const Candidate& first = changed.front();
  return bad_input(
      fmt::format("--vary {}: no policy can have {}: {}", fmt::join(vary, " --vary "),
                  changed.size() == 1 ? "this value" : "any of these values", first.refused),
      first.hint);
}

TunedPolicy tried(const Candidate& candidate, const Workload& workload,
                  const std::vector<Goal>& goals) {
  TunedPolicy out;
  out.settings = candidate.settings;
  out.refused = candidate.refused;
  out.figures.resize(goals.size());
  if (candidate.policy == nullptr) return out;
  // What is held of a resource is seen only by looking on all the time.
  SimulationOptions options;
  options.observe = std::any_of(goals.begin(), goals.end(), [](const Goal& goal) {
    return goal.scope == GoalScope::kResource;
  });
  const auto simulation = simulate(candidate.policy, workload, options);
  if (!simulation) {
    out.refused = simulation.error().what;
    return out;
  }
  const SimulationReport report = make_report(workload, *simulation, candidate.policy);
  out.not_run = report.refused + report.left;
  for (std::size_t i = 0; i < goals.size(); ++i) out.figures[i] = goals[i].value_in(report);
  return out;
}

// Each trial is independent of the others: the result does not depend on the number of cores.
bool try_all(const std::vector<Candidate>& candidates, const Workload& workload, Tuning& tuning) {
  tuning.trials.resize(candidates.size());
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stop{false};
  const auto work = [&] {
    for (std::size_t i = next++; i < candidates.size() && !stop; i = next++) {
      tuning.trials[i] = tried(candidates[i], workload, tuning.goals);
      ++done;
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (std::size_t i = 0; i < std::min(cores, candidates.size()); ++i) others.emplace_back(work);
  ProgressLine progress;
  while (done < candidates.size() && !stop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (!progress.show(done, candidates.size(), "settings")) stop = true;
  }
  for (std::thread& each : others) each.join();
  progress.clear();
  return !stop;
}

Result<ExitCode> run(const Options& options) {
  if (options.vary.empty() || options.goals.empty())
    return bad_input("what to vary and what to reach belong here",
                     "sluice sim tune POLICY --vary qos.NAME.GrpTRES=gpu=2..8 --goal 'p95 wait of "
                     "NAME <= 10m' -w jobs=3000");
  Tuning tuning;
  TRY(tuning.goals, read_goals(options));
  tuning.kept = options.keep.size();
  std::vector<Variation> variations;
  for (const std::string& text : options.vary) {
    TRY(Variation variation, parse_variation(text));
    tuning.names.push_back(variation.name());
    variations.push_back(std::move(variation));
  }
  TRY(const std::shared_ptr<const Policy> policy, load_policy(options.policy));
  TRY_VOID(check_names(tuning.goals, *policy));
  TRY(const std::string text, read_file(options.policy));
  TRY(const Value document, load_document(text, options.policy, read_file));
  TRY(const std::vector<Candidate> candidates, candidates_of(document, variations));
  TRY_VOID(check_some_can_be(candidates, options.vary));
  TRY(const LoadedWorkload loaded, load_workload(*options.workload, policy));
  if (!try_all(candidates, loaded.workload, tuning)) return failed("stopped before all was tried");
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].policy != nullptr && !(*candidates[i].policy == *policy))
      tuning.trials[i].changes = policy_differences(*policy, *candidates[i].policy).size();
  choose(tuning);
  if (tuning.chosen && !options.out.empty())
    TRY_VOID(write_output(options.out, print_yaml(candidates[*tuning.chosen].document)));
  if (options.json) {
    fmt::print("{}", tuning_json(tuning));
    return tuning.chosen ? ExitCode::kDone : ExitCode::kWorkFailed;
  }
  for (const std::string& sentence : loaded.unexercised) fmt::print("{}\n", sentence);
  fmt::print("{} settings of {} on {} jobs of {}\n\n{}", candidates.size() - 1, options.policy,
             loaded.workload.items.size(), loaded.workload.name, tuning_text(tuning));
  if (!tuning.chosen) {
    fmt::print("\nNone of them meets everything; those above come nearest.\n");
    return ExitCode::kWorkFailed;
  }
  const Candidate& chosen = candidates[*tuning.chosen];
  const auto differences = policy_differences(*policy, *chosen.policy);
  fmt::print("\n");
  if (differences.empty()) fmt::print("The policy as it is meets everything.\n");
  for (const Difference& each : differences) fmt::print("{}\n", each.sentence());
  if (!differences.empty() && options.out.empty())
    fmt::print("To write it: add --out FILE; then type: sluice policy plan FILE\n");
  else if (!options.out.empty())
    fmt::print("Written to {}; next, type: sluice policy plan {}\n", options.out,
               shell_argument(options.out));
  return ExitCode::kDone;
}

}  // namespace

void add_sim_tune(Command& sim, ExitCode& exit_code) {
  Command* verb = sim.add_subcommand(
      "tune", "Try settings of a policy on the same workload and choose what meets a goal");
  auto options = std::make_shared<Options>();
  verb->add_option("POLICY", options->policy, "The policy file as it is")->required();
  verb->add_option("--vary", options->vary,
                   "A setting and the values to try; several give every combination")
      ->type_name("PATH=VALUES")
      ->take_all();
  verb->add_option("--goal", options->goals, "What to reach, in words; the first decides")
      ->type_name("GOAL")
      ->take_all();
  verb->add_option("--keep", options->keep, "What must hold as well")
      ->type_name("GOAL")
      ->take_all();
  add_workload_options(*verb, options->workload);
  verb->add_option("--out", options->out, "Write the chosen policy")->type_name("FILE");
  verb->add_flag("--json", options->json, "Every trial, as JSON");
  verb->footer(
      "Goals: [mean|median|p95|p99|longest] wait [of NAME] <= 10m; slowdown [of NAME] <= 3; share\n"
      "of NAME >= 40%; refused [of NAME] <= 0; preemptions [of NAME] <= 10; utilisation [of CPUs|\n"
      "GPUs|memory] >= 80%. NAME is an account, a QoS, a user or a partition; 'qos NAME' where\n"
      "several are called so. Values: 1d,7d,14d or 2..8, 0..1000:100, 0.5..2:0.5, 6h..7d,\n"
      "100G..800G:100G. Exit code 1 where nothing meets everything.\n\n"
      "Examples:\n"
      "  sluice sim tune policy.yaml --vary qos.interactive.GrpTRES=gpu=2..8 \\\n"
      "    --goal 'p95 wait of interactive <= 10m' --keep 'share of research >= 40%' -w jobs=3000\n"
      "  sluice sim tune policy.yaml --vary priority.half_life=1d,7d,14d \\\n"
      "    --vary qos.night.Priority=100..1000:300 --goal 'wait <= 1h' -w sacct.txt --out "
      "new.yaml");
  verb->callback([options, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
