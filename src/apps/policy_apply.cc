// sluice policy apply and undo: show, ask, keep the way back, do, read again, compare.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/files.h"
#include "apps/policy_embedded.h"
#include "apps/policy_plan.h"
#include "apps/policy_records.h"
#include "apps/policy_verb.h"
#include "cli/command.h"

namespace sluice {
namespace {

// Some changes show only when others are done; more rounds than this mean that Slurm does not take
// what it is told.
constexpr int kRounds = 4;

struct Options {
  std::string file = "policy.yaml";
  std::string plan;
  std::string cluster;
  std::string on;
  bool yes = false;
  Consent consent;
};

std::vector<const PlanStep*> steps_to_do(const Plan& plan) {
  std::vector<const PlanStep*> out;
  for (const PlanStep& step : plan.steps)
    if (step.needs.empty()) out.push_back(&step);
  return out;
}

// Stops at the first refusal and says what was done and what was not.
Result<void> carry_out(PolicyTarget& target, const std::vector<const PlanStep*>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    fmt::print("[{}/{}] {}\n", i + 1, steps.size(), shell_quoted(steps[i]->argv));
    std::fflush(stdout);
    auto done = target.carry_out(*steps[i]);
    if (done) continue;
    Error error = done.error();
    std::string text =
        fmt::format("{}\n  done: {} of {} commands; not done:", error.what, i, steps.size());
    for (std::size_t k = i; k < steps.size(); ++k) text += "\n    " + shell_quoted(steps[k]->argv);
    error.what = std::move(text);
    error.hint =
        "type the same again once that is mended: it goes on from here; or sluice policy undo";
    return tl::unexpected(std::move(error));
  }
  return {};
}

// Goes on until nothing that may be done differs any more.
Result<Prospect> converge(PolicyTarget& target, const Aim& aim, Prospect prospect) {
  for (int round = 0; round < kRounds; ++round) {
    const auto steps = steps_to_do(prospect.plan);
    if (steps.empty()) return prospect;
    TRY_VOID(carry_out(target, steps));
    TRY(prospect, look_ahead(target, aim));
  }
  const auto left = steps_to_do(prospect.plan);
  if (left.empty()) return prospect;
  std::string text = "Slurm took every command, and still differs:";
  for (const PlanStep* step : left) text += "\n    " + shell_quoted(step->argv);
  return failed(std::move(text),
                "sluice policy plan shows what is left; sluice policy undo goes back");
}

ExitCode conclude(const Prospect& prospect) {
  for (const PlanStep& step : prospect.plan.steps)
    fmt::print("left out: {} (needs {})\n", step.says.front(), step.needs);
  if (!prospect.plan.conf.empty())
    fmt::print("{} lines remain that only slurm.conf can hold; sluice policy plan shows them.\n",
               prospect.plan.conf.size());
  return prospect.plan.held_back() > 0 ? ExitCode::kWorkFailed : ExitCode::kDone;
}

EmbeddedPolicy embedded(const Options& options) {
  EmbeddedPolicy out{options.file, {}, options.plan, options.cluster};
  out.yes = options.yes;
  return out;
}

Result<ExitCode> apply(const Options& options) {
  TRY(const bool on_daemon, is_for_daemon(options.on));
  if (on_daemon) return apply_embedded(embedded(options));
  const auto target = slurm_policy_target();
  Aim aim;
  std::optional<PlanFile> saved;
  if (!options.plan.empty()) {
    TRY(saved, read_plan_file(options.plan));
    aim = saved->aim;
  } else {
    TRY(aim, read_policy_file(options.file));
    aim.consent = options.consent;
  }
  TRY(Prospect prospect, look_ahead(*target, aim));
  const std::string& cluster = prospect.live.policy.cluster;
  if (saved) {
    if (saved->cluster != cluster)
      return bad_input(
          fmt::format("the plan is for cluster '{}', and this is '{}'", saved->cluster, cluster));
    // What was saved is done, less what is done already; never more.
    for (const PlanStep& step : prospect.plan.steps)
      for (const std::string& subject : step.subjects)
        if (!saved->subjects.contains(subject))
          return failed(fmt::format("the cluster has changed since the plan was made: {}",
                                    step.says.empty() ? subject : step.says.front()),
                        "make a new plan: sluice policy plan FILE --out PLAN");
  } else {
    TRY_VOID(check_cluster_name(aim.policy, cluster, options.cluster));
  }
  fmt::print("{}", prospect_text(prospect));
  if (steps_to_do(prospect.plan).empty()) {
    if (prospect.plan.empty()) {
      TRY(PolicyRecords records, PolicyRecords::open(cluster));
      TRY_VOID(records.finish(prospect.live.policy));
    }
    return conclude(prospect);
  }
  TRY_VOID(target->may_change());
  TRY(const bool go, asked("Apply this?", options.yes));
  if (!go) {
    fmt::print("Nothing was changed.\n");
    return ExitCode::kWorkFailed;
  }
  TRY(PolicyRecords records, PolicyRecords::open(cluster));
  TRY_VOID(records.begin(aim, prospect));
  TRY(prospect, converge(*target, aim, std::move(prospect)));
  TRY_VOID(records.finish(prospect.live.policy));
  fmt::print("Applied to cluster {} and read back. To go back, type: sluice policy undo\n",
             cluster);
  return conclude(prospect);
}

Result<ExitCode> undo(const Options& options) {
  TRY(const bool on_daemon, is_for_daemon(options.on));
  if (on_daemon) return undo_embedded(embedded(options));
  const auto target = slurm_policy_target();
  TRY(const LivePolicy live, target->read());
  const std::string& cluster = live.policy.cluster;
  TRY(PolicyRecords records, PolicyRecords::open(cluster));
  TRY(const auto path, records.last());
  if (!path)
    return bad_input(fmt::format("nothing was applied to cluster {} from here", cluster),
                     fmt::format("records are kept in {}", records.folder()));
  TRY(PlanFile back, read_plan_file(*path));
  back.aim.only = back.subjects;
  for (const auto& [from, to] : {std::pair{&options.consent.deletions, &back.aim.consent.deletions},
                                 {&options.consent.admin_levels, &back.aim.consent.admin_levels},
                                 {&options.consent.coordinators, &back.aim.consent.coordinators}})
    to->insert(to->end(), from->begin(), from->end());
  TRY(Prospect prospect, look_ahead(*target, back.aim));
  fmt::print("{}", prospect_text(prospect));
  if (!steps_to_do(prospect.plan).empty()) {
    TRY_VOID(target->may_change());
    TRY(const bool go, asked("Go back like this?", options.yes));
    if (!go) {
      fmt::print("Nothing was changed.\n");
      return ExitCode::kWorkFailed;
    }
    TRY(prospect, converge(*target, back.aim, std::move(prospect)));
  }
  const ExitCode code = conclude(prospect);
  if (code != ExitCode::kDone) return code;  // What was left out can still be gone back on.
  TRY_VOID(records.mark_undone(*path));
  TRY(const LivePolicy now, target->read());
  PolicyRecords after = records;
  TRY_VOID(after.finish(now.policy));
  fmt::print("Cluster {} is as it was before the last apply.\n", cluster);
  return ExitCode::kDone;
}

ExitCode exit_of(const Result<ExitCode>& result) {
  return result ? *result : report(result.error());
}

}  // namespace

