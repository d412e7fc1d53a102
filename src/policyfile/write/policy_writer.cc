// Sections in the order in which a person explains a cluster: machines, queues, people, rules.
#include "policyfile/write/policy_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "policyfile/read/sections.h"
#include "policyfile/read/yaml.h"
#include "policyfile/write/field_writer.h"
#include "text/hostlist.h"
#include "text/scan.h"

namespace sluice {
namespace {

using Fields = std::vector<std::pair<std::string, Value>>;

void add_all(Value& map, Fields fields) {
  for (auto& [name, value] : fields) map.add(std::move(name), std::move(value));
}

// One hostlist that expands to exactly these names in this order, or nothing.
std::optional<std::string> as_hostlist(const std::vector<std::string>& names) {
  std::string list = compress_hostlist(names);
  auto back = expand_hostlist(list);
  if (back && *back == names) return list;
  return std::nullopt;
}

class Writer {
 public:
  Writer(const Policy& policy, const SlurmOnly& slurm_only)
      : policy_(policy), slurm_only_(slurm_only) {}

  Value value() {
    Value file = Value::map();
    file.add("cluster", Value::scalar(policy_.cluster));
    if (!policy_.nodes.empty()) file.add("nodes", nodes());
    if (!policy_.switches.empty()) file.add("switches", switches());
    file.add("partitions", partitions());
    if (!policy_.licenses.empty()) {
      Value licenses = Value::map();
      for (const License& license : policy_.licenses)
        licenses.add(license.name, Value::scalar(std::to_string(license.count)));
      file.add("licenses", std::move(licenses));
    }
    if (Value table = qos(); !table.entries.empty()) file.add("qos", std::move(table));
    file.add("accounts", accounts());
    if (Value table = users(); !table.entries.empty()) file.add("users", std::move(table));
    if (!policy_.reservations.empty()) {
      Value table = Value::map();
      for (const ReservationRequest& request : policy_.reservations) {
        Value map = Value::map();
        add_all(map, changed(describe_reservation, words_of(request), ReservationWords{}));
        table.add(request.name, std::move(map));
      }
      file.add("reservations", std::move(table));
    }
    add_settings(file, "priority", describe_priority, policy_.priority, PrioritySettings{});
    if (policy_.priority.type == PriorityType::kBasic && file.entries.back().key == "priority")
      file.entries.back().value.add("type", Value::scalar("basic"));
    add_settings(file, "preemption", describe_preemption, policy_.preemption, PreemptSettings{});
    add_settings(file, "scheduler", describe_scheduler, policy_.scheduler, SchedulerSettings{});
    add_settings(file, "jobs", describe_jobs, policy_.jobs, JobSettings{});
    FieldWriter enforce(Notation::kFile, policy_);
    EnforceSettings copy = policy_.enforce;
    describe_enforce(enforce, copy);
    add_all(file, std::move(enforce.fields));
    return file;
  }

 private:
  template <class T>
  Fields changed(void (*describe)(FieldVisitor&, T&), const T& value, const T& usual) {
    return changed_fields<T>(describe, value, usual, Notation::kFile, policy_);
  }

  template <class T>
  void add_settings(Value& file, std::string name, void (*describe)(FieldVisitor&, T&),
                    const T& value, const T& usual) {
    Value map = Value::map();
    add_all(map, changed(describe, value, usual));
    if (!map.entries.empty()) file.add(std::move(name), std::move(map));
  }

  Value nodes() {
    Value list = Value::list();
    std::size_t first = 0;
    while (first < policy_.nodes.size()) {
      std::size_t last = first + 1;
      auto like_first = [&](Node node) {
        node.name = policy_.nodes[first].name;
        return node == policy_.nodes[first];
      };
      while (last < policy_.nodes.size() && like_first(policy_.nodes[last])) ++last;
      std::vector<std::string> names;
      for (std::size_t i = first; i < last; ++i) names.push_back(policy_.nodes[i].name);
      if (auto hostlist = as_hostlist(names))
        list.items.push_back(node(*hostlist, policy_.nodes[first]));
      else
        for (const std::string& name : names)
          list.items.push_back(node(name, policy_.nodes[first]));
      first = last;
    }
    return list;
  }

  Value node(const std::string& name, const Node& like) {
    Value map = Value::map();
    map.add("name", Value::quoted_text(name));
    map.entries.back().value.quoted = false;
    add_all(map, changed(describe_node, like, Node{}));
    if (!like.gpus.empty()) map.add("gpus", gpus(like.gpus));
    return map;
  }

