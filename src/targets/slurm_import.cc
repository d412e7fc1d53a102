// Slurm's own words are keys of a policy file too: the outputs become a document, which the
// ordinary reader reads.
#include "targets/slurm_import.h"

#include <fmt/format.h>

#include <algorithm>

#include "policyfile/read/policy_reader.h"
#include "slurm/records.h"
#include "slurm/reservation_commands.h"
#include "slurm/run_slurm.h"
#include "targets/import_settings.h"
#include "text/scan.h"

namespace sluice {
namespace {

using Row = SacctmgrLine;

void put(Value& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map.add(std::string(key), Value::scalar(text));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view word : split(text, ','))
    if (!word.empty()) out.emplace_back(word);
  return out;
}

class Import {
 public:
  explicit Import(const SlurmTexts& texts) : texts_(texts) {}

  Result<LivePolicy> take() {
    Value document = Value::map();
    const SlurmIdentity identity = identity_in(texts_.config);
    version_ = read_slurm_version(identity.version);
    put(document, "cluster", identity.cluster);
    ImportedHardware hardware = import_hardware(texts_, out_.notes);
    known_tres_ = {"cpu", "mem", "node", "billing", "gres/gpu"};
    for (const std::string& name : hardware.tres) known_tres_.insert(to_lower(name));
    document.add("nodes", std::move(hardware.nodes));
    if (Value switches = import_switches(texts_); !switches.entries.empty())
      document.add("switches", std::move(switches));
    if (!hardware.licenses.entries.empty()) document.add("licenses", std::move(hardware.licenses));
    document.add("qos", qos());
    document.add("accounts", accounts());
    document.add("partitions", import_partitions(texts_, accounts_, qos_, out_.notes));
    document.add("users", users());
    add_settings(document, texts_.config, hardware.tres, out_.notes);
    for (const std::string& word : words_of(config_value(texts_.config, "AccountingStorageTRES")))
      out_.tracked.insert(to_lower(word));
    out_.clusters =
        std::max<std::size_t>(1, read_sacctmgr(texts_.clusters, cluster_columns()).size());
    PolicyText read = read_policy_document(document);
    if (!read.errors.empty()) {
      const Error& error = read.errors.front();
      return tl::unexpected(Error{ErrorKind::kFailed,
                                  fmt::format("cannot take over what Slurm has: {}", error.what),
                                  error.where, error.hint});
    }
    out_.policy = std::move(read.policy);
    out_.slurm_only = std::move(read.slurm_only);
    return std::move(out_);
  }

 private:
  // Limits on resources that a policy file does not know are left out, and named.
  std::string known_limits(const std::string& text, const std::string& where) {
    std::string out;
    for (const std::string& word : words_of(text)) {
      const std::string name = to_lower(word.substr(0, word.find('=')));
      if (known_tres_.contains(name))
        out += (out.empty() ? "" : ",") + word;
      else
        out_.notes.push_back(fmt::format("{} {} is left as it is", where, word));
    }
    return out;
  }

  // The columns from one to another, both included.
  void put_limits(Value& map, const SacctmgrColumns& columns, std::string_view first,
                  std::string_view last, const Row& row, const std::string& whose) {
    bool within = false;
    for (const SacctmgrColumn& column : columns) {
      within = within || column.name == first;
      if (!within) continue;
      const bool is_tres = column.name.find("TRES") != std::string_view::npos;
      const std::string& value = row.get(column.name);
      put(map, column.name,
          is_tres ? known_limits(value, fmt::format("{}: {}", whose, column.name)) : value);
      if (column.name == last) return;
    }
  }

