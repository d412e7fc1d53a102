// qos:, accounts: and users:, who may use how much.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/section_readers.h"
#include "policyfile/read/sections.h"
#include "text/spelling.h"

namespace sluice {
namespace {

bool report_name(const std::string& name, const Place& place, std::string_view field,
                 Reading& reading) {
  if (is_plain_name(name)) return true;
  reading.error(place, field, fmt::format("'{}' is not a name", name),
                "use letters, digits and _ . - + @");
  return false;
}

class AccountReader {
 public:
  AccountReader(Policy& policy, Reading& reading) : policy_(policy), reading_(reading) {}

  void add_root() {
    Association root;
    root.account = "root";
    root.qos = {QosId(0)};  // normal, as a new cluster has it.
    policy_.associations.push_back(root);
    Association user;
    user.account = user.user = "root";
    user.parent = AssocId(0);
    policy_.associations.push_back(user);
    add_user("root", "root");
    policy_.users.front().admin_level = AdminLevel::kAdministrator;
  }

  void read(const Value& value) {
    FieldReader section(value, "accounts", reading_);
    // Root first, wherever it stands: parents come before children in the table.
    for (const Entry& entry : value.entries)
      if (entry.key == "root") read_root(entry);
    for (const Entry& entry : value.entries)
      if (entry.key != "root") read_account(entry, AssocId(0));
  }

 private:
  const Key users_key_ = {"users", "the users in it"};
  const Key accounts_key_ = {"accounts", "the accounts below it"};

  void read_root(const Entry& entry) {
    const std::string path = "accounts.root";
    reading_.places.put(path, entry.place);
    FieldReader fields(entry.value, path, reading_);
    read_association(fields, policy_.associations.front());
    fields.slurm_only(SlurmOnlyOf::kAccount, "account root");
    read_below(fields, "root", AssocId(0));
  }

  void read_account(const Entry& entry, AssocId parent) {
    const std::string path = "accounts." + entry.key;
    if (!report_name(entry.key, entry.place, "accounts", reading_)) return;
    if (auto known = seen_.find(entry.key); known != seen_.end() || entry.key == "root") {
      reading_.error(entry.place, path,
                     entry.key == "root"
                         ? "root is above every account and stands at the top"
                         : fmt::format("there are two accounts '{}', the other at {}", entry.key,
                                       known->second.text()),
                     "an account stands at one place of the tree: give the other another name");
      return;
    }
    seen_.emplace(entry.key, entry.place);
    reading_.places.put(path, entry.place);
    Association account;
    account.account = entry.key;
    account.parent = parent;
    const std::optional<Value> plain = with_plain_qos(entry.value, account);
    FieldReader fields(plain ? *plain : entry.value, path, reading_);
    read_association(fields, account);
    fields.slurm_only(SlurmOnlyOf::kAccount, subject_of(account));
    const AssocId id(static_cast<AssocId::rep>(policy_.associations.size()));
    policy_.associations.push_back(std::move(account));
    read_below(fields, entry.key, id);
  }

  void read_below(FieldReader& fields, const std::string& account, AssocId id) {
    if (const Value* users = fields.raw(users_key_)) read_users_of(*users, account, id);
    const Value* children = fields.raw(accounts_key_);
    fields.finish();
    if (children == nullptr) return;
    if (!children->is_map() && !children->is_null())
      fields.error(*children, accounts_key_,
                   fmt::format("is {}, a map belongs here", children->described()),
                   "write NAME: and its keys below it, indented");
    for (const Entry& child : children->entries) read_account(child, id);
  }

  void read_users_of(const Value& users, const std::string& account, AssocId id) {
    const std::string path = fmt::format("accounts.{}.users", account);
    reading_.places.put(path, users.place);
    static const Value nothing;
    if (users.is_scalar()) {
      add_association(users.text, users.place, nothing, account, id);
    } else if (users.is_list()) {
      for (const Value& item : users.items) read_listed_user(item, path, account, id);
    } else {
      for (const Entry& entry : users.entries)
        add_association(entry.key, entry.place, entry.value, account, id);
    }
  }

  // alice, or {name: alice, partition: gpu, MaxJobs: 2}: the form for a user who has several
  // associations in one account, one for each partition.
  void read_listed_user(const Value& item, const std::string& path, const std::string& account,
                        AssocId id) {
    static const Value nothing;
    if (item.is_scalar()) {
      add_association(item.text, item.place, nothing, account, id);
      return;
    }
    auto name = std::find_if(item.entries.begin(), item.entries.end(),
                             [](const Entry& entry) { return folded(entry.key) == "name"; });
    if (name == item.entries.end() || !name->value.is_scalar()) {
      reading_.error(item.place, path, fmt::format("{} without a name", item.described()),
                     "write alice, or {name: alice, MaxJobs: 2}");
      return;
    }
    Value options = item;
    options.entries.erase(options.entries.begin() + (name - item.entries.begin()));
    add_association(name->value.text, name->place, options, account, id);
  }

  void add_association(const std::string& user, const Place& place, const Value& options,
                       const std::string& account, AssocId parent) {
    const std::string path = fmt::format("accounts.{}.users.{}", account, user);
    if (!report_name(user, place, fmt::format("accounts.{}.users", account), reading_)) return;
    reading_.places.put(path, place);
    Association association;
    association.account = account;
    association.user = user;
    association.parent = parent;
    association.partition = partition_text(options);
    const std::optional<Value> plain = with_plain_qos(options, association);
    association.partition.clear();
    FieldReader fields(plain ? *plain : options, path, reading_);
    read_association(fields, association);
    read_partition_of(fields, association);
    fields.slurm_only(SlurmOnlyOf::kUser, subject_of(association));
    fields.finish();
    add_user(user, account);
    const bool is_root = account == "root" && user == "root" && association.partition.empty();
    const auto same = pairs_.emplace(std::tuple(account, user, association.partition), place);
    if (!same.second) {
      reading_.error(place, path,
                     fmt::format("'{}' stands twice in account '{}', first at {}", user, account,
                                 same.first->second.text()),
                     "several associations of one user differ in their partition");
      return;
    }
    if (is_root)
      policy_.associations[1] = std::move(association);
    else
      policy_.associations.push_back(std::move(association));
  }