  static Value gpus(const std::vector<Gpu>& gpus) {
    Value runs = Value::map();
    Value list = Value::list();
    bool plain = true;
    bool grouped = true;
    for (std::size_t first = 0; first < gpus.size();) {
      std::size_t last = first + 1;
      while (last < gpus.size() && gpus[last] == gpus[first]) ++last;
      const Gpu& gpu = gpus[first];
      plain = plain && gpu == Gpu{};
      const bool seen = std::any_of(runs.entries.begin(), runs.entries.end(),
                                    [&](const Entry& entry) { return entry.key == gpu.type; });
      grouped = grouped && gpu.device.empty() && !gpu.type.empty() && !seen;
      runs.add(gpu.type, Value::scalar(std::to_string(last - first)));
      Value item = Value::map();
      if (!gpu.type.empty()) item.add("type", Value::scalar(gpu.type));
      if (!gpu.device.empty()) item.add("device", Value::quoted_text(gpu.device));
      item.add("count", Value::scalar(std::to_string(last - first)));
      list.items.push_back(std::move(item));
      first = last;
    }
    if (plain) return Value::scalar(std::to_string(gpus.size()));
    return grouped ? runs : list;
  }

  Value switches() {
    Value table = Value::map();
    for (const Switch& one : policy_.switches) {
      std::vector<std::string> nodes;
      for (const NodeId node : one.nodes) nodes.push_back(policy_.nodes[node.index()].name);
      std::vector<std::string> below;
      for (const std::uint32_t number : one.switches)
        below.push_back(policy_.switches[number].name);
      Value map = Value::map();
      add_all(map, changed(describe_switch,
                           SwitchWords{compress_hostlist(nodes), compress_hostlist(below)},
                           SwitchWords{}));
      table.add(one.name, std::move(map));
    }
    return table;
  }

  Value partitions() {
    Value map = Value::map();
    for (const Partition& partition : policy_.partitions) {
      Value fields = Value::map();
      if (Value nodes = nodes_of(partition); !nodes.is_null())
        fields.add("nodes", std::move(nodes));
      Partition usual;
      // A partition that is alone is the default one unless it says no.
      usual.is_default = policy_.partitions.size() == 1;
      add_all(fields, changed(describe_partition, partition, usual));
      if (partition.oversubscribe != usual.oversubscribe)
        fields.add("oversubscribe", oversubscribe(partition));
      map.add(partition.name, std::move(fields));
    }
    return map;
  }

  Value nodes_of(const Partition& partition) {
    if (partition.nodes.size() == policy_.nodes.size()) return {};
    std::vector<std::string> names;
    for (NodeId id : partition.nodes) names.push_back(policy_.nodes[id.index()].name);
    if (names.empty()) return Value::list();
    if (auto list = as_hostlist(names)) return Value::scalar(*list);
    Value list = Value::list();
    for (std::string& name : names) list.items.push_back(Value::scalar(std::move(name)));
    return list;
  }

  static Value oversubscribe(const Partition& partition) {
    switch (partition.oversubscribe) {
      case OverSubscribe::kNo:
        break;
      case OverSubscribe::kYes:
        return Value::scalar(fmt::format("yes:{}", partition.oversubscribe_jobs));
      case OverSubscribe::kForce:
        return Value::scalar(fmt::format("force:{}", partition.oversubscribe_jobs));
      case OverSubscribe::kExclusive:
        return Value::scalar("exclusive");
    }
    return Value::quoted_text("no");
  }

  Value qos() {
    Value map = Value::map();
    for (const Qos& one : policy_.qos) {
      Value fields = Value::map();
      add_all(fields, changed(describe_qos, one, Qos{}));
      add_slurm_only(fields, "qos " + one.name);
      // normal exists anyway.
      if (one.name != "normal" || !fields.entries.empty()) map.add(one.name, std::move(fields));
    }
    return map;
  }

  Value association(const Association& association, const Association& usual) {
    Value map = Value::map();
    if (association.shares_of_parent)
      map.add("shares", Value::scalar("parent"));
    else if (association.shares != usual.shares)
      map.add("shares", Value::scalar(std::to_string(association.shares)));
    if (!association.partition.empty()) map.add("partition", Value::scalar(association.partition));
    add_all(map, changed(describe_association, association, usual));
    add_slurm_only(map, subject_of(association));
    return map;
  }

