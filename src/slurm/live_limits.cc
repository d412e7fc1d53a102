// assoc_mgr is what the controller itself decides by, and needs no slurmdbd.
#include "slurm/live_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "model/limit_table.h"
#include "slurm/sacctmgr.h"
#include "slurm/table.h"
#include "text/duration.h"
#include "text/scan.h"
#include "text/tres.h"
#include "text/tres_weight.h"

namespace sluice {
namespace {

struct ReadTres {
  TresLimits limits;
  TresVector used;
};

ReadTres tres_of(std::string_view text, const TresRegistry& registry) {
  ReadTres out;
  for (const auto& [name, counted] : read_counted_tres(text)) {
    const auto tres = registry.find(name);
    if (!tres) continue;
    if (counted.limited) out.limits.put(*tres, counted.limit);
    out.used[*tres] = counted.used;
  }
  return out;
}

std::optional<std::int64_t> limit_of(std::string_view text) {
  const Counted counted = read_counted(text);
  return counted.limited ? std::optional(counted.limit) : std::nullopt;
}

// MaxWallPJ and GrpWall are minutes there.
std::optional<Duration> minutes_of(std::string_view text) {
  const auto limit = limit_of(text);
  return limit ? std::optional<Duration>(minutes(*limit)) : std::nullopt;
}

// A limit, from the field of assoc_mgr that has it.
class LimitReader {
 public:
  using Field = std::function<std::string_view(std::string_view)>;
  LimitReader(const TresRegistry& registry, Field field)
      : registry_(registry), field_(std::move(field)) {}
  void operator()(const LimitRow& row, TresLimits& value) const {
    value = tres_of(field_(row.live), registry_).limits;
  }
  void operator()(const LimitRow& row, std::optional<std::int64_t>& value) const {
    value = limit_of(field_(row.live));
  }
  void operator()(const LimitRow& row, std::optional<Duration>& value) const {
    value = minutes_of(field_(row.live));
  }

 private:
  const TresRegistry& registry_;
  Field field_;
};

// What is in use stands beside the limits, in brackets.
void read_use(const AssocRecord& record, const TresRegistry& registry, Use& use) {
  use.tres = tres_of(record.field("GrpTRES"), registry).used;
  use.tres_minutes = tres_of(record.field("GrpTRESMins"), registry).used;
  use.tres_run_minutes = tres_of(record.field("GrpTRESRunMins"), registry).used;
  use.jobs = read_counted(record.field("GrpJobs")).used;
  use.submitted = read_counted(record.field("GrpSubmitJobs")).used;
  use.wall = minutes(read_counted(record.field("GrpWall")).used);
}

void read_holder_use(const AssocHolder& holder, std::string_view suffix,
                     const TresRegistry& registry, Use& use) {
  const auto field = [&](std::string_view name) {
    return field_of(holder.fields, fmt::format("{}{}", name, suffix));
  };
  use.tres = tres_of(field("MaxTRES"), registry).used;
  use.tres_run_minutes = tres_of(field("MaxTRESRunMins"), registry).used;
  use.jobs = read_counted(field("MaxJobs")).used;
  use.submitted = read_counted(field("MaxSubmitJobs")).used;
}

void read_qos(const AssocRecord& record, const std::map<std::string, std::string>& users,
              Policy& policy, Description& out) {
  const QosId id(static_cast<std::uint32_t>(policy.qos.size()));
  Qos& qos = policy.qos.emplace_back();
  qos.name = record.qos;
  qos.priority = whole_number<std::int64_t>(record.field("Priority")).value_or(0);
  read_use(record, policy.tres, out.qos.emplace_back());
  // The limits of one user or account stand beside its use, the same for all of them.
  each_limit_of_qos(qos, LimitReader(policy.tres, [&](std::string_view name) {
                      for (const auto* holders : {&record.users, &record.accounts})
                        if (!holders->empty())
                          if (const auto found = field_of(holders->back().fields, name);
                              !found.empty())
                            return found;
                      return record.field(name);
                    }));
  for (const AssocHolder& holder : record.users) {
    HolderUse use{id, holder.name, {}};
    if (const auto named = users.find(holder.name); named != users.end())
      use.holder = named->second;
    read_holder_use(holder, "PU", policy.tres, use.use);
    out.users.push_back(std::move(use));
  }
  for (const AssocHolder& holder : record.accounts) {
    HolderUse use{id, holder.name, {}};
    read_holder_use(holder, "PA", policy.tres, use.use);
    out.accounts.push_back(std::move(use));
  }
}

class Tree {
 public:
  Tree(std::span<const AssocRecord> records, Policy& policy, Description& out)
      : policy_(policy), out_(out) {
    policy_.associations.emplace_back().account = "root";
    out_.associations.emplace_back();
    accounts_["root"] = AssocId(0);
    for (const AssocRecord& record : records)
      if (record.qos.empty() && record.user.empty()) by_name_[record.account] = &record;
    for (const AssocRecord& record : records)
      if (record.qos.empty() && record.user.empty()) account(record.account, 0);
    for (const AssocRecord& record : records)
      if (record.qos.empty() && !record.user.empty()) add(record, account(record.account, 0));
  }