void add_policy_apply(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand("apply", "Make the live cluster do what the file says");
  auto options = std::make_shared<Options>();
  CommandOption* file =
      verb->add_option("FILE", options->file, "The policy file")->capture_default_str();
  verb->add_option("--plan", options->plan, "Exactly what this saved plan says")
      ->type_name("PLAN")
      ->excludes(file);
  verb->add_flag("--yes", options->yes, "Do not ask");
  verb->add_option("--cluster", options->cluster,
                   "The live cluster's name, where the file is for another")
      ->type_name("NAME");
  add_on_option(*verb, options->on);
  add_consent_options(*verb, options->consent);
  verb->footer(
      "Shows the plan, asks, writes down the way back, runs the commands one by one, reads the\n"
      "cluster again and compares. Done twice it does nothing; cut short it goes on from there.\n"
      "On the daemon of this machine its policy file is written and taken, both or neither.\n"
      "Exit code 0 done, 1 refused or something was left out, 69 Slurm cannot be reached,\n"
      "77 not an administrator (then nothing was changed).\n"
      "Examples:\n  sluice policy apply policy.yaml\n"
      "  sluice policy apply --plan today.plan --yes\n"
      "  sluice policy apply policy.yaml --on embedded\n"
      "  sluice policy apply policy.yaml --delete bob --admin-level alice");
  verb->callback([options, &exit_code] { exit_code = exit_of(apply(*options)); });
}

void add_policy_undo(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand("undo", "Go back to before the last apply");
  auto options = std::make_shared<Options>();
  verb->add_flag("--yes", options->yes, "Do not ask");
  add_on_option(*verb, options->on);
  add_consent_options(*verb, options->consent);
  verb->footer(
      "Only what that apply changed is changed back. Again: the apply before it.\n"
      "Examples:\n  sluice policy undo\n  sluice policy undo --yes --delete carol");
  verb->callback([options, &exit_code] { exit_code = exit_of(undo(*options)); });
}

}  // namespace sluice