  Value qos() {
    static const std::set<std::string, std::less<>> kFlags = {
        "DenyOnLimit",           "OverPartQOS",    "PartitionTimeLimit", "PartitionMaxNodes",
        "PartitionMinNodes",     "NoDecay",        "NoReserve",          "RequiresReservation",
        "EnforceUsageThreshold", "UsageFactorSafe"};
    Value map = Value::map();
    const Kept kept = read_kept(texts_.qos_kept, {"Name"}, kept_qos_columns(version_), kept_qos());
    for (const Row& row : read_sacctmgr(texts_.qos, columns_in(qos_columns(), version_))) {
      const std::string& name = row.get("Name");
      qos_.insert(name);
      const std::string whose = "QoS " + name;
      Value fields = Value::map();
      if (const std::string& text = row.get("Description"); !text.empty())
        fields.add("description", Value::quoted_text(text));
      for (const char* column : {"Priority", "GraceTime", "Preempt", "PreemptExemptTime"})
        put(fields, column, row.get(column));
      if (const std::string mode = to_lower(row.get("PreemptMode")); mode != "cluster")
        put(fields, "PreemptMode", mode);
      std::vector<std::string> flags;
      bool is_relative = false;
      for (const std::string& flag : words_of(row.get("Flags"))) {
        is_relative = is_relative || flag == "Relative";
        if (kFlags.contains(flag))
          flags.push_back(flag);
        else
          out_.notes.push_back(fmt::format("{}: flag {} is left as it is", whose, flag));
      }
      put(fields, "Flags", fmt::format("{}", fmt::join(flags, ",")));
      put(fields, "UsageFactor", row.get("UsageFactor"));
      // From 23.11 on; a file has no words for percentages.
      if (is_relative)
        out_.notes.push_back(fmt::format(
            "{}: its limits are percentages of the cluster, and are left as they are", whose));
      else
        put_limits(fields, qos_columns(), "GrpTRES", "MinTRES", row, whose);
      put_kept(fields, kept, name);
      map.add(name, std::move(fields));
    }
    return map;
  }

  Value association(const Row& row) {
    Value map = Value::map();
    const std::string& account = row.get("Account");
    const std::string& user = row.get("User");
    put(map, "shares", to_lower(row.get("Share")));
    put(map, "priority", row.get("Priority"));
    put_limits(map, association_columns(), "GrpTRES", "MaxSubmit", row,
               user.empty() ? "account " + account : fmt::format("user {} of {}", user, account));
    put_qos(map, row);
    put(map, "default_qos", row.get("DefaultQOS"));
    put_kept(map, associations_kept_, account + "|" + user + "|" + row.get("Partition"));
    return map;
  }

  void put_qos(Value& map, const Row& row) {
    const std::string& own = row.get("QOS");
    if (own.empty()) return;
    const std::string& account = row.get("Account");
    const std::string& user = row.get("User");
    if (!may_use(row).empty()) {
      put(map, "qos", own);
      return;
    }
    // The file has no words for a list without QoS.
    const std::string& above = user.empty() ? row.get("ParentName") : account;
    out_.notes.push_back(
        fmt::format("{} {}: may use no QoS at all; the file lets it use those of {}",
                    user.empty() ? "account" : "user " + user + " of", account, above));
  }

  // What an association may use in the end.
  std::vector<std::string> may_use(const Row& row) const {
    const std::string& own = row.get("QOS");
    const std::string difference = qos_difference(Value::scalar(own));
    if (!own.empty() && difference.empty()) return words_of(own);
    const bool is_user = !row.get("User").empty();
    const auto above = account_rows_.find(row.get(is_user ? "Account" : "ParentName"));
    std::vector<std::string> out;
    if (above != account_rows_.end()) out = may_use(above->second);
    return own.empty() ? out : differing_qos(std::move(out), difference);
  }

  using Kept = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

  static Kept read_kept(const std::string& text, const std::vector<std::string_view>& names,
                        const SacctmgrColumns& columns, const std::vector<KeptColumn>& kept) {
    Kept out;
    for (const Row& row : read_sacctmgr(text, columns)) {
      std::string name = row.get(names.front());
      for (std::size_t i = 1; i < names.size(); ++i) name += "|" + row.get(names[i]);
      for (const KeptColumn& each : kept)
        if (const std::string& value = row.get(each.column.name); !value.empty())
          out[name].emplace_back(each.key, plain_number(value));
    }
    return out;
  }

  static void put_kept(Value& map, const Kept& kept, const std::string& name) {
    const auto found = kept.find(name);
    if (found == kept.end()) return;
    for (const auto& [key, value] : found->second) put(map, key, value);
  }

  Value accounts() {
    associations_kept_ = read_kept(texts_.associations_kept, {"Account", "User", "Partition"},
                                   kept_association_columns(version_), kept_associations());
    for (const Row& row : read_sacctmgr(texts_.accounts, account_columns())) {
      const std::string& name = row.get("Account");
      out_.account_records.insert(name);
      out_.organizations[name] = row.get("Organization");
      descriptions_[name] = row.get("Description");
    }
    for (const Row& row :
         read_sacctmgr(texts_.associations, columns_in(association_columns(), version_))) {
      const std::string& name = row.get("Account");
      if (row.get("User").empty()) {
        accounts_.insert(name);
        if (name != "root") below_[row.get("ParentName")].push_back(name);
        account_rows_.insert_or_assign(name, row);
      } else {
        with_users_.insert(row.get("User"));
        users_of_[name].push_back(row);
      }
    }
    Value map = Value::map();
    Value root = account("root");
    Value top;
    for (Entry& entry : root.entries)
      if (entry.key == "accounts") top = entry.value;
    std::erase_if(root.entries, [](const Entry& entry) { return entry.key == "accounts"; });
    map.add("root", std::move(root));
    for (Entry& entry : top.entries) map.add(entry.key, entry.value);
    return map;
  }

