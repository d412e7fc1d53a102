#include "views/refusal_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "policy/refusal.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "views/reason_text.h"

namespace sluice {
namespace {

// A policy may have hundreds; a message is read.
std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kShown = 12;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string accounts_text(const Policy& policy, const std::string& user) {
  std::vector<std::string> names;
  for (const Association& each : policy.associations)
    if (each.user == user) names.push_back(each.account);
  if (names.empty()) return fmt::format("{} has no account in this policy", user);
  return fmt::format("{} may use: {}", user, listed(std::move(names)));
}

std::string qos_text(const Policy& policy, const AskedNames& asked) {
  std::string account = asked.account;
  if (account.empty())
    if (const auto user = policy.find_user(asked.user))
      account = policy.users[user->index()].default_account;
  const auto assoc = policy.find_association(account, asked.user, "");
  if (!assoc) return {};
  const auto qos = policy.find_qos(asked.qos);
  const std::vector<QosId>& allowed = policy.allowed_qos(*assoc);
  if (qos && policy.qos[qos->index()].flags.require_reservation &&
      std::find(allowed.begin(), allowed.end(), *qos) != allowed.end())
    return fmt::format("QoS {} is for jobs of a reservation: name one with --reservation",
                       asked.qos);
  std::vector<std::string> names;
  for (const QosId id : allowed) names.push_back(policy.qos[id.index()].name);
  if (names.empty()) names.emplace_back("normal");
  return fmt::format("in account {}, {} may use the QoS: {}", account, asked.user,
                     listed(std::move(names)));
}

std::string allowed_text(const std::string& what, const std::string& partition,
                         const std::vector<std::string>& allowed,
                         const std::vector<std::string>& denied) {
  if (!allowed.empty())
    return fmt::format("partition {} takes the {}: {}", partition, what, listed(allowed));
  return fmt::format("partition {} does not take the {}: {}", partition, what, listed(denied));
}

// The nodes of the partitions that were asked for; all where none of these exists.
std::vector<const Node*> nodes_asked(const Policy& policy, const AskedNames& asked) {
  std::vector<PartitionId> partitions;
  for (const std::string& name : asked.partitions)
    if (const auto id = policy.find_partition(name)) partitions.push_back(*id);
  if (asked.partitions.empty())
    if (const auto id = policy.default_partition()) partitions.push_back(*id);
  std::vector<const Node*> out;
  for (const PartitionId id : partitions)
    for (const NodeId node : policy.partitions[id.index()].nodes)
      out.push_back(&policy.nodes[node.index()]);
  if (out.empty())
    for (const Node& node : policy.nodes) out.push_back(&node);
  return out;
}

std::string where_text(const Policy& policy, const AskedNames& asked) {
  if (!asked.partitions.empty())
    return fmt::format(" of partition{} {}", asked.partitions.size() == 1 ? "" : "s",
                       listed(asked.partitions));
  const auto usual = policy.default_partition();
  return usual ? " of partition " + policy.partitions[usual->index()].name : "";
}

// What the machines have, as far as it may be what the job asks too much of.
std::string machines_text(const Policy& policy, const AskedNames& asked) {
  const auto nodes = nodes_asked(policy, asked);
  const std::string where = where_text(policy, asked);
  if (nodes.empty()) return fmt::format("there are no nodes{}", where);
  std::int64_t cpus = 0;
  std::int64_t memory = 0;
  std::size_t gpus = 0;
  std::vector<std::string> types;
  for (const Node* node : nodes) {
    cpus = std::max<std::int64_t>(cpus, node->cpus);
    memory = std::max(memory, node->memory_mb);
    gpus = std::max(gpus, node->gpus.size());
    for (const Gpu& gpu : node->gpus)
      if (!gpu.type.empty()) types.push_back(gpu.type);
  }
  const auto counted = [](std::int64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string had =
      fmt::format("{}, {}", counted(cpus, "CPU"), format_memory_mb(memory, MemoryStyle::kRounded));
  if (gpus > 0) {
    had += ", " + counted(static_cast<std::int64_t>(gpus), "GPU");
    if (!types.empty()) had += fmt::format(" ({})", listed(std::move(types)));
  } else if (asked.gpus) {
    had += ", no GPUs";
  }
  return nodes.size() == 1
             ? fmt::format("the only node{} has {}", where, had)
             : fmt::format("the {} nodes{} have at most {} each", nodes.size(), where, had);
}

std::string features_text(const Policy& policy) {
  std::vector<std::string> names;
  for (const Node& node : policy.nodes)
    names.insert(names.end(), node.features.begin(), node.features.end());
  return names.empty() ? "no node has features"
                       : fmt::format("nodes have the features: {}", listed(std::move(names)));
}

std::string nodes_text(const Policy& policy) {
  std::vector<std::string> names;
  names.reserve(policy.nodes.size());
  for (const Node& node : policy.nodes) names.push_back(node.name);
  return names.size() == 1 ? "the only node is " + names.front()
                           : "the nodes are: " + compress_hostlist(names);
}

const Partition* holder_of(const Policy& policy, const Reason& reason) {
  if (reason.holder != LimitHolder::kPartition || reason.holder_id >= policy.partitions.size())
    return nullptr;
  return &policy.partitions[reason.holder_id];
}

}  // namespace

std::string partitions_text(const Policy& policy) {
  std::vector<std::string> names;
  for (const Partition& each : policy.partitions)
    if (each.state == PartitionState::kUp) names.push_back(each.name);
  return names.empty() ? "no partition is open"
                       : fmt::format("the partitions are: {}", listed(std::move(names)));
}

AskedNames AskedNames::of(const JobSpec& spec) {
  return {spec.user, spec.account, spec.qos, spec.partitions, !spec.gpus.empty()};
}

std::string refusal_detail(const Policy& policy, const AskedNames& asked, const Refusal& refusal) {
  const Reason& reason = refusal.reason;
  const Partition* partition = holder_of(policy, reason);
  switch (reason.rule) {
    case Rule::kInvalidAccount:
      return accounts_text(policy, asked.user);
    case Rule::kInvalidQos:
      return qos_text(policy, asked);
    case Rule::kAccountNotAllowed:
      if (partition == nullptr) return accounts_text(policy, asked.user);
      return allowed_text("accounts", partition->name, partition->allow_accounts,
                          partition->deny_accounts);
    case Rule::kQosNotAllowed:
      if (partition == nullptr) return qos_text(policy, asked);
      return allowed_text("QoS", partition->name, partition->allow_qos, partition->deny_qos);
    default:
      break;
  }
  if (refusal.message == refusal::kPartition || refusal.message == refusal::kNoPartition ||
      refusal.message == refusal::kPartitionClosed)
    return partitions_text(policy);
  if (refusal.message == refusal::kReservation)
    return "those that you may use: sluice reservations";
  if (refusal.message == refusal::kFeature) return features_text(policy);
  if (refusal.message == refusal::kNodeName) return nodes_text(policy);
  if (refusal.message == refusal::kArray)
    return fmt::format("indices must be below {} here; a chain takes larger ones: add --chain",
                       policy.jobs.max_array_size);
  if (refusal.message == refusal::kGres || refusal.message == refusal::kProcessors ||
      refusal.message == refusal::kNodeConfiguration ||
      refusal.message == refusal::kPartitionConfiguration)
    return machines_text(policy, asked);
  if (reason.limit == 0 && reason.used == 0 && reason.asked == 0) return {};
  return limit_numbers(policy, reason);
}

}  // namespace sluice