  static std::string partition_text(const Value& options) {
    for (const Entry& entry : options.entries)
      if (folded(entry.key) == "partition") return entry.value.text;
    return {};
  }

  // qos: [-high] says how the list differs from the account above; the engine is told the list
  // that comes of it, Slurm what was written.
  std::optional<Value> with_plain_qos(const Value& map, const Association& association) {
    for (std::size_t i = 0; i < map.entries.size(); ++i) {
      const std::string key = folded(map.entries[i].key);
      if (key != "qos" && key != "qoslevel") continue;
      const std::string difference = qos_difference(map.entries[i].value);
      if (difference.empty()) return std::nullopt;
      std::vector<std::string> above;
      for (const QosId id : policy_.allowed_qos(*association.parent))
        above.push_back(policy_.qos[id.index()].name);
      const std::vector<std::string> names = differing_qos(std::move(above), difference);
      if (names.empty()) {
        reading_.error(map.entries[i].place, subject_of(association),
                       fmt::format("'{}' leaves no QoS", difference), "leave one of them");
        return std::nullopt;
      }
      reading_.slurm_only[subject_of(association)][kQosDifference] = difference;
      Value out = map;
      Value& list = out.entries[i].value;
      const Place place = list.place;
      list = Value::list();
      list.place = place;
      for (const std::string& name : names) {
        list.items.push_back(Value::scalar(name));
        list.items.back().place = place;
      }
      return out;
    }
    return std::nullopt;
  }

  void read_partition_of(FieldReader& fields, Association& association) {
    const Key key = {"partition", "the association holds in this partition only"};
    const Value* given = fields.scalar(key);
    if (given == nullptr) return;
    if (policy_.find_partition(given->text)) {
      association.partition = given->text;
      return;
    }
    std::vector<std::string> known;
    for (const Partition& partition : policy_.partitions) known.push_back(partition.name);
    fields.error(*given, key, fmt::format("there is no partition '{}'", given->text),
                 allowed_words(given->text, known));
  }

  void read_association(FieldReader& fields, Association& association) {
    const Key key = {
        "shares", "its part of the account above it, or parent", {"FairShare", "RawShares"}};
    const Value* given = fields.raw(key);
    if (given != nullptr && given->is_scalar() && folded(given->text) == "parent")
      association.shares_of_parent = true;
    else
      fields.whole(key, association.shares, Range{0, INT32_MAX});
    describe_association(fields, association);
  }

  // The first account of a user is the default one.
  void add_user(const std::string& name, const std::string& account) {
    if (!known_users_.insert(name).second) return;
    User user;
    user.name = name;
    user.default_account = account;
    policy_.users.push_back(std::move(user));
  }

  Policy& policy_;
  Reading& reading_;
  std::map<std::string, Place> seen_;
  std::map<std::tuple<std::string, std::string, std::string>, Place> pairs_;
  std::set<std::string> known_users_;
};

}  // namespace

void read_qos(const Value& value, Policy& policy, Reading& reading) {
  FieldReader section(value, "qos", reading);
  auto add = [&](const std::string& name) {
    if (!reading.qos.emplace(name, QosId(static_cast<QosId::rep>(policy.qos.size()))).second)
      return;
    reading.qos_names.push_back(name);
    Qos qos;
    qos.name = name;
    policy.qos.push_back(std::move(qos));
  };
  add("normal");
  // Names first: a QoS may preempt one that stands further down.
  for (const Entry& entry : value.entries)
    if (report_name(entry.key, entry.place, "qos", reading)) add(entry.key);
  for (const Entry& entry : value.entries) {
    auto found = reading.qos.find(entry.key);
    if (found == reading.qos.end()) continue;
    const std::string path = "qos." + entry.key;
    reading.places.put(path, entry.place);
    FieldReader fields(entry.value, path, reading);
    Qos& qos = policy.qos[found->second.index()];
    describe_qos(fields, qos);
    fields.slurm_only(SlurmOnlyOf::kQos, "qos " + entry.key);
    // sacctmgr takes OFF for "as the cluster".
    if (qos.preempt_mode == PreemptMode::kOff) qos.preempt_mode.reset();
    fields.finish();
  }
}

void read_accounts(const Value* value, Policy& policy, Reading& reading) {
  AccountReader reader(policy, reading);
  reader.add_root();
  if (value != nullptr) {
    reader.read(*value);
    return;
  }
  Association everybody;
  everybody.account = "default";
  everybody.parent = AssocId(0);
  policy.associations.push_back(std::move(everybody));
}

void read_users(const Value& value, Policy& policy, Reading& reading) {
  FieldReader section(value, "users", reading);
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < policy.users.size(); ++i) known.emplace(policy.users[i].name, i);
  for (const Entry& entry : value.entries) {
    const std::string path = "users." + entry.key;
    if (!report_name(entry.key, entry.place, "users", reading)) continue;
    reading.places.put(path, entry.place);
    auto [at, added] = known.emplace(entry.key, policy.users.size());
    if (added) {
      policy.users.emplace_back();
      policy.users.back().name = entry.key;
    }
    FieldReader fields(entry.value, path, reading);
    describe_user(fields, policy.users[at->second]);
    fields.finish();
  }
}

}  // namespace sluice
