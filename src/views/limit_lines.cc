#include "views/limit_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "text/duration.h"
#include "views/pool_words.h"

namespace sluice {
namespace {

class Collector {
 public:
  Collector(const Description& cluster, const std::string& user)
      : cluster_(cluster), policy_(*cluster.policy), user_(user) {}

  std::vector<LimitLine> lines() {
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < policy_.associations.size(); ++i) {
      const Association& own = policy_.associations[i];
      if (own.user != user_ || user_.empty()) continue;
      // Up to the root: what binds an account binds its users.
      for (std::optional<AssocId> at = AssocId(static_cast<std::uint32_t>(i)); at;
           at = policy_.associations[at->index()].parent)
        if (seen.insert(at->value()).second) add_association(*at);
    }
    for (const QosId id : qos_of(policy_, user_)) add_qos(id);
    return std::move(lines_);
  }

 private:
  void add(std::string name, std::string limit, std::string used, std::int64_t percent) {
    lines_.push_back({of_, std::move(name), counts_, std::move(limit), std::move(used), percent});
  }
  static std::int64_t percent_of(std::int64_t used, std::int64_t limit) {
    return limit > 0 ? used * 100 / limit : used > 0 ? 100 : 0;
  }
  void number(const char* name, const std::optional<std::int64_t>& limit,
              std::optional<std::int64_t> used) {
    if (!limit) return;
    add(name, std::to_string(*limit), used ? std::to_string(*used) : "",
        used ? percent_of(*used, *limit) : 0);
  }
  void span(const char* name, const std::optional<Duration>& limit, std::optional<Duration> used) {
    if (!limit) return;
    add(name, format_friendly_duration(*limit), used ? format_friendly_duration(*used) : "",
        used ? percent_of(used->count(), limit->count()) : 0);
  }
  void tres(const char* name, const TresLimits& limits, const TresVector* used,
            const char* unit = "") {
    for (std::size_t i = 0; i < policy_.tres.size(); ++i) {
      const TresIndex index(static_cast<std::uint8_t>(i));
      const auto limit = limits.get(index);
      if (!limit) continue;
      const auto text = [&](std::int64_t amount) {
        return *unit != '\0' ? fmt::format("{} {}", amount, unit) : amount_text(index, amount);
      };
      add(fmt::format("{} {}", name, policy_.tres.name(index)), text(*limit),
          used != nullptr ? text((*used)[index]) : "",
          used != nullptr ? percent_of((*used)[index], *limit) : 0);
    }
  }
  void group(const GroupLimits& limits, const Use& use) {
    tres("GrpTRES", limits.tres, &use.tres);
    tres("GrpTRESMins", limits.tres_minutes, &use.tres_minutes, "min");
    tres("GrpTRESRunMins", limits.tres_run_minutes, &use.tres_run_minutes, "min");
    number("GrpJobs", limits.jobs, use.jobs);
    number("GrpSubmitJobs", limits.submit_jobs, use.submitted);
    span("GrpWall", limits.wall, use.wall);
  }
  void one_job(const JobLimits& limits) {
    counts_ = "one job";
    tres("MaxTRESPerJob", limits.max_tres, nullptr);
    tres("MaxTRESPerNode", limits.max_tres_node, nullptr);
    tres("MaxTRESMinsPerJob", limits.max_tres_minutes, nullptr, "min");
    tres("MinTRESPerJob", limits.min_tres, nullptr);
    span("MaxWall", limits.max_wall, std::nullopt);
  }
  void add_association(AssocId id) {
    const Association& it = policy_.associations[id.index()];
    const Use use =
        id.index() < cluster_.associations.size() ? cluster_.associations[id.index()] : Use();
    of_ = it.user.empty() ? "account " + it.account
                          : fmt::format("user {} in account {}", it.user, it.account);
    if (!it.partition.empty()) of_ += ", partition " + it.partition;
    counts_ = it.user.empty() ? "account " + it.account : "you";
    group(it.group, use);
    number("MaxJobs", it.max_jobs, it.user.empty() ? std::nullopt : std::optional(use.jobs));
    number("MaxSubmitJobs", it.max_submit_jobs,
           it.user.empty() ? std::nullopt : std::optional(use.submitted));
    one_job(it.job);
  }
  Use held_by(const std::vector<HolderUse>& holders, QosId qos, const std::string& holder) const {
    for (const HolderUse& each : holders)
      if (each.qos == qos && each.holder == holder) return each.use;
    return Use();
  }
  void holder(const HolderLimits& limits, const Use& use, const char* suffix) {
    tres(fmt::format("MaxTRESPer{}", suffix).c_str(), limits.max_tres, &use.tres);
    tres(fmt::format("MaxTRESRunMinsPer{}", suffix).c_str(), limits.max_tres_run_minutes,
         &use.tres_run_minutes, "min");
    number(fmt::format("MaxJobsPer{}", suffix).c_str(), limits.max_jobs, use.jobs);
    number(fmt::format("MaxSubmitJobsPer{}", suffix).c_str(), limits.max_submit_jobs,
           use.submitted);
  }
  void add_qos(QosId id) {
    const Qos& it = policy_.qos[id.index()];
    of_ = "QoS " + it.name;
    counts_ = "all users";
    group(it.group, id.index() < cluster_.qos.size() ? cluster_.qos[id.index()] : Use());
    counts_ = "you";
    holder(it.user, held_by(cluster_.users, id, user_), "User");
    for (const std::string& account : accounts_of_user(policy_, user_)) {
      counts_ = "account " + account;
      holder(it.account, held_by(cluster_.accounts, id, account), "Account");
    }
    one_job(it.job);
  }

  const Description& cluster_;
  const Policy& policy_;
  const std::string& user_;
  std::string of_;
  std::string counts_;
  std::vector<LimitLine> lines_;
};

}  // namespace

std::vector<std::string> accounts_of_user(const Policy& policy, const std::string& user) {
  std::vector<std::string> out;
  for (const Association& it : policy.associations)
    if (!user.empty() && it.user == user &&
        std::find(out.begin(), out.end(), it.account) == out.end())
      out.push_back(it.account);
  return out;
}

std::vector<QosId> qos_of(const Policy& policy, const std::string& user) {
  std::set<std::uint32_t> allowed;
  bool any = false;
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    if (user.empty() || policy.associations[i].user != user) continue;
    any = true;
    for (const QosId id : policy.allowed_qos(AssocId(static_cast<std::uint32_t>(i))))
      allowed.insert(id.value());
  }
  std::vector<QosId> out;
  for (std::size_t i = 0; i < policy.qos.size(); ++i)
    if (!any || !policy.enforce.qos || allowed.contains(static_cast<std::uint32_t>(i)))
      out.emplace_back(static_cast<std::uint32_t>(i));
  return out;
}

std::vector<LimitLine> limits_on(const Description& cluster, const std::string& user) {
  return Collector(cluster, user).lines();
}

}  // namespace sluice
