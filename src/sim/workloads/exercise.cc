// Counts jobs by the QoS, account and partition that they would get.
#include "sim/workloads/exercise.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "sim/reports/report_words.h"
#include "sim/workloads/names_in_force.h"

namespace sluice {
namespace {

struct Used {
  std::set<std::string> qos;
  std::set<std::string> accounts;
  std::set<std::string> partitions;
  bool gpus = false;
  bool memory = false;
};

Used used_by(const Policy& policy, const Workload& workload) {
  std::vector<bool> in_use(workload.requests.size(), false);
  for (const WorkItem& item : workload.items) in_use[item.request] = true;
  const std::vector<NamesInForce> names = names_in_force(policy, workload);
  Used out;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    if (!in_use[i]) continue;
    const WorkRequest& request = workload.requests[i];
    out.accounts.insert(names[i].account);
    out.qos.insert(policy.qos.empty() ? "normal" : names[i].qos);
    if (policy.partitions.size() > 1)
      out.partitions.insert(names[i].partition);
    else
      for (const Partition& only : policy.partitions) out.partitions.insert(only.name);
    out.gpus = out.gpus || request.gpus > 0;
    out.memory = out.memory || request.memory_mb > 0;
  }
  // What a partition's own QoS limits is limited for all of its jobs.
  for (const Partition& partition : policy.partitions)
    if (partition.qos && out.partitions.contains(partition.name))
      out.qos.insert(policy.qos[partition.qos->index()].name);
  return out;
}

// A QoS that says nothing cannot be missed.
bool says_something(const Qos& qos) {
  Qos plain;
  plain.name = qos.name;
  plain.description = qos.description;
  return !(qos == plain);
}

// Jobs that get all the memory of their nodes because they name none.
std::size_t jobs_with_whole_memory(const Policy& policy, const Workload& workload) {
  if (!policy.jobs.memory_is_consumable || policy.jobs.default_mem_per_cpu_mb ||
      policy.jobs.default_mem_per_node_mb)
    return 0;
  const auto has_default = [&](const WorkRequest& request) {
    const auto id = request.partition > 0
                        ? policy.find_partition(workload.partitions[request.partition - 1])
                        : policy.default_partition();
    if (!id) return true;
    const Partition& partition = policy.partitions[id->index()];
    return partition.default_mem_per_cpu_mb || partition.default_mem_per_node_mb;
  };
  std::vector<bool> whole(workload.requests.size(), false);
  for (std::size_t i = 0; i < whole.size(); ++i)
    whole[i] = workload.requests[i].memory_mb <= 0 && !has_default(workload.requests[i]);
  std::size_t out = 0;
  for (const WorkItem& item : workload.items)
    if (whole[item.request]) ++out;
  return out;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i)
    out += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kShown) out += fmt::format(" and {} more", names.size() - kShown);
  return out;
}

}  // namespace

std::vector<std::string> unexercised(const Policy& policy, const Workload& workload) {
  const Used used = used_by(policy, workload);
  const std::string none = fmt::format("0 of {} jobs", count_text(workload.items.size()));
  std::vector<std::string> out;
  std::vector<std::string> names;
  for (const Qos& qos : policy.qos)
    if (says_something(qos) && !used.qos.contains(qos.name)) names.push_back(qos.name);
  if (!names.empty())
    out.push_back(fmt::format("{} use QoS {}: {} limits make no difference here.", none,
                              listed(names), names.size() == 1 ? "its" : "their"));
  names.clear();
  std::set<std::string> with_users;
  for (const Association& assoc : policy.associations)
    if (!assoc.user.empty() && assoc.user != "root") with_users.insert(assoc.account);
  for (const std::string& account : with_users)
    if (!used.accounts.contains(account)) names.push_back(account);
  if (!names.empty())
    out.push_back(fmt::format("{} are charged to account {}.", none, listed(names)));
  names.clear();
  for (const Partition& partition : policy.partitions)
    if (!used.partitions.contains(partition.name)) names.push_back(partition.name);
  if (!names.empty()) out.push_back(fmt::format("{} go to partition {}.", none, listed(names)));
  if (const std::size_t jobs = jobs_with_whole_memory(policy, workload); jobs > 0)
    out.push_back(
        fmt::format("{} of {} jobs name no memory, and the policy has no default: each takes all "
                    "memory of its nodes, and no other starts beside it (set def_mem_per_cpu in "
                    "the policy's jobs).",
                    count_text(jobs), count_text(workload.items.size())));
  std::size_t gpus = 0;
  for (const Node& node : policy.nodes) gpus += node.gpus.size();
  if (gpus > 0 && !used.gpus)
    out.push_back(
        fmt::format("{} ask for GPUs: the {} GPUs stay idle, and limits on them make no "
                    "difference here.",
                    none, count_text(gpus)));
  return out;
}

}  // namespace sluice