 private:
  // Accounts above come first; one that is not shown hangs below root.
  AssocId account(const std::string& name, int depth) {
    const auto known = accounts_.find(name);
    const auto record = by_name_.find(name);
    if (known != accounts_.end()) {
      if (name == "root" && record != by_name_.end()) fill(*record->second, AssocId(0));
      return known->second;
    }
    constexpr int kDeepest = 100;
    AssocId parent(0);
    if (record != by_name_.end() && !record->second->parent.empty() && depth < kDeepest)
      parent = account(record->second->parent, depth + 1);
    const AssocId id(static_cast<std::uint32_t>(policy_.associations.size()));
    policy_.associations.emplace_back().account = name;
    policy_.associations.back().parent = parent;
    out_.associations.emplace_back();
    accounts_[name] = id;
    if (record != by_name_.end()) fill(*record->second, id);
    return id;
  }

  void add(const AssocRecord& record, AssocId parent) {
    const AssocId id(static_cast<std::uint32_t>(policy_.associations.size()));
    Association& assoc = policy_.associations.emplace_back();
    assoc.account = record.account;
    assoc.user = record.user;
    assoc.partition = record.partition;
    assoc.parent = parent;
    out_.associations.emplace_back();
    fill(record, id);
  }

  void fill(const AssocRecord& record, AssocId id) {
    Association& assoc = policy_.associations[id.index()];
    read_use(record, policy_.tres, out_.associations[id.index()]);
    each_limit_of_association(assoc, LimitReader(policy_.tres, [&](std::string_view name) {
                                return record.field(name);
                              }));
    const std::string_view shares = record.field("SharesRaw/Norm/Level/Factor");
    assoc.shares = whole_number<std::int64_t>(shares.substr(0, shares.find('/'))).value_or(1);
  }

  Policy& policy_;
  Description& out_;
  std::map<std::string, const AssocRecord*> by_name_;
  std::map<std::string, AssocId> accounts_;
};

std::vector<QosId> qos_list(std::string_view text, const Policy& policy) {
  std::vector<QosId> out;
  for (std::string_view name : split(text, ',')) {
    while (name.starts_with('+')) name.remove_prefix(1);
    if (const auto id = policy.find_qos(name)) out.push_back(*id);
  }
  return out;
}

}  // namespace

void read_limits(std::span<const AssocRecord> records, Policy& policy, Description& out) {
  std::map<std::string, std::string> users;  // Number to name.
  for (const AssocRecord& record : records)
    if (!record.uid.empty()) users[record.uid] = record.user;
  const Tree tree(records, policy, out);
  for (const AssocRecord& record : records)
    if (!record.qos.empty()) read_qos(record, users, policy, out);
}

namespace {

SacctmgrColumns table_of_qos(std::optional<SlurmVersion> version) {
  // assoc_mgr shows the limits of one user or account only where one of them has a job. Those on
  // run minutes are stored by Slurm and enforced by no release.
  SacctmgrColumns out = {{"Name"}, {"Priority"}, {"Flags"}, {"UsageFactor"}};
  for (const LimitRow& row : kLimitTable)
    if (row.place == LimitPlace::kQos && row.unit != LimitUnit::kTresMinutes &&
        row.counts != LimitCounts::kAgeing)
      out.push_back({row.column});
  out.push_back({"LimitFactor", SlurmVersion{21, 8, 0}});
  return columns_in(std::move(out), version);
}

const SacctmgrColumns& table_of_associations() {
  static const SacctmgrColumns kColumns = {{"Cluster"},   {"Account"}, {"User"},
                                           {"Partition"}, {"QOS"},     {"DefaultQOS"}};
  return kColumns;
}

// The limits that only a QoS has, from its line of the table.
class TableReader {
 public:
  TableReader(const SacctmgrLine& line, const TresRegistry& registry)
      : line_(line), registry_(registry) {}
  void operator()(const LimitRow& row, TresLimits& value) const {
    if (row.place != LimitPlace::kQos) return;
    if (const auto read = parse_tres_limits(line_.get(row.column), registry_);
        read && !read->empty())
      value = *read;
  }
  void operator()(const LimitRow& row, std::optional<std::int64_t>& value) const {
    if (row.place == LimitPlace::kQos) value = whole_number<std::int64_t>(line_.get(row.column));
  }
  void operator()(const LimitRow& row, std::optional<Duration>& value) const {
    if (row.place != LimitPlace::kQos) return;
    if (const auto read = parse_duration(line_.get(row.column))) value = read->duration;
  }

