// Slurm's own words are keys of a policy file too: the outputs become a document, which the
// ordinary reader reads.
#include "policyfile/slurm_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "policyfile/import_settings.h"
#include "policyfile/policy_reader.h"
#include "text/scan.h"

namespace sluice {
namespace {

using Row = std::vector<std::string>;

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
    put(document, "cluster", cluster_name(texts_.config));
    ImportedHardware hardware = import_hardware(texts_, out_.notes);
    known_tres_ = {"cpu", "mem", "node", "billing", "gres/gpu"};
    for (const std::string& name : hardware.tres) known_tres_.insert(to_lower(name));
    document.add("nodes", std::move(hardware.nodes));
    if (!hardware.licenses.entries.empty()) document.add("licenses", std::move(hardware.licenses));
    document.add("qos", qos());
    document.add("accounts", accounts());
    document.add("partitions", import_partitions(texts_, accounts_, qos_, out_.notes));
    document.add("users", users());
    add_settings(document, texts_.config, hardware.tres);
    for (const std::string& word :
         words_of(slurm_field(config_fields(texts_.config), "AccountingStorageTRES")))
      out_.tracked.insert(to_lower(word));
    out_.clusters = std::max<std::size_t>(1, sacctmgr_rows(texts_.clusters, 1).size());
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

  void put_limits(Value& map, const std::vector<std::string_view>& columns, const Row& row,
                  std::size_t first, std::size_t last, const std::string& who) {
    for (std::size_t i = first; i < last; ++i) {
      const bool is_tres = columns[i].find("TRES") != std::string_view::npos;
      put(map, columns[i],
          is_tres ? known_limits(row[i], fmt::format("{}: {}", who, columns[i])) : row[i]);
    }
  }

  Value qos() {
    static const std::set<std::string, std::less<>> kFlags = {
        "DenyOnLimit",           "OverPartQOS",    "PartitionTimeLimit", "PartitionMaxNodes",
        "PartitionMinNodes",     "NoDecay",        "NoReserve",          "RequiresReservation",
        "EnforceUsageThreshold", "UsageFactorSafe"};
    Value map = Value::map();
    const Kept kept = read_kept(texts_.qos_kept, 1, kept_qos_columns(slurm_version(texts_.config)));
    for (const Row& row : sacctmgr_rows(texts_.qos, qos_columns().size())) {
      qos_.insert(row[0]);
      const std::string who = "QoS " + row[0];
      Value fields = Value::map();
      if (!row.back().empty()) fields.add("description", Value::quoted_text(row.back()));
      put(fields, "Priority", row[1]);
      put(fields, "GraceTime", row[2]);
      put(fields, "Preempt", row[3]);
      put(fields, "PreemptExemptTime", row[4]);
      if (to_lower(row[5]) != "cluster") put(fields, "PreemptMode", to_lower(row[5]));
      std::vector<std::string> flags;
      for (const std::string& flag : words_of(row[6]))
        if (kFlags.contains(flag))
          flags.push_back(flag);
        else
          out_.notes.push_back(fmt::format("{}: flag {} is left as it is", who, flag));
      put(fields, "Flags", fmt::format("{}", fmt::join(flags, ",")));
      put(fields, "UsageFactor", row[7]);
      put_limits(fields, qos_columns(), row, 8, qos_columns().size() - 1, who);
      put_kept(fields, kept, row[0]);
      map.add(row[0], std::move(fields));
    }
    return map;
  }

  Value association(const Row& row) {
    Value map = Value::map();
    put(map, "shares", to_lower(row[4]));
    put(map, "priority", row[5]);
    const std::string who =
        row[2].empty() ? "account " + row[1] : fmt::format("user {} of {}", row[2], row[1]);
    put_limits(map, association_columns(), row, 6, 18, who);
    put_qos(map, row);
    put(map, "default_qos", row[19]);
    put_kept(map, associations_kept_, row[1] + "|" + row[2] + "|" + row[3]);
    return map;
  }

  // sacctmgr shows what an association adds, nothing of what it takes away: what it may use in the
  // end, beside what the account above may, tells both.
  void put_qos(Value& map, const Row& row) {
    const std::set<std::string> own = set_of(row[18]);
    const bool is_root = row[1] == "root" && row[2].empty();
    const std::set<std::string> may = set_of(allowed_[{row[1], row[2], row[3]}]);
    if (is_root || own == may) {
      if (!own.empty()) put(map, "qos", allowed_[{row[1], row[2], row[3]}]);
      return;
    }
    const std::string above_name = row[2].empty() ? row[0] : row[1];
    const std::set<std::string> above = set_of(allowed_[{above_name, "", ""}]);
    Value list = Value::list();
    for (const std::string& name : own) list.items.push_back(Value::scalar("+" + name));
    for (const std::string& name : above)
      if (!may.contains(name)) list.items.push_back(Value::scalar("-" + name));
    // All of them taken away: the file has no words for a list without QoS.
    if (may.empty() && !above.empty())
      out_.notes.push_back(
          fmt::format("{} {}: may use no QoS at all; the file lets it use those of {}",
                      row[2].empty() ? "account" : "user " + row[2] + " of", row[1], above_name));
    else if (!list.items.empty())
      map.add("qos", std::move(list));
  }

