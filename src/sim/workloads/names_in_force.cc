#include "sim/workloads/names_in_force.h"

#include <map>
#include <tuple>

namespace sluice {
namespace {

constexpr const char* kDefault = "(default)";
constexpr const char* kNone = "(none)";

NamesInForce written(const Workload& workload, const WorkRequest& request) {
  const std::string& account = workload.accounts[request.account];
  return {account.empty() ? kNone : account,
          request.qos > 0 ? workload.qos[request.qos - 1] : kDefault,
          request.partition > 0 ? workload.partitions[request.partition - 1] : kDefault};
}

}  // namespace

std::vector<NamesInForce> names_as_written(const Workload& workload) {
  std::vector<NamesInForce> out;
  out.reserve(workload.requests.size());
  for (const WorkRequest& request : workload.requests) out.push_back(written(workload, request));
  return out;
}

std::vector<NamesInForce> names_in_force(const Policy& policy, const Workload& workload) {
  std::vector<NamesInForce> out = names_as_written(workload);
  const auto usual = policy.default_partition();
  // Looked for once: associations are many, and requests are more.
  std::map<std::tuple<std::string, std::string, std::string>, std::string> default_qos;
  const auto default_qos_of = [&](const std::string& account, const std::string& user,
                                  const std::string& partition) -> const std::string& {
    const auto [at, is_new] = default_qos.try_emplace({account, user, partition}, "normal");
    if (!is_new) return at->second;
    if (const auto assoc = policy.find_association(account, user, partition))
      if (const auto qos = policy.default_qos(*assoc)) at->second = policy.qos[qos->index()].name;
    return at->second;
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const WorkRequest& request = workload.requests[i];
    const std::string& user = workload.users[request.user];
    if (workload.accounts[request.account].empty())
      if (const auto known = policy.find_user(user);
          known && !policy.users[known->index()].default_account.empty())
        out[i].account = policy.users[known->index()].default_account;
    std::string partition = out[i].partition;
    if (request.partition == 0 && usual) partition = policy.partitions[usual->index()].name;
    // The name of the only one there is says nothing.
    if (policy.partitions.size() > 1) out[i].partition = partition;
    if (request.qos == 0 && !policy.qos.empty())
      out[i].qos = default_qos_of(out[i].account, user, partition);
  }
  return out;
}

}  // namespace sluice
