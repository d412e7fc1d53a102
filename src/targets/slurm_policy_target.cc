// A Slurm as a policy target: differences become sacctmgr and scontrol commands, one by one.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "slurm/run_slurm.h"
#include "targets/plan_file.h"
#include "targets/policy_records.h"
#include "targets/policy_target.h"
#include "targets/slurm_import.h"
#include "targets/slurm_steps.h"
#include "text/plural.h"

namespace sluice {
namespace {

// Some changes show only when others are done; more rounds than this mean that Slurm does not take
// what it is given.
constexpr int kRounds = 4;

Result<Prospect> look_at_slurm(const Aim& aim) {
  TRY(LivePolicy live, read_live_policy());
  TRY(const std::vector<QueuedJob> jobs, queued_jobs());
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return look_ahead(std::move(live), jobs, aim,
                    Instant(std::chrono::duration_cast<Duration>(since_epoch)));
}

std::vector<const PlanStep*> steps_to_do(const Plan& plan) {
  std::vector<const PlanStep*> out;
  for (const PlanStep& step : plan.steps)
    if (step.needs.empty()) out.push_back(&step);
  return out;
}

// Stops at the first refusal and says what was done and what was not.
Result<void> carry_out_steps(const std::vector<const PlanStep*>& steps, const Say& say) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    say(fmt::format("[{}/{}] {}", i + 1, steps.size(), shell_quoted(steps[i]->argv)));
    auto done = carry_out_step(*steps[i]);
    if (done) continue;
    Error error = done.error();
    std::string text =
        fmt::format("{}\n  done: {} of {} commands; not done:", error.what, i, steps.size());
    for (std::size_t k = i; k < steps.size(); ++k) text += "\n    " + shell_quoted(steps[k]->argv);
    error.what = std::move(text);
    error.hint =
        "once that is fixed, run the same command again: it continues from here; or type: sluice "
        "policy "
        "undo --on slurm";
    return tl::unexpected(std::move(error));
  }
  return {};
}

// Repeats until nothing that may be done differs any more.
Result<Prospect> converge(const Aim& aim, Prospect prospect, const Say& say) {
  for (int round = 0; round < kRounds; ++round) {
    const auto steps = steps_to_do(prospect.plan);
    if (steps.empty()) return prospect;
    TRY_VOID(carry_out_steps(steps, say));
    TRY(prospect, look_at_slurm(aim));
  }
  const auto left = steps_to_do(prospect.plan);
  if (left.empty()) return prospect;
  std::string text = "Slurm took every command, and still differs:";
  for (const PlanStep* step : left) text += "\n    " + shell_quoted(step->argv);
  return failed(std::move(text),
                "sluice policy plan shows what is left; sluice policy undo --on slurm goes back");
}

// What was left out; whether that was nothing.
bool say_left_out(const Prospect& prospect, const Say& say) {
  for (const PlanStep& step : prospect.plan.steps)
    say(fmt::format("left out: {} (needs {})", step.says.front(), step.needs));
  if (!prospect.plan.conf.empty())
    say(fmt::format("{} that only slurm.conf can hold; sluice policy plan shows {}.",
                    prospect.plan.conf.size() == 1
                        ? "1 line remains"
                        : plural(prospect.plan.conf.size(), "line") + " remain",
                    prospect.plan.conf.size() == 1 ? "it" : "them"));
  return prospect.plan.held_back() == 0;
}

class SlurmProposal : public Proposal {
 public:
  SlurmProposal(Aim aim, Prospect prospect)
      : aim_(std::move(aim)), prospect_(std::move(prospect)) {}

  std::string text() const override { return prospect_text(prospect_); }
  Value value() const override { return prospect_value(prospect_); }
  std::string saved() const override { return plan_file_text(aim_, prospect_); }
  bool differs() const override { return !prospect_.plan.empty(); }
  bool has_work() const override { return !steps_to_do(prospect_.plan).empty(); }
  Result<void> may_begin() override { return may_change_slurm(); }

  Result<bool> carry_out(const Say& say) override {
    if (differs() && !has_work()) return say_left_out(prospect_, say);
    const std::string cluster = prospect_.live.policy.cluster;
    TRY(PolicyRecords records, PolicyRecords::open(cluster));
    if (!has_work()) {
      TRY_VOID(records.finish(prospect_.live.policy));
      return true;
    }
    TRY_VOID(records.begin(aim_, prospect_));
    TRY(prospect_, converge(aim_, std::move(prospect_), say));
    TRY_VOID(records.finish(prospect_.live.policy));
    say(fmt::format(
        "Applied to cluster {} and read back. To go back, type: sluice policy undo --on slurm",
        cluster));
    return say_left_out(prospect_, say);
  }

 protected:
  Aim aim_;
  Prospect prospect_;
};

class SlurmWayBack final : public SlurmProposal {
 public:
  SlurmWayBack(Aim aim, Prospect prospect, PolicyRecords records, std::string path)
      : SlurmProposal(std::move(aim), std::move(prospect)),
        records_(std::move(records)),
        path_(std::move(path)) {}

  Result<bool> carry_out(const Say& say) override {
    TRY(prospect_, converge(aim_, std::move(prospect_), say));
    if (!say_left_out(prospect_, say)) return false;  // What was left out can still be undone.
    TRY_VOID(records_.mark_undone(path_));
    TRY(const LivePolicy now, read_live_policy());
    TRY_VOID(records_.finish(now.policy));
    say(fmt::format("Cluster {} is as it was before the last apply.", now.policy.cluster));
    return true;
  }

