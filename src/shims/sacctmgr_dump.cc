#include "shims/sacctmgr_dump.h"

#include <fmt/format.h>

#include <cstdio>

#include "shims/sacctmgr_change.h"
#include "shims/sacctmgr_fields.h"
#include "shims/site.h"
#include "text/scan.h"
#include "text/tres.h"

namespace sluice {
namespace {

// Limits in the order in which sacctmgr dumps them.
std::string dumped_limits(const Policy& policy, const Association& it) {
  std::string out;
  if (it.default_qos)
    out += fmt::format(":DefaultQOS='{}'", policy.qos[it.default_qos->index()].name);
  // What stands for "parent" in Slurm's accounts.
  constexpr std::int64_t kOfParent = 2147483647;
  out += fmt::format(":Fairshare={}", it.shares_of_parent ? kOfParent : std::int64_t{it.shares});
  const auto tres = [&](std::string_view name, const TresLimits& limits) {
    if (!limits.empty())
      out +=
          fmt::format(":{}={}", name, format_tres_limits(limits, policy.tres, TresOrder::kByName));
  };
  tres("GrpTRESMins", it.group.tres_minutes);
  tres("GrpTRESRunMins", it.group.tres_run_minutes);
  tres("GrpTRES", it.group.tres);
  if (it.group.jobs) out += fmt::format(":GrpJobs={}", *it.group.jobs);
  if (it.group.submit_jobs) out += fmt::format(":GrpSubmitJobs={}", *it.group.submit_jobs);
  if (it.group.wall) out += fmt::format(":GrpWall={}", to_seconds(*it.group.wall) / 60);
  tres("MaxTRESMinsPerJob", it.job.max_tres_minutes);
  tres("MaxTRESPerJob", it.job.max_tres);
  tres("MaxTRESPerNode", it.job.max_tres_node);
  if (it.max_jobs) out += fmt::format(":MaxJobs={}", *it.max_jobs);
  if (it.max_submit_jobs) out += fmt::format(":MaxSubmitJobs={}", *it.max_submit_jobs);
  if (it.job.max_wall)
    out += fmt::format(":MaxWallDurationPerJob={}", to_seconds(*it.job.max_wall) / 60);
  if (it.priority) out += fmt::format(":Priority={}", *it.priority);
  std::string qos;
  for (const QosId id : it.qos) qos += (qos.empty() ? "" : ",") + policy.qos[id.index()].name;
  if (!qos.empty()) out += fmt::format(":QOS='{}'", qos);
  return out;
}

}  // namespace

int dump_accounts(ShimCall& call, const std::vector<std::string>& words) {
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  std::string file = policy->cluster + ".cfg";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const SacctmgrPair pair = read_pair(words[i]);
    if (pair.name == "file") file = pair.value;
  }
  std::vector<std::string> lines;
  lines.push_back(fmt::format("Cluster - '{}':Fairshare=1:QOS='{}'", policy->cluster,
                              qos_list(*policy, policy->associations.front())));
  std::vector<std::size_t> accounts;
  for (const std::size_t i : tree_order(*policy))
    if (policy->associations[i].user.empty()) accounts.push_back(i);
  for (const std::size_t at : accounts) {
    std::vector<std::string> below;
    for (const TreePlace& each : tree_places(*policy, at)) {
      const Association& it = policy->associations[each.place];
      if (each.depth != 1) continue;
      if (it.user.empty()) {
        const SacctmgrRow row{&*policy, &it, nullptr, &it, nullptr, each.place, 0};
        below.push_back(fmt::format("Account - '{}':Description='{}':Organization='{}'{}",
                                    it.account, sacctmgr_field("assoc", "description")->text(row),
                                    sacctmgr_field("assoc", "organization")->text(row),
                                    dumped_limits(*policy, it)));
      } else {
        const User* user = user_named(*policy, it.user);
        below.push_back(
            fmt::format("User - '{}':DefaultAccount='{}'{}{}", it.user,
                        user != nullptr ? user->default_account : "",
                        user != nullptr && user->admin_level == AdminLevel::kAdministrator
                            ? ":AdminLevel='Administrator'"
                            : "",
                        dumped_limits(*policy, it)));
      }
    }
    if (below.empty()) continue;
    lines.push_back(fmt::format("Parent - '{}'", policy->associations[at].account));
    lines.insert(lines.end(), below.begin(), below.end());
  }
  std::string text = fmt::format(
      "# Accounts and users of cluster {}, as sacctmgr load takes them.\n", policy->cluster);
  for (const std::string& line : lines) text += line + "\n";
  if (file == "/dev/stdout" || file == "-") {
    call.out += text;
  } else {
    std::FILE* out = std::fopen(file.c_str(), "w");
    if (out == nullptr) return call.error("Unable to open file " + file), 1;
    std::fwrite(text.data(), 1, text.size(), out);
    std::fclose(out);
  }
  for (const std::string& line : lines) call.complain("sacctmgr: " + line);
  return 0;
}

}  // namespace sluice
