// What only Slurm keeps: compared word by word.
#include <fmt/format.h>

#include "policyfile/plan/plan_parts.h"

namespace sluice {
namespace {

class SlurmOnlyPlan {
 public:
  explicit SlurmOnlyPlan(PlanContext& context) : c_(context) {}

  void make() {
    for (const Qos& qos : c_.wanted.qos)
      compare("qos " + qos.name, "QoS " + qos.name, {"modify", "qos", "where", "name=" + qos.name},
              {});
    for (const Association& a : c_.wanted.associations) {
      Argv where = {"modify", "account", "where", "name=" + a.account, c_.of_cluster()};
      if (!a.user.empty())
        where = {"modify",
                 "user",
                 "where",
                 "name=" + a.user,
                 "account=" + a.account,
                 c_.of_cluster(),
                 "partition=" + a.partition};
      std::string list;
      for (const QosId id : a.qos)
        list += (list.empty() ? "" : ",") + c_.wanted.qos[id.index()].name;
      compare(subject_of(a), subject_of(a), where, list);
    }
  }

 private:
  static const SlurmOnlyFields& of(const SlurmOnly& all, const std::string& subject) {
    static const SlurmOnlyFields kNothing;
    const auto found = all.find(subject);
    return found == all.end() ? kNothing : found->second;
  }

  static std::string value_of(const SlurmOnlyFields& fields, const std::string& key) {
    const auto found = fields.find(key);
    return found == fields.end() || found->second == "-1" ? std::string() : found->second;
  }

  static std::string of_account(const std::string& subject) {
    return subject.substr(subject.find(' ') + 1);
  }

  // Of "account chem"; where it is the usual one, it is not among what is kept.
  std::string organization(const std::string& subject) const {
    const auto found = c_.live.organizations.find(of_account(subject));
    return found == c_.live.organizations.end() ? std::string() : found->second;
  }

  void compare(const std::string& subject, const std::string& named, const Argv& where,
               const std::string& list) {
    const SlurmOnlyFields& now = of(c_.live.slurm_only, subject);
    const SlurmOnlyFields& then = of(c_.options.slurm_only, subject);
    Argv settings;
    std::vector<std::string> says;
    for (const auto& [key, value] : then) {
      if (key == kQosDifference) continue;
      const std::string was = value_of(now, key);
      const std::string wanted =
          key == "Organization" ? slurm_description(value) : value_of(then, key);
      // A new account is given its own when it is made.
      const bool said =
          key == "Organization" && (!c_.live.account_records.contains(of_account(subject)) ||
                                    organization(subject) == wanted);
      if (was == wanted || said) continue;
      settings.push_back(fmt::format("{}={}", sacctmgr_key(key), wanted.empty() ? "-1" : wanted));
      says.push_back(text(named, key, wanted, was));
    }
    // As with every limit: what the file does not say is not set.
    for (const auto& [key, value] : now) {
      if (key == kQosDifference || key == "Organization" || then.contains(key)) continue;
      settings.push_back(sacctmgr_key(key) + "=-1");
      says.push_back(text(named, key, {}, value_of(now, key)));
    }
    if (!settings.empty()) step(subject, where, settings, std::move(says));
    const std::string was = value_of(now, kQosDifference);
    const std::string wanted = value_of(then, kQosDifference);
    if (was == wanted) return;
    const std::string say = wanted.empty()
                                ? fmt::format("{}: may use {}", named,
                                              list.empty() ? "the QoS of the account above" : list)
                                : fmt::format("{}: QoS of the account above, {}", named, wanted);
    step(subject, where, {"QosLevel=" + (wanted.empty() ? list : std::string())}, {say});
    if (!wanted.empty())
      for (const std::string& setting : qos_difference_settings(wanted))
        step(subject, where, {setting}, {say});
  }

  std::string text(const std::string& named, const std::string& key, const std::string& wanted,
                   const std::string& was) const {
    return fmt::format(
        "{}: {}", named,
        change_text({key, {}, was, wanted.empty() ? "unlimited" : wanted}, c_.options.tense));
  }

  void step(const std::string& subject, const Argv& where, const Argv& settings,
            std::vector<std::string> says) {
    PlanStep step;
    step.argv = {"sacctmgr", "-i"};
    step.argv.insert(step.argv.end(), where.begin(), where.end());
    step.argv.emplace_back("set");
    step.argv.insert(step.argv.end(), settings.begin(), settings.end());
    step.subjects = {subject};
    step.says = std::move(says);
    c_.last.push_back(std::move(step));
  }

  PlanContext& c_;
};

}  // namespace

void plan_slurm_only(PlanContext& context) { SlurmOnlyPlan(context).make(); }

}  // namespace sluice