 private:
  PolicyRecords records_;
  std::string path_;
};

// What was saved is done, less what is done already; never more.
Result<void> check_saved(const PlanFile& saved, const Prospect& prospect) {
  const std::string& cluster = prospect.live.policy.cluster;
  if (saved.cluster != cluster)
    return bad_input(
        fmt::format("the plan is for cluster '{}', and this is '{}'", saved.cluster, cluster));
  for (const PlanStep& step : prospect.plan.steps)
    for (const std::string& subject : step.subjects)
      if (!saved.subjects.contains(subject))
        return failed(fmt::format("the cluster has changed since the plan was made: {}",
                                  step.says.empty() ? subject : step.says.front()),
                      "make a new plan: sluice policy plan FILE --out PLAN");
  return {};
}

Error nothing_applied(const std::string& cluster, std::string hint) {
  return Error{ErrorKind::kBadInput,
               fmt::format("nothing was applied to cluster {} from here", cluster),
               {},
               std::move(hint)};
}

std::vector<std::string> sentences(const Plan& plan) {
  std::vector<std::string> out;
  for (const PlanStep& step : plan.steps) out.insert(out.end(), step.says.begin(), step.says.end());
  for (const ConfChange& change : plan.conf) {
    if (change.line.empty())
      out.push_back(fmt::format("slurm.conf lost {}", change.now));
    else if (change.now.empty())
      out.push_back(fmt::format("slurm.conf has {} now", change.line));
    else
      out.push_back(fmt::format("slurm.conf: {} became {}", change.now, change.line));
  }
  return out;
}

class SlurmPolicyTarget final : public PolicyTarget {
 public:
  std::string engine() const override { return "slurm"; }

  Result<std::string> name() override {
    TRY(const SlurmIdentity identity, slurm_identity());
    std::string out = fmt::format("cluster {}, Slurm {}", identity.cluster, identity.version);
    if (!identity.controller.empty()) out += " at " + identity.controller;
    return out;
  }

  Result<PolicyInForce> read() override {
    TRY(LivePolicy live, read_live_policy());
    return PolicyInForce{std::move(live.policy), std::move(live.slurm_only), std::move(live.notes)};
  }

  Result<std::unique_ptr<Proposal>> plan(const PolicyWish& wish) override {
    std::optional<PlanFile> saved;
    Aim aim;
    if (wish.saved.empty()) {
      TRY(aim, read_policy_file(wish.file));
      aim.consent = wish.consent;
    } else {
      TRY(saved, read_plan_file(wish.saved));
      aim = saved->aim;
    }
    TRY(Prospect prospect, look_at_slurm(aim));
    if (saved)
      TRY_VOID(check_saved(*saved, prospect));
    else
      TRY_VOID(check_cluster_name(aim.policy, prospect.live.policy.cluster, wish.confirmed));
    return std::make_unique<SlurmProposal>(std::move(aim), std::move(prospect));
  }

  Result<std::unique_ptr<Proposal>> plan_back(const Consent& consent) override {
    TRY(const SlurmIdentity identity, slurm_identity());
    TRY(PolicyRecords records, PolicyRecords::open(identity.cluster));
    TRY(const auto path, records.last());
    if (!path)
      return tl::unexpected(
          nothing_applied(identity.cluster, fmt::format("records are in {}", records.folder())));
    TRY(PlanFile back, read_plan_file(*path));
    back.aim.only = back.subjects;
    const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(back.aim.consent.deletions, consent.deletions);
    add(back.aim.consent.admin_levels, consent.admin_levels);
    add(back.aim.consent.coordinators, consent.coordinators);
    TRY(Prospect prospect, look_at_slurm(back.aim));
    return std::make_unique<SlurmWayBack>(std::move(back.aim), std::move(prospect),
                                          std::move(records), *path);
  }

  Result<PolicyDrift> drift(const std::string& file) override {
    TRY(const LivePolicy live, read_live_policy());
    LivePolicy then = live;
    PolicyDrift out;
    out.cluster = live.policy.cluster;
    if (file.empty()) {
      TRY(const PolicyRecords records, PolicyRecords::open(out.cluster));
      TRY(const auto applied, records.applied());
      if (!applied)
        return tl::unexpected(nothing_applied(
            out.cluster, "name a file to compare with: sluice policy drift FILE --on slurm"));
      then.policy = *applied;
      out.since = "the apply of " + records.applied_at();
    } else {
      TRY(const Aim wanted, read_policy_file(file));
      then.policy = as_slurm_keeps(wanted.policy);
      keep_unnamed(then.policy, live.policy, *wanted.named);
      then.slurm_only = wanted.slurm_only;
      out.since = file;
    }
    then.policy.cluster = live.policy.cluster;
    then.tracked.clear();
    for (std::size_t i = 0; i < live.policy.tres.size(); ++i)
      then.tracked.insert(live.policy.tres.name(TresIndex(static_cast<std::uint8_t>(i))));
    PlanOptions how;
    how.tense = Tense::kHistory;
    how.restore = file.empty();
    how.slurm_only = live.slurm_only;
    out.changes = sentences(make_plan(then, live.policy, how));
    return out;
  }
};

}  // namespace

std::unique_ptr<PolicyTarget> slurm_policy_target() {
  return std::make_unique<SlurmPolicyTarget>();
}

}  // namespace sluice
