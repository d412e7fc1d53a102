// QoS: names before limits, and no circle of preemption on the way.
#include <fmt/format.h>

#include <algorithm>

#include "policyfile/plan/plan_parts.h"
#include "policyfile/read/sections.h"

namespace sluice {
namespace {

std::set<std::string> preempts(const Policy& policy, const Qos& qos) {
  std::set<std::string> out;
  for (const QosId id : qos.preempt) out.insert(policy.qos[id.index()].name);
  return out;
}

std::vector<std::string> flag_words(const Policy& policy, Qos qos) {
  FieldWriter writer(Notation::kSlurm, policy);
  describe_qos(writer, qos);
  for (auto& [name, value] : writer.fields)
    if (name == "Flags") return comma_words(value.text);
  return {};
}

// Added and removed one by one: flags that a file has no words for stay.
void add_flags(const std::vector<std::string>& before, const std::vector<std::string>& after,
               Argv& set) {
  const auto missing = [](const std::vector<std::string>& from,
                          const std::vector<std::string>& in) {
    std::vector<std::string> out;
    for (const std::string& word : from)
      if (std::find(in.begin(), in.end(), word) == in.end()) out.push_back(word);
    return out;
  };
  const auto added = missing(after, before);
  const auto removed = missing(before, after);
  if (!added.empty()) set.push_back(fmt::format("Flags+={}", fmt::join(added, ",")));
  if (!removed.empty()) set.push_back(fmt::format("Flags-={}", fmt::join(removed, ",")));
}

class QosPlan {
 public:
  explicit QosPlan(PlanContext& context) : c_(context) {
    for (const Qos& qos : c_.live.policy.qos) live_[qos.name] = &qos;
    for (const Qos& qos : c_.wanted.qos) wanted_[qos.name] = &qos;
  }

  void make() {
    for (const Qos& qos : c_.wanted.qos)
      if (!live_.contains(qos.name))
        step({"add", "qos", qos.name}, StepKind::kAdd, qos.name, {"new QoS " + qos.name});
    for (const Qos& qos : c_.wanted.qos) change(qos);
    // First the links that go, then those that are new.
    for (const Qos& qos : c_.wanted.qos) change_preempt(qos, Round::kFewer);
    for (const Qos& qos : c_.live.policy.qos)
      if (!wanted_.contains(qos.name) && qos.name != "normal" && !qos.preempt.empty())
        step({"modify", "qos", "where", "name=" + qos.name, "set", "Preempt="}, StepKind::kChange,
             qos.name, {fmt::format("QoS {} may preempt no other", qos.name)});
    for (const Qos& qos : c_.wanted.qos) change_preempt(qos, Round::kMore);
    for (const Qos& qos : c_.live.policy.qos)
      if (!wanted_.contains(qos.name) && qos.name != "normal") remove(qos.name);
  }

 private:
  enum class Round : std::uint8_t { kFewer, kMore };

  void step(Argv words, StepKind kind, const std::string& name, std::vector<std::string> says) {
    words.insert(words.begin(), {"sacctmgr", "-i"});
    PlanStep& step = c_.plan.steps.emplace_back();
    step.argv = std::move(words);
    step.kind = kind;
    step.subjects = {"qos " + name};
    step.says = std::move(says);
  }

  const Qos& before(const Qos& wanted) const {
    static const Qos kNew;
    const auto found = live_.find(wanted.name);
    return found == live_.end() ? kNew : *found->second;
  }

  void change(const Qos& wanted) {
    Qos live = before(wanted);
    live.description = slurm_description(live.description);
    Argv set;
    std::vector<std::string> says;
    for (const FieldChange& change :
         field_changes<Qos>(describe_qos, live, c_.live.policy, wanted, c_.wanted)) {
      if (change.name == "Preempt") continue;
      if (change.name == "description" && wanted.description.empty() && !c_.options.restore)
        continue;
      if (change.name == "Flags")
        add_flags(flag_words(c_.live.policy, live), flag_words(c_.wanted, wanted), set);
      else
        set.push_back(change.settings);
      says.push_back(fmt::format("QoS {}: {}", wanted.name, change_text(change, c_.options.tense)));
    }
    if (set.empty()) return;
    Argv words = {"modify", "qos", "where", "name=" + wanted.name, "set"};
    words.insert(words.end(), set.begin(), set.end());
    step(std::move(words), StepKind::kChange, wanted.name, std::move(says));
  }

  void change_preempt(const Qos& wanted, Round round) {
    const auto known = live_.find(wanted.name);
    const std::set<std::string> now =
        known == live_.end() ? std::set<std::string>{} : preempts(c_.live.policy, *known->second);
    const std::set<std::string> then = preempts(c_.wanted, wanted);
    std::set<std::string> both;
    std::set_intersection(now.begin(), now.end(), then.begin(), then.end(),
                          std::inserter(both, both.end()));
    if (round == Round::kFewer ? both == now : both == then) return;
    const std::set<std::string>& list = round == Round::kFewer ? both : then;
    step({"modify", "qos", "where", "name=" + wanted.name, "set",
          fmt::format("Preempt={}", fmt::join(list, ","))},
         StepKind::kChange, wanted.name,
         {fmt::format("QoS {} may preempt {}", wanted.name,
                      list.empty() ? "nobody" : fmt::format("{}", fmt::join(list, ", ")))});
  }

  void remove(const std::string& name) {
    std::vector<std::string> hits;
    for (const LiveHolder& job : c_.options.jobs)
      if (job.qos == name) hits.push_back(job.job);
    PlanStep step = c_.removal({"sacctmgr", "-i", "delete", "qos", "where", "name=" + name},
                               "qos " + name, "QoS " + name + " goes", name, std::move(hits));
    // Its users may be another cluster's.
    if (c_.live.clusters > 1 && !c_.options.deletions.contains(name))
      step.needs = "--delete " + name;
    last_.push_back(std::move(step));
  }

 public:
  // After everything that may still name it.
  std::vector<PlanStep> take_removals() { return std::move(last_); }

 private:
  PlanContext& c_;
  std::map<std::string, const Qos*> live_;
  std::map<std::string, const Qos*> wanted_;
  std::vector<PlanStep> last_;
};

}  // namespace

void plan_qos(PlanContext& context) {
  QosPlan qos(context);
  qos.make();
  for (PlanStep& step : qos.take_removals()) context.last.push_back(std::move(step));
}

}  // namespace sluice