  Value account(const std::string& name) {
    auto row = account_rows_.find(name);
    if (row == account_rows_.end()) return Value::map();
    Value map = association(row->second);
    // Root's is "default root account" everywhere: nobody chose it.
    if (const std::string& text = descriptions_[name]; !text.empty() && name != "root")
      map.add("description", Value::quoted_text(text));
    // Left unsaid, sacctmgr takes the name of the account above, or below root the account's own.
    const std::string& parent = row->second.get("ParentName");
    const std::string& organization = out_.organizations[name];
    const std::string usual = parent == "root" ? name : parent;
    if (name != "root" && organization != usual && !organization.empty())
      map.add("Organization", Value::quoted_text(organization));
    Value list = Value::list();
    for (const Row& user : users_of_[name]) {
      Value fields = association(user);
      fields.add("name", Value::scalar(user.get("User")));
      put(fields, "partition", user.get("Partition"));
      list.items.push_back(std::move(fields));
    }
    if (!list.items.empty()) map.add("users", std::move(list));
    Value children = Value::map();
    for (const std::string& child : below_[name]) children.add(child, account(child));
    if (!children.entries.empty()) map.add("accounts", std::move(children));
    return map;
  }

  // The coordinator of an account is shown as that of every account below it too, once more where
  // it was said there as well.
  bool is_implied(const std::string& user, const std::string& account) const {
    const auto times = [&](const std::string& name) {
      const auto found = coordinators_.find(name);
      return found == coordinators_.end()
                 ? 0
                 : std::count(found->second.begin(), found->second.end(), user);
    };
    const auto row = account_rows_.find(account);
    return row != account_rows_.end() && times(account) > 0 &&
           times(account) <= times(row->second.get("ParentName"));
  }

  Value users() {
    Value map = Value::map();
    for (const Row& row : read_sacctmgr(texts_.coordinators, coordinator_columns()))
      coordinators_[row.get("Account")] = words_of(row.get("Coordinators"));
    for (const Row& row : read_sacctmgr(texts_.users, user_columns())) {
      const std::string& name = row.get("User");
      const std::string level = to_lower(row.get("AdminLevel"));
      out_.user_records.insert(name);
      Value fields = Value::map();
      // A user without an account on this cluster may still be its administrator.
      const bool has_account = with_users_.contains(name);
      if (!has_account && level == "none") continue;
      if (has_account && accounts_.contains(row.get("DefaultAccount")))
        put(fields, "default_account", row.get("DefaultAccount"));
      put(fields, "admin_level", level);
      std::vector<std::string> coordinates;
      for (const std::string& account : words_of(row.get("Coordinators")))
        if (accounts_.contains(account) && !is_implied(name, account))
          coordinates.push_back(account);
      put(fields, "coordinator_of", fmt::format("{}", fmt::join(coordinates, ",")));
      map.add(name, std::move(fields));
    }
    return map;
  }

  const SlurmTexts& texts_;
  std::optional<SlurmVersion> version_;
  LivePolicy out_;
  std::set<std::string> known_tres_;
  std::set<std::string> accounts_;
  std::set<std::string> qos_;
  std::set<std::string> with_users_;
  std::map<std::string, Row> account_rows_;
  std::map<std::string, std::vector<Row>> users_of_;
  std::map<std::string, std::vector<std::string>> below_;
  std::map<std::string, std::string> descriptions_;
  Kept associations_kept_;
  std::map<std::string, std::vector<std::string>> coordinators_;  // By account.
};

}  // namespace

Result<LivePolicy> import_policy(const SlurmTexts& texts) { return Import(texts).take(); }

Result<LivePolicy> read_live_policy() {
  TRY(const SlurmTexts texts, read_slurm_texts());
  TRY(LivePolicy live, import_policy(texts));
  // A Slurm that does not show them has none as far as a policy goes.
  if (const auto shown = ask_slurm({"scontrol", "--oneliner", "show", "reservation"}))
    for (const std::string& name : reservation_names(shown->output))
      live.notes.push_back(fmt::format("reservation {} is left as it is", name));
  return live;
}

}  // namespace sluice
