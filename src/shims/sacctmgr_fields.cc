#include "shims/sacctmgr_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "model/limit_table.h"
#include "shims/site.h"
#include "shims/words.h"
#include "text/duration.h"
#include "text/scan.h"
#include "text/tres.h"

namespace sluice {
namespace {

using R = SacctmgrRow;

std::string number(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "";
}
std::string duration(const std::optional<Duration>& value) {
  return value ? format_duration(*value) : "";
}
std::string limits(const R& r, const TresLimits& value) {
  return format_tres_limits(value, r.policy->tres, TresOrder::kByName);
}
std::string one(const TresLimits& value, TresIndex index) {
  return value.has(index) ? std::to_string(value[index]) : "";
}

std::string value_text(const R& r, const TresLimits& value) { return limits(r, value); }
std::string value_text(const R&, const std::optional<std::int64_t>& value) { return number(value); }
std::string value_text(const R&, const std::optional<Duration>& value) { return duration(value); }

std::string limit_text(const R& r, const Qos*, const LimitRow& wanted) {
  std::string out;
  each_limit_of_qos(*r.qos, [&](const LimitRow& row, const auto& value) {
    if (&row == &wanted) out = value_text(r, value);
  });
  return out;
}

// A number or a time that an association does not have comes from the account above it, as sacctmgr
// shows it; limits of all its jobs together do not.
std::string limit_text(const R& r, const Association*, const LimitRow& wanted) {
  const bool inherited = !wanted.by_tres() && wanted.whose != LimitWhose::kAll;
  const Association* it = r.assoc;
  while (true) {
    std::string out;
    each_limit_of_association(*it, [&](const LimitRow& row, const auto& value) {
      if (&row == &wanted) out = value_text(r, value);
    });
    if (!out.empty() || !inherited || !it->parent) return out;
    it = &r.policy->associations[it->parent->index()];
  }
}

int width_of(const LimitRow& row) {
  if (row.column_width > 0) return row.column_width;
  if (row.by_tres()) return 13;
  return row.unit == LimitUnit::kTime ? 11 : static_cast<int>(row.column.size());
}

using SacctmgrFields = std::vector<SacctmgrField>;

// The limits that the holder has, under each of their names, behind its other fields.
template <class Holder>
SacctmgrFields with_limits(SacctmgrFields fields) {
  const auto add = [&](const LimitRow& row, const auto&) {
    const auto text = [&row](const R& r) {
      return limit_text(r, static_cast<const Holder*>(nullptr), row);
    };
    for (const std::string_view name : {row.column, row.name})
      fields.push_back({name, row.column, width_of(row), text});
    for (const std::string_view alias : row.aliases)
      if (!alias.empty()) fields.push_back({alias, row.column, width_of(row), text});
  };
  const Holder none;
  if constexpr (std::is_same_v<Holder, Qos>)
    each_limit_of_qos(none, add);
  else
    each_limit_of_association(none, add);
  return fields;
}

std::string share_text(const R& r) {
  return r.assoc->shares_of_parent ? "parent" : std::to_string(r.assoc->shares);
}
std::string description(const R& r) {
  const std::string& text = r.account->description;
  if (text.empty())
    return r.account->account == "root" ? "default root account" : r.account->account;
  return to_lower(text);
}
std::string organization(const R& r) {
  // Without one of its own, as sacctmgr names it: the account above, or the account itself.
  if (r.account->parent) {
    const Association& above = r.policy->associations[r.account->parent->index()];
    if (above.account != "root") return above.account;
  }
  return r.account->account;
}
std::string default_qos(const R& r) {
  return r.assoc->default_qos ? r.policy->qos[r.assoc->default_qos->index()].name : "";
}
std::string flags(const R& r) {
  const QosFlags& f = r.qos->flags;
  std::string out;
  const auto add = [&](bool set, std::string_view word) {
    if (set) (out += out.empty() ? "" : ",") += word;
  };
  add(f.deny_on_limit, "DenyOnLimit");
  add(f.enforce_usage_threshold, "EnforceUsageThreshold");
  add(f.no_reserve, "NoReserve");
  add(f.no_decay, "NoDecay");
  add(f.over_part_qos, "OverPartQOS");
  add(f.partition_max_nodes, "PartitionMaxNodes");
  add(f.partition_min_nodes, "PartitionMinNodes");
  add(f.partition_time_limit, "PartitionTimeLimit");
  add(f.require_reservation, "RequiresReservation");
  add(f.usage_factor_safe, "UsageFactorSafe");
  return out;
}
std::string preempt(const R& r) {
  std::vector<std::string> names;
  for (const QosId id : r.qos->preempt) names.push_back(r.policy->qos[id.index()].name);
  return fmt::format("{}", fmt::join(names, ","));
}
std::string preempt_mode(const R& r) {
  return r.qos->preempt_mode ? to_lower(preempt_mode_word(*r.qos->preempt_mode)) : "cluster";
}
std::string user_of(const R& r) { return r.user != nullptr ? r.user->name : r.assoc->user; }
std::string admin(const R& r) {
  constexpr std::string_view kWords[] = {"None", "Operator", "Administrator"};
  return std::string(kWords[static_cast<std::size_t>(r.user->admin_level)]);
}
std::string coordinators(const R& r) {
  std::vector<std::string> names;
  for (const User& user : r.policy->users)
    if (r.account != nullptr && std::find(user.coordinates.begin(), user.coordinates.end(),
                                          r.account->account) != user.coordinates.end())
      names.push_back(user.name);
  return fmt::format("{}", fmt::join(names, ","));
}
std::string coordinated(const R& r) {
  return r.user != nullptr ? fmt::format("{}", fmt::join(r.user->coordinates, ","))
                           : coordinators(r);
}
std::string account_name(const R& r) {
  return std::string(static_cast<std::size_t>(r.depth), ' ') +
         (r.assoc != nullptr ? r.assoc->account : r.account->account);
}
std::string parent_name(const R& r) {
  if (!r.assoc->user.empty() || !r.assoc->parent) return "";
  return r.policy->associations[r.assoc->parent->index()].account;
}

// clang-format off
const SacctmgrFields& association_fields() {
  static const SacctmgrFields kFields = with_limits<Association>({
    {"cluster", "Cluster", 10, [](const R& r) { return r.policy->cluster; }},
    {"account", "Account", 10, account_name},
    {"user", "User", 10, user_of},
    {"partition", "Partition", 10, [](const R& r) { return r.assoc->partition; }},
    {"share", "Share", 9, share_text},
    {"fairshare", "Share", 9, share_text},
    {"priority", "Priority", 10, [](const R& r) { return number(r.assoc->priority); }},
    {"qos", "QOS", 20, [](const R& r) { return qos_list(*r.policy, *r.assoc); }},
    {"defaultqos", "Def QOS", 9, default_qos},
    {"defqos", "Def QOS", 9, default_qos},
    {"id", "ID", 6, [](const R& r) { return std::to_string(r.index + 1); }},
    {"parentname", "ParentName", 10, parent_name},
    {"defaultaccount", "Def Acct", 10, [](const R& r) { return r.user != nullptr ? r.user->default_account : ""; }},
    {"defacct", "Def Acct", 10, [](const R& r) { return r.user != nullptr ? r.user->default_account : ""; }},
    {"admin", "Admin", 9, [](const R& r) { return r.user != nullptr ? admin(r) : ""; }},
    {"adminlevel", "Admin", 9, [](const R& r) { return r.user != nullptr ? admin(r) : ""; }},
    {"descr", "Descr", 20, [](const R& r) { return r.account != nullptr ? description(r) : ""; }},
    {"description", "Descr", 20, [](const R& r) { return r.account != nullptr ? description(r) : ""; }},
    {"org", "Org", 20, [](const R& r) { return r.account != nullptr ? organization(r) : ""; }},
    {"organization", "Org", 20, [](const R& r) { return r.account != nullptr ? organization(r) : ""; }},
    {"coordinators", "Coord Accounts", 20, coordinated},
    {"grpnodes", "GrpNodes", 8, [](const R& r) { return one(r.assoc->group.tres, kTresNode); }},
    {"grpcpus", "GrpCPUs", 8, [](const R& r) { return one(r.assoc->group.tres, kTresCpu); }},
    {"grpmem", "GrpMem", 7, [](const R& r) { return one(r.assoc->group.tres, kTresMem); }},
    {"grpcpumins", "GrpCPUMins", 11, [](const R& r) { return one(r.assoc->group.tres_minutes, kTresCpu); }},
    {"maxnodes", "MaxNodes", 8, [](const R& r) { return one(r.assoc->job.max_tres, kTresNode); }},
    {"maxcpus", "MaxCPUs", 8, [](const R& r) { return one(r.assoc->job.max_tres, kTresCpu); }},
    {"maxcpumins", "MaxCPUMins", 11, [](const R& r) { return one(r.assoc->job.max_tres_minutes, kTresCpu); }},
  });
  return kFields;
}
const SacctmgrFields& qos_fields() {
  static const SacctmgrFields kFields = with_limits<Qos>({
    {"name", "Name", 10, [](const R& r) { return r.qos->name; }},
    {"priority", "Priority", 10, [](const R& r) { return std::to_string(r.qos->priority); }},
    {"gracetime", "GraceTime", 10, [](const R& r) { return format_duration(r.qos->grace_time); }},
    {"preempt", "Preempt", 10, preempt},
    {"preemptexempttime", "PreemptExemptTime", 19, [](const R& r) { return duration(r.qos->preempt_exempt_time); }},
    {"preemptmode", "PreemptMode", 11, preempt_mode},
    {"flags", "Flags", 40, flags},
    {"usagethres", "UsageThres", 10, [](const R& r) { return r.qos->usage_threshold_millionths ? fmt::format("{:.6f}", static_cast<double>(*r.qos->usage_threshold_millionths) / 1e6) : std::string(); }},
    {"usagefactor", "UsageFactor", 11, [](const R& r) { return fmt::format("{:.6f}", static_cast<double>(r.qos->usage_factor_millionths) / 1e6); }},
    {"limitfactor", "LimitFactor", 11, [](const R& r) { return r.qos->limit_factor_millionths ? fmt::format("{:.6f}", static_cast<double>(*r.qos->limit_factor_millionths) / 1e6) : std::string(); }},
    {"description", "Descr", 20, [](const R& r) { return r.qos->description.empty() ? r.qos->name : r.qos->description; }},
    {"id", "ID", 6, [](const R& r) { return std::to_string(r.index + 1); }},
  });
  return kFields;
}
const SacctmgrFields& cluster_fields() {
  static const SacctmgrFields kFields = {
    {"cluster", "Cluster", 10, [](const R& r) { return r.policy->cluster; }},
    {"name", "Cluster", 10, [](const R& r) { return r.policy->cluster; }},
    {"controlhost", "ControlHost", 15, [](const R&) { return std::string("127.0.0.1"); }},
    {"controlport", "ControlPort", 12, [](const R&) { return std::string("0"); }},
    {"rpc", "RPC", 5, [](const R&) { return std::string("9728"); }},
    {"share", "Share", 9, [](const R&) { return std::string("1"); }},
    {"grpjobs", "GrpJobs", 7, [](const R& r) { return number(r.assoc->group.jobs); }},
    {"grptres", "GrpTRES", 13, [](const R& r) { return limits(r, r.assoc->group.tres); }},
    {"grpsubmit", "GrpSubmit", 9, [](const R& r) { return number(r.assoc->group.submit_jobs); }},
    {"maxjobs", "MaxJobs", 7, [](const R& r) { return number(r.assoc->max_jobs); }},
    {"maxtres", "MaxTRES", 13, [](const R& r) { return limits(r, r.assoc->job.max_tres); }},
    {"maxsubmit", "MaxSubmit", 9, [](const R& r) { return number(r.assoc->max_submit_jobs); }},
    {"maxwall", "MaxWall", 11, [](const R& r) { return duration(r.assoc->job.max_wall); }},
    {"qos", "QOS", 20, [](const R& r) { return qos_list(*r.policy, *r.assoc); }},
    {"defaultqos", "Def QOS", 9, default_qos},
  };
  return kFields;
}

constexpr std::string_view kAssocFormat =
    "cluster,account,user,partition,share,priority,grpjobs,grptres,grpsubmit,grpwall,grptresmins,maxjobs,maxtres,"
    "maxtrespernode,maxsubmit,maxwall,maxtresmins,qos,defaultqos,grptresrunmins";
constexpr std::string_view kQosFormat =
    "name,priority,gracetime,preempt,preemptexempttime,preemptmode,flags,usagethres,usagefactor,grptres,grptresmins,"
    "grptresrunmins,grpjobs,grpsubmit,grpwall,maxtres,maxtrespernode,maxtresmins,maxwall,maxtrespu,maxjobspu,maxsubmitpu,"
    "maxtrespa,maxjobspa,maxsubmitpa,mintres";
constexpr std::string_view kUserFormat = "user,defaultaccount,adminlevel";
constexpr std::string_view kUserAssocFormat =
    "user,defaultaccount,adminlevel,cluster,account,partition,share,priority,maxjobs,maxnodes,maxcpus,maxsubmit,maxwall,"
    "maxcpumins,qos,defaultqos";
constexpr std::string_view kAccountFormat = "account,description,organization";
constexpr std::string_view kAccountAssocFormat =
    "account,description,organization,cluster,parentname,user,share,priority,grpjobs,grpnodes,grpcpus,grpmem,grpsubmit,"
    "grpwall,grpcpumins,maxjobs,maxnodes,maxcpus,maxsubmit,maxwall,maxcpumins,qos,defaultqos";
constexpr std::string_view kClusterFormat =
    "cluster,controlhost,controlport,rpc,share,grpjobs,grptres,grpsubmit,maxjobs,maxtres,maxsubmit,maxwall,qos,defaultqos";
// clang-format on

const SacctmgrField* find(const SacctmgrFields& table, std::string_view name) {
  for (const SacctmgrField& field : table)
    if (same_ignoring_case(field.name, name)) return &field;
  for (const SacctmgrField& field : table)
    if (name.size() >= least_letters(field.name) && starts_ignoring_case(field.name, name))
      return &field;
  return nullptr;
}

}  // namespace

std::size_t least_letters(std::string_view field) {
  const std::string name = to_lower(field);
  const std::string_view head = std::string_view(name).substr(0, 3);
  if (head == "grp" || head == "max" || head == "min")
    return name.find("tres") != std::string::npos || name.starts_with("maxcpu") ? 7
           : name.starts_with("grpcpu")                                         ? 6
                                                                                : 4;
  if (name.starts_with("default")) return 8;
  struct Known {
    std::string_view name;
    std::size_t letters;
  };
  static constexpr Known kKnown[] = {
      {"account", 3},      {"qos", 3},         {"description", 3}, {"gracetime", 3},
      {"federation", 3},   {"features", 3},    {"nodecount", 5},   {"nodenames", 5},
      {"fedstate", 6},     {"adminlevel", 2},  {"fairshare", 2},   {"cluster", 2},
      {"coordinators", 2}, {"id", 2},          {"name", 2},        {"flags", 2},
      {"controlhost", 8},  {"controlport", 8}, {"type", 2},        {"tres", 2}};
  for (const Known& known : kKnown)
    if (known.name == name) return known.letters;
  return 1;
}

const SacctmgrField* sacctmgr_field(std::string_view entity, std::string_view name) {
  if (entity == "qos") return find(qos_fields(), name);
  if (entity == "cluster") return find(cluster_fields(), name);
  return find(association_fields(), name);
}

std::string_view sacctmgr_format(std::string_view entity, bool with_associations,
                                 bool with_coordinators) {
  if (entity == "qos") return kQosFormat;
  if (entity == "cluster") return kClusterFormat;
  if (entity == "user") return with_associations ? kUserAssocFormat : kUserFormat;
  if (entity == "account") {
    if (with_coordinators && !with_associations)
      return "account,description,organization,coordinators";
    return with_associations ? kAccountAssocFormat : kAccountFormat;
  }
  return kAssocFormat;
}

std::string qos_list(const Policy& policy, const Association& assoc) {
  const auto place = static_cast<std::uint32_t>(&assoc - policy.associations.data());
  std::vector<std::string> names;
  for (const QosId id : policy.allowed_qos(AssocId(place)))
    names.push_back(policy.qos[id.index()].name);
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ","));
}

const User* user_named(const Policy& policy, const std::string& name) {
  for (const User& user : policy.users)
    if (user.name == name) return &user;
  return nullptr;
}

}  // namespace sluice
