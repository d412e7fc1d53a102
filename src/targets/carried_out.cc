#include "targets/carried_out.h"

#include <algorithm>
#include <set>

namespace sluice {
namespace {

class Restored {
 public:
  Restored(Policy& out, const Policy& live) : out_(out), live_(live) {}

  void qos(const Qos& gone) {
    Qos kept = gone;
    kept.preempt = ids(gone.preempt);
    out_.qos.push_back(std::move(kept));
  }
  void association(const Association& gone) {
    Association kept = gone;
    const auto parent =
        out_.find_account(gone.parent ? live_.associations[gone.parent->index()].account : "root");
    if (!parent) return;
    kept.parent = *parent;
    kept.qos = ids(gone.qos);
    kept.default_qos.reset();
    if (gone.default_qos) kept.default_qos = id(*gone.default_qos);
    out_.associations.push_back(std::move(kept));
  }
  void user(const std::string& name) {
    if (out_.find_user(name)) return;
    if (const auto found = live_.find_user(name)) out_.users.push_back(live_.users[found->index()]);
  }

 private:
  std::optional<QosId> id(QosId in_live) const {
    return out_.find_qos(live_.qos[in_live.index()].name);
  }
  std::vector<QosId> ids(const std::vector<QosId>& in_live) const {
    std::vector<QosId> out;
    for (const QosId one : in_live)
      if (const auto found = id(one)) out.push_back(*found);
    return out;
  }

  Policy& out_;
  const Policy& live_;
};

bool has(const Policy& policy, const Association& wanted) {
  return std::any_of(policy.associations.begin(), policy.associations.end(),
                     [&](const Association& one) {
                       return one.account == wanted.account && one.user == wanted.user &&
                              one.partition == wanted.partition;
                     });
}

void keep_what_is_left_out(Policy& out, const Policy& live, const Plan& plan) {
  std::set<std::string> kept;
  for (const PlanStep& step : plan.steps)
    if (step.kind == StepKind::kRemove && !step.needs.empty())
      kept.insert(step.subjects.begin(), step.subjects.end());
  if (kept.empty()) return;
  Restored restored(out, live);
  for (const Qos& qos : live.qos)
    if (kept.contains("qos " + qos.name) && !out.find_qos(qos.name)) restored.qos(qos);
  for (const Association& one : live.associations) {
    const std::string subject = one.user.empty() ? "account " + one.account : "user " + one.user;
    if (!kept.contains(subject) || has(out, one)) continue;
    if (!one.user.empty()) restored.user(one.user);
    restored.association(one);
  }
}

// Only slurm.conf says these, and a person edits that.
void keep_what_slurm_conf_says(Policy& out, const Policy& live) {
  if (out.tres != live.tres) return;  // Weights are by number.
  out.priority = live.priority;
  out.preemption = live.preemption;
  out.scheduler = live.scheduler;
  out.enforce = live.enforce;
  out.jobs = live.jobs;
  out.licenses = live.licenses;
  for (Node& node : out.nodes)
    if (const auto found = live.find_node(node.name)) node = live.nodes[found->index()];
}

}  // namespace

Policy after_commands(Policy wanted, const Policy& live, const Plan& plan) {
  keep_what_slurm_conf_says(wanted, live);
  keep_what_is_left_out(wanted, live, plan);
  return wanted;
}

}  // namespace sluice