 private:
  const SacctmgrLine& line_;
  const TresRegistry& registry_;
};

}  // namespace

std::vector<std::string> qos_table_command(std::optional<SlurmVersion> version) {
  return show_command("qos", table_of_qos(version));
}

void read_qos_table(std::string_view text, std::optional<SlurmVersion> version, Policy& policy,
                    Description& out) {
  for (const SacctmgrLine& row : read_sacctmgr(text, table_of_qos(version))) {
    const auto id = policy.find_qos(row.get("Name"));
    if (!id) continue;
    Qos& qos = policy.qos[id->index()];
    for (const std::string_view flag : split(row.get("Flags"), ',')) {
      if (flag == "DenyOnLimit") qos.flags.deny_on_limit = true;
      // From 23.11 on.
      if (flag == "Relative")
        out.unseen.push_back(fmt::format("limits of QoS {}: percentages of the cluster", qos.name));
      if (flag == "EnforceUsageThreshold")
        out.unseen.push_back(fmt::format(
            "UsageThreshold of QoS {}: jobs of users with less fairshare wait", qos.name));
      if (flag == "OverPartQOS") qos.flags.over_part_qos = true;
      if (flag == "PartitionTimeLimit") qos.flags.partition_time_limit = true;
      if (flag == "PartitionMaxNodes") qos.flags.partition_max_nodes = true;
      if (flag == "PartitionMinNodes") qos.flags.partition_min_nodes = true;
      if (flag == "NoReserve") qos.flags.no_reserve = true;
      if (flag == "RequiresReservation") qos.flags.require_reservation = true;
      if (flag == "UsageFactorSafe") qos.flags.usage_factor_safe = true;
    }
    if (const auto factor = read_millionths(row.get("UsageFactor")))
      qos.usage_factor_millionths = *factor;
    if (const auto factor = read_millionths(row.get("LimitFactor")); factor && *factor > 0)
      qos.limit_factor_millionths = *factor;
    each_limit_of_qos(qos, TableReader(row, policy.tres));
  }
}

std::vector<std::string> assoc_table_command(const std::string& user) {
  return show_command("assoc", table_of_associations(), {"where", "user=" + user});
}

void read_assoc_table(std::string_view text, Policy& policy) {
  for (const SacctmgrLine& row : read_sacctmgr(text, table_of_associations())) {
    if (!policy.cluster.empty() && row.get("Cluster") != policy.cluster) continue;
    for (Association& assoc : policy.associations) {
      if (assoc.account != row.get("Account") || assoc.user != row.get("User") ||
          assoc.partition != row.get("Partition"))
        continue;
      assoc.qos = qos_list(row.get("QOS"), policy);
      assoc.default_qos = policy.find_qos(row.get("DefaultQOS"));
      // Slurm's own default where the site has set none.
      if (!assoc.default_qos) {
        const auto normal = policy.find_qos("normal");
        if (normal && std::find(assoc.qos.begin(), assoc.qos.end(), *normal) != assoc.qos.end())
          assoc.default_qos = normal;
      }
    }
  }
}

void use_from_jobs(Policy& policy, Description& out) {
  out.unseen.emplace_back("limits (scontrol show assoc_mgr shows none); use is what squeue shows");
  if (policy.associations.empty()) {
    policy.associations.emplace_back().account = "root";
    out.associations.emplace_back();
  }
  const auto qos_named = [&](const std::string& name) {
    if (const auto known = policy.find_qos(name)) return *known;
    policy.qos.emplace_back().name = name;
    out.qos.emplace_back();
    return QosId(static_cast<std::uint32_t>(policy.qos.size() - 1));
  };
  const auto account_named = [&](const std::string& name) {
    if (const auto known = policy.find_account(name)) return *known;
    policy.associations.emplace_back().account = name;
    policy.associations.back().parent = AssocId(0);
    out.associations.emplace_back();
    return AssocId(static_cast<std::uint32_t>(policy.associations.size() - 1));
  };
  const auto count = [](const HeldJob& job, Use& use) {
    use.submitted += job.tasks;
    if (!holds_nodes(job.state)) return;
    use.jobs += 1;
    use.tres += job.tres;
  };
  for (const HeldJob& job : out.jobs) {
    count(job, out.qos[qos_named(job.qos).index()]);
    count(job, out.associations[account_named(job.account).index()]);
    count(job, out.associations.front());
  }
}

}  // namespace sluice
