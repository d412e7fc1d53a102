#include "policyfile/plan/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "policyfile/plan/plan_parts.h"
#include "policyfile/read/sections.h"
#include "policyfile/write/policy_writer.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

// "gres/gpu=4,mem=1G", "alice,bob", "1h"
std::string words(const Value& value) {
  std::vector<std::string> out;
  for (const Value& item : value.items) out.push_back(words(item));
  for (const Entry& entry : value.entries) out.push_back(entry.key + "=" + words(entry.value));
  return value.is_scalar() ? value.text : fmt::format("{}", fmt::join(out, ","));
}

using Fields = std::vector<std::pair<std::string, std::string>>;

// One thing of a policy, by what it is called.
struct Thing {
  std::string subject;
  Fields fields;
  const Fields* usual = nullptr;  // What holds where a field is not written.
};

template <class T>
Fields all_fields(void (*describe)(FieldVisitor&, T&), const Policy& policy) {
  FieldWriter writer(Notation::kFile, policy);
  T usual;
  describe(writer, usual);
  Fields out;
  for (const auto& [name, value] : writer.fields) out.emplace_back(name, words(value));
  return out;
}

class Inventory {
 public:
  explicit Inventory(const Policy& policy)
      : node_(all_fields<Node>(describe_node, policy)),
        partition_(all_fields<Partition>(describe_partition, policy)),
        qos_(all_fields<Qos>(describe_qos, policy)),
        association_(all_fields<Association>(describe_association, policy)),
        user_(all_fields<User>(describe_user, policy)),
        priority_(all_fields<PrioritySettings>(describe_priority, policy)),
        preemption_(all_fields<PreemptSettings>(describe_preemption, policy)),
        scheduler_(all_fields<SchedulerSettings>(describe_scheduler, policy)),
        jobs_(all_fields<JobSettings>(describe_jobs, policy)) {
    association_.emplace_back("shares", "1");
    partition_.emplace_back("nodes", "all");
    partition_.emplace_back("oversubscribe", "no");
    for (const Entry& section : policy_value(policy).entries) add(section);
    // Settings that the file leaves out are there all the same.
    for (const char* name : {"priority", "preemption", "scheduler", "jobs"})
      if (std::none_of(things.begin(), things.end(),
                       [&](const Thing& thing) { return thing.subject == name; }))
        things.push_back({name, {}, usual_of(name)});
    if (std::none_of(things.begin(), things.end(),
                     [](const Thing& thing) { return thing.subject == "QoS normal"; }))
      things.push_back({"QoS normal", {}, &qos_});
  }
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  std::vector<Thing> things;

 private:
  const Fields* usual_of(std::string_view section) const {
    if (section == "priority") return &priority_;
    if (section == "preemption") return &preemption_;
    if (section == "scheduler") return &scheduler_;
    return section == "jobs" ? &jobs_ : nullptr;
  }

  static Fields fields_of(const Value& map) {
    Fields out;
    for (const Entry& entry : map.entries)
      if (entry.key != "users" && entry.key != "accounts" && entry.key != "name")
        out.emplace_back(entry.key, words(entry.value));
    return out;
  }

  void add(const Entry& section) {
    if (section.key == "nodes") {
      for (const Value& node : section.value.items) add_nodes(node);
    } else if (section.key == "accounts") {
      for (const Entry& account : section.value.entries) add_account(account, "root");
    } else if (section.key == "partitions" || section.key == "qos" || section.key == "users") {
      const bool is_qos = section.key == "qos";
      const bool is_user = section.key == "users";
      for (const Entry& one : section.value.entries)
        things.push_back({(is_qos ? "QoS " : (is_user ? "user " : "partition ")) + one.key,
                          fields_of(one.value), is_qos ? &qos_ : (is_user ? &user_ : &partition_)});
    } else if (section.key == "reservations") {
      for (const Entry& one : section.value.entries) {
        Thing& thing = things.emplace_back();
        thing.subject = "reservation " + one.key;
        for (const Entry& field : one.value.entries)
          thing.fields.emplace_back(field.key, words(field.value));
      }
    } else if (section.value.is_map()) {
      things.push_back({section.key, fields_of(section.value), usual_of(section.key)});
    } else {
      things.push_back({"", {{section.key, words(section.value)}}, nullptr});
    }
  }

