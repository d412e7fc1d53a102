// Tables whose columns are as wide as what stands in them.
#include "policyfile/write/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "policyfile/read/quantities.h"
#include "policyfile/read/sections.h"
#include "policyfile/write/alike_nodes.h"
#include "policyfile/write/field_writer.h"
#include "text/duration.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::string out;
    std::vector<std::size_t> width(rows_.front().size(), 0);
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i)
        line += fmt::format("{:<{}}  ", row[i], width[i]);
      while (line.ends_with(' ')) line.pop_back();
      out += "  " + line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "MaxWall=1h GrpTRES=gres/gpu=4": what differs from the usual, in one line.
template <class T>
std::string in_one_line(void (*describe)(FieldVisitor&, T&), const T& value, const T& usual,
                        const Policy& policy) {
  std::vector<std::string> words;
  for (const auto& [name, field] :
       changed_fields<T>(describe, value, usual, Notation::kFile, policy)) {
    std::vector<std::string> parts;
    for (const Value& item : field.items) parts.push_back(item.text);
    for (const Entry& entry : field.entries)
      parts.push_back(fmt::format("{}={}", entry.key, entry.value.text));
    words.push_back(fmt::format(
        "{}={}", name, field.is_scalar() ? field.text : fmt::format("{}", fmt::join(parts, ","))));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string nodes_table(const Policy& policy) {
  Table table({"nodes", "cpus", "memory", "gpus", "features"});
  each_run_of_alike_nodes(policy, [&](const Node& like, const std::vector<std::string>& names) {
    std::map<std::string, int> types;
    for (const Gpu& gpu : like.gpus) ++types[gpu.type];
    std::vector<std::string> gpus;
    for (const auto& [type, n] : types)
      gpus.push_back(type.empty() ? std::to_string(n) : fmt::format("{} {}", n, type));
    table.add({compress_hostlist(names), std::to_string(like.cpus), print_memory(like.memory_mb),
               gpus.empty() ? "-" : fmt::format("{}", fmt::join(gpus, ", ")),
               like.features.empty() ? "-" : fmt::format("{}", fmt::join(like.features, ","))});
  });
  return table.text();
}

std::string partitions_table(const Policy& policy) {
  Table table({"partition", "nodes", "max time", "tier", "also"});
  for (const Partition& partition : policy.partitions) {
    Partition usual;
    usual.is_default = partition.is_default;
    usual.max_time = partition.max_time;
    usual.priority_tier = partition.priority_tier;
    table.add({partition.name + (partition.is_default ? "*" : ""),
               std::to_string(partition.nodes.size()),
               partition.max_time ? format_friendly_duration(*partition.max_time) : "unlimited",
               std::to_string(partition.priority_tier),
               in_one_line(describe_partition, partition, usual, policy)});
  }
  return table.text();
}

std::string qos_table(const Policy& policy) {
  Table table({"qos", "priority", "limits and flags"});
  for (const Qos& qos : policy.qos) {
    Qos usual;
    usual.priority = qos.priority;
    usual.description = qos.description;
    table.add(
        {qos.name, std::to_string(qos.priority), in_one_line(describe_qos, qos, usual, policy)});
  }
  return table.text();
}

std::string accounts_table(const Policy& policy) {
  Table table({"account", "shares", "users", "limits and QoS"});
  std::map<AssocId, std::size_t> depth;
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    const Association& account = policy.associations[i];
    if (!account.user.empty()) continue;
    const AssocId id(static_cast<AssocId::rep>(i));
    depth[id] = account.parent ? depth[*account.parent] + 1 : 0;
    std::vector<std::string> users;
    for (const Association& user : policy.associations)
      if (user.parent == id && !user.user.empty()) users.push_back(user.user);
    constexpr std::size_t kShown = 6;
    const bool more = users.size() > kShown;
    const std::size_t all = users.size();
    if (more) users.resize(kShown);
    std::string shown = fmt::format("{}", fmt::join(users, " "));
    if (more) shown += fmt::format(" and {} more", all - kShown);
    Association usual;
    usual.description = account.description;
    table.add({std::string(2 * depth[id], ' ') + account.account,
               account.shares_of_parent ? "parent" : std::to_string(account.shares),
               shown.empty() ? "-" : shown,
               in_one_line(describe_association, account, usual, policy)});
  }
  return table.text();
}

template <class T>
void add_settings(std::string& out, const char* name, void (*describe)(FieldVisitor&, T&),
                  const T& value, const Policy& policy) {
  const std::string line = in_one_line(describe, value, T{}, policy);
  if (!line.empty()) out += fmt::format("  {:<11} {}\n", name, line);
}

}  // namespace

std::string policy_summary(const Policy& policy) {
  std::string out = fmt::format("cluster {}\n\n", policy.cluster);
  if (!policy.nodes.empty()) out += nodes_table(policy) + "\n";
  out += partitions_table(policy) + "\n" + qos_table(policy) + "\n" + accounts_table(policy) + "\n";
  add_settings(out, "priority", describe_priority, policy.priority, policy);
  add_settings(out, "preemption", describe_preemption, policy.preemption, policy);
  add_settings(out, "scheduler", describe_scheduler, policy.scheduler, policy);
  add_settings(out, "jobs", describe_jobs, policy.jobs, policy);
  FieldWriter enforce(Notation::kSlurm, policy);
  EnforceSettings copy = policy.enforce;
  describe_enforce(enforce, copy);
  const std::string& words = enforce.fields.front().second.text;
  out += fmt::format("  {:<11} {}\n", "enforce", words.empty() ? "nothing" : words);
  return out;
}

}  // namespace sluice