  static std::set<std::string> set_of(const std::string& text) {
    const auto words = words_of(text);
    return {words.begin(), words.end()};
  }

  using Kept = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

  static Kept read_kept(const std::string& text, std::size_t names,
                        const std::vector<KeptColumn>& columns) {
    Kept out;
    for (const Row& row : sacctmgr_rows(text, names + columns.size())) {
      std::string name = row[0];
      for (std::size_t i = 1; i < names; ++i) name += "|" + row[i];
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (!row[names + i].empty())
          out[name].emplace_back(columns[i].key, plain_number(row[names + i]));
    }
    return out;
  }

  static void put_kept(Value& map, const Kept& kept, const std::string& name) {
    const auto found = kept.find(name);
    if (found == kept.end()) return;
    for (const auto& [key, value] : found->second) put(map, key, value);
  }

  Value accounts() {
    associations_kept_ = read_kept(texts_.associations_kept, 3,
                                   kept_association_columns(slurm_version(texts_.config)));
    for (const Row& row : sacctmgr_rows(texts_.accounts, 3)) {
      out_.account_records.insert(row[0]);
      out_.organizations[row[0]] = row[1];
      descriptions_[row[0]] = row[2];
    }
    for (const Row& row : sacctmgr_rows(texts_.allowed, 4))
      allowed_[{row[0], row[1], row[2]}] = row[3];
    for (Row& row : sacctmgr_rows(texts_.associations, association_columns().size())) {
      if (row[2].empty()) {
        accounts_.insert(row[1]);
        if (row[1] != "root") below_[row[0]].push_back(row[1]);
        account_rows_[row[1]] = std::move(row);
      } else {
        with_users_.insert(row[2]);
        users_of_[row[1]].push_back(std::move(row));
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
    const std::string& parent = row->second[0];
    const std::string& organization = out_.organizations[name];
    const std::string usual = parent == "root" ? name : parent;
    if (name != "root" && organization != usual && !organization.empty())
      map.add("Organization", Value::quoted_text(organization));
    Value list = Value::list();
    for (const Row& user : users_of_[name]) {
      Value fields = association(user);
      fields.add("name", Value::scalar(user[2]));
      put(fields, "partition", user[3]);
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
           times(account) <= times(row->second[0]);
  }

  Value users() {
    Value map = Value::map();
    for (const Row& row : sacctmgr_rows(texts_.coordinators, 2))
      coordinators_[row[0]] = words_of(row[1]);
    for (const Row& row : sacctmgr_rows(texts_.users, 4)) {
      out_.user_records.insert(row[0]);
      Value fields = Value::map();
      // Who is in no account of this cluster may still be its administrator.
      if (!with_users_.contains(row[0]) && to_lower(row[2]) == "none") continue;
      if (with_users_.contains(row[0]) && accounts_.contains(row[1]))
        put(fields, "default_account", row[1]);
      if (!row[2].empty()) put(fields, "admin_level", to_lower(row[2]));
      std::vector<std::string> coordinates;
      for (const std::string& name : words_of(row[3]))
        if (accounts_.contains(name) && !is_implied(row[0], name)) coordinates.push_back(name);
      put(fields, "coordinator_of", fmt::format("{}", fmt::join(coordinates, ",")));
      map.add(row[0], std::move(fields));
    }
    return map;
  }

  const SlurmTexts& texts_;
  LivePolicy out_;
  std::set<std::string> known_tres_;
  std::set<std::string> accounts_;
  std::set<std::string> qos_;
  std::set<std::string> with_users_;
  std::map<std::array<std::string, 3>, std::string> allowed_;
  std::map<std::string, Row> account_rows_;
  std::map<std::string, std::vector<Row>> users_of_;
  std::map<std::string, std::vector<std::string>> below_;
  std::map<std::string, std::string> descriptions_;
  Kept associations_kept_;
  std::map<std::string, std::vector<std::string>> coordinators_;  // By account.
};

}  // namespace

Result<LivePolicy> import_policy(const SlurmTexts& texts) { return Import(texts).take(); }

std::string slurm_description(std::string_view text) {
  std::string out = to_lower(text);
  for (char& c : out) {
    if (c == '\'') c = '`';
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return out;
}

}  // namespace sluice