  void add_nodes(const Value& node) {
    for (const Entry& entry : node.entries) {
      if (entry.key != "name") continue;
      const auto names = expand_hostlist(entry.value.text);
      if (!names) continue;
      for (const std::string& name : *names)
        things.push_back({"node " + name, fields_of(node), &node_});
    }
  }

  void add_account(const Entry& account, const std::string& parent) {
    Thing thing{"account " + account.key, fields_of(account.value), &association_};
    if (account.key != "root") thing.fields.emplace_back("parent", parent);
    things.push_back(std::move(thing));
    for (const Entry& entry : account.value.entries) {
      if (entry.key == "users") add_users(entry.value, account.key);
      if (entry.key == "accounts")
        for (const Entry& below : entry.value.entries) add_account(below, account.key);
    }
  }

  void add_users(const Value& users, const std::string& account) {
    const auto add_one = [&](const std::string& name, const Value& options) {
      Thing thing{fmt::format("user {} of {}", name, account), fields_of(options), &association_};
      for (const auto& [key, value] : thing.fields)
        if (key == "partition") thing.subject += " in " + value;
      things.push_back(std::move(thing));
    };
    for (const Entry& entry : users.entries) add_one(entry.key, entry.value);
    for (const Value& item : users.items) {
      if (item.is_scalar()) add_one(item.text, Value::map());
      for (const Entry& entry : item.entries)
        if (entry.key == "name") add_one(entry.value.text, item);
    }
  }

  Fields node_, partition_, qos_, association_, user_, priority_, preemption_, scheduler_, jobs_;
};

std::string field_of(const Thing& thing, const std::string& name) {
  for (const auto& [key, value] : thing.fields)
    if (key == name) return value;
  if (thing.usual != nullptr)
    for (const auto& [key, value] : *thing.usual)
      if (key == name) return value;
  return {};
}

std::string all_of(const Thing& thing) {
  std::vector<std::string> out;
  for (const auto& [key, value] : thing.fields) out.push_back(key + " " + value);
  return fmt::format("{}", fmt::join(out, ", "));
}

// Many nodes that change alike are told as one.
void join_nodes(std::vector<Difference>& differences) {
  constexpr std::string_view kNode = "node ";
  std::vector<Difference> out;
  std::map<std::pair<StepKind, std::string>, std::vector<std::string>> names;
  for (const Difference& each : differences)
    if (each.subject.starts_with(kNode))
      names[{each.kind, each.text}].push_back(each.subject.substr(kNode.size()));
  for (Difference& each : differences) {
    if (!each.subject.starts_with(kNode)) {
      out.push_back(std::move(each));
      continue;
    }
    const auto found = names.find({each.kind, each.text});
    if (found == names.end()) continue;
    each.subject = std::string(kNode) + compress_hostlist(found->second);
    names.erase(found);
    out.push_back(std::move(each));
  }
  differences = std::move(out);
}

}  // namespace

std::string Difference::sentence() const {
  if (kind == StepKind::kRemove) return subject + " goes";
  if (kind == StepKind::kAdd) return "new " + subject + (text.empty() ? "" : ": " + text);
  return subject.empty() ? text : subject + ": " + text;
}

std::vector<Difference> policy_differences(const Policy& before, const Policy& after, Tense tense) {
  const Inventory was(before);
  const Inventory becomes(after);
  std::map<std::string, const Thing*> old;
  // Scalars without a subject go by their key.
  const auto key_of = [](const Thing& thing) {
    return thing.subject.empty() ? " " + thing.fields.front().first : thing.subject;
  };
  for (const Thing& thing : was.things) old.emplace(key_of(thing), &thing);
  std::vector<Difference> out;
  for (const Thing& thing : becomes.things) {
    const auto found = old.find(key_of(thing));
    if (found == old.end()) {
      out.push_back({StepKind::kAdd, thing.subject, all_of(thing)});
      continue;
    }
    const Thing& then = *found->second;
    old.erase(found);
    std::vector<std::string> names;
    for (const Thing* each : {&thing, &then})
      for (const auto& [name, value] : each->fields)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (const std::string& name : names) {
      const FieldChange change{name, {}, field_of(then, name), field_of(thing, name)};
      if (change.from != change.to)
        out.push_back({StepKind::kChange, thing.subject, change_text(change, tense)});
    }
  }
  for (const Thing& thing : was.things)
    if (old.contains(key_of(thing))) out.push_back({StepKind::kRemove, thing.subject, {}});
  join_nodes(out);
  return out;
}

}  // namespace sluice