  void add_slurm_only(Value& map, const std::string& subject) {
    const auto found = slurm_only_.find(subject);
    if (found == slurm_only_.end()) return;
    for (const auto& [key, value] : found->second) {
      if (key != kQosDifference) {
        map.add(key, key == "Organization" ? Value::quoted_text(value) : Value::scalar(value));
        continue;
      }
      std::erase_if(map.entries, [](const Entry& entry) { return entry.key == "qos"; });
      Value list = Value::list();
      for (const std::string_view word : split(value, ','))
        list.items.push_back(Value::quoted_text(std::string(word)));
      map.add("qos", std::move(list));
    }
  }

  // Each association's children, in the order of the table.
  std::map<AssocId, std::vector<AssocId>> children() {
    std::map<AssocId, std::vector<AssocId>> below;
    for (std::size_t i = 1; i < policy_.associations.size(); ++i)
      if (policy_.associations[i].parent)
        below[*policy_.associations[i].parent].emplace_back(static_cast<AssocId::rep>(i));
    return below;
  }

  Value accounts() {
    Value map = Value::map();
    if (policy_.associations.empty()) return map;
    const auto below = children();
    Association usual;
    usual.qos = {QosId(0)};
    Value root = association(policy_.associations[0], usual);
    if (Value users = users_of(AssocId(0), below); !users.is_null())
      root.add("users", std::move(users));
    if (!root.entries.empty()) map.add("root", std::move(root));
    add_accounts(map, AssocId(0), below);
    return map;
  }

  void add_accounts(Value& map, AssocId parent,
                    const std::map<AssocId, std::vector<AssocId>>& below) {
    auto found = below.find(parent);
    if (found == below.end()) return;
    for (AssocId id : found->second) {
      const Association& account = policy_.associations[id.index()];
      if (!account.user.empty()) continue;
      Value fields = association(account, Association{});
      if (Value users = users_of(id, below); !users.is_null())
        fields.add("users", std::move(users));
      Value accounts = Value::map();
      add_accounts(accounts, id, below);
      if (!accounts.entries.empty()) fields.add("accounts", std::move(accounts));
      map.add(account.account, std::move(fields));
    }
  }

  // Names where nobody has options, a map where somebody has, a list where somebody stands twice.
  Value users_of(AssocId account, const std::map<AssocId, std::vector<AssocId>>& below) {
    auto found = below.find(account);
    if (found == below.end()) return {};
    Value names = Value::list();
    Value map = Value::map();
    Value list = Value::list();
    bool plain = true;
    bool once = true;
    for (AssocId id : found->second) {
      const Association& user = policy_.associations[id.index()];
      if (user.user.empty()) continue;
      Value options = association(user, Association{});
      // root in root exists anyway.
      if (account == AssocId(0) && user.user == "root" && options.entries.empty()) continue;
      plain = plain && options.entries.empty();
      once = once && std::none_of(map.entries.begin(), map.entries.end(),
                                  [&](const Entry& entry) { return entry.key == user.user; });
      names.items.push_back(Value::scalar(user.user));
      Value item = Value::map();
      item.add("name", Value::scalar(user.user));
      for (const Entry& option : options.entries) item.add(option.key, option.value);
      list.items.push_back(std::move(item));
      map.add(user.user, std::move(options));
    }
    if (names.items.empty()) return {};
    if (plain) return names;
    return once ? map : list;
  }

  Value users() {
    std::map<std::string, std::string> first_account;
    for (const Association& association : policy_.associations)
      if (!association.user.empty()) first_account.emplace(association.user, association.account);
    Value map = Value::map();
    for (const User& user : policy_.users) {
      User usual;
      auto first = first_account.find(user.name);
      if (first != first_account.end()) usual.default_account = first->second;
      if (user.name == "root") usual.admin_level = AdminLevel::kAdministrator;
      Value fields = Value::map();
      add_all(fields, changed(describe_user, user, usual));
      if (!fields.entries.empty() || first == first_account.end())
        map.add(user.name, std::move(fields));
    }
    return map;
  }

  const Policy& policy_;
  const SlurmOnly& slurm_only_;
};

}  // namespace

Value policy_value(const Policy& policy, const SlurmOnly& slurm_only) {
  return Writer(policy, slurm_only).value();
}

std::string write_policy(const Policy& policy, const SlurmOnly& slurm_only) {
  return print_yaml(policy_value(policy, slurm_only));
}

std::string write_policy_json(const Policy& policy, const SlurmOnly& slurm_only) {
  return print_json(policy_value(policy, slurm_only));
}

}  // namespace sluice
