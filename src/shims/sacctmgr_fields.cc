#include "shims/sacctmgr_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

// A limit that an association does not have comes from the account above it, as sacctmgr shows it.
template <class Get>
auto inherited(const R& r, Get get) -> decltype(get(*r.assoc)) {
  const Association* it = r.assoc;
  while (true) {
    const auto value = get(*it);
    if (value || !it->parent) return value;
    it = &r.policy->associations[it->parent->index()];
  }
}

std::string max_jobs(const R& r) {
  return number(inherited(r, [](const Association& a) { return a.max_jobs; }));
}
std::string max_submit(const R& r) {
  return number(inherited(r, [](const Association& a) { return a.max_submit_jobs; }));
}
std::string max_wall(const R& r) {
  return duration(inherited(r, [](const Association& a) { return a.job.max_wall; }));
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
constexpr auto kAssoc = std::to_array<SacctmgrField>({
    {"cluster", "Cluster", 10, [](const R& r) { return r.policy->cluster; }},
    {"account", "Account", 10, account_name},
    {"user", "User", 10, user_of},
    {"partition", "Partition", 10, [](const R& r) { return r.assoc->partition; }},
    {"share", "Share", 9, share_text},
    {"fairshare", "Share", 9, share_text},
    {"priority", "Priority", 10, [](const R& r) { return number(r.assoc->priority); }},
    {"grpjobs", "GrpJobs", 7, [](const R& r) { return number(r.assoc->group.jobs); }},
    {"grptres", "GrpTRES", 13, [](const R& r) { return limits(r, r.assoc->group.tres); }},
    {"grpsubmit", "GrpSubmit", 9, [](const R& r) { return number(r.assoc->group.submit_jobs); }},
    {"grpsubmitjobs", "GrpSubmit", 9, [](const R& r) { return number(r.assoc->group.submit_jobs); }},
    {"grpwall", "GrpWall", 11, [](const R& r) { return duration(r.assoc->group.wall); }},
    {"grptresmins", "GrpTRESMins", 13, [](const R& r) { return limits(r, r.assoc->group.tres_minutes); }},
    {"maxjobs", "MaxJobs", 7, max_jobs},
    {"maxtres", "MaxTRES", 13, [](const R& r) { return limits(r, r.assoc->job.max_tres); }},
    {"maxtresperjob", "MaxTRES", 13, [](const R& r) { return limits(r, r.assoc->job.max_tres); }},
    {"maxtrespernode", "MaxTRESPerNode", 14, [](const R& r) { return limits(r, r.assoc->job.max_tres_node); }},
    {"maxsubmit", "MaxSubmit", 9, max_submit},
    {"maxsubmitjobs", "MaxSubmit", 9, max_submit},
    {"maxwall", "MaxWall", 11, max_wall},
    {"maxwalldurationperjob", "MaxWall", 11, max_wall},
    {"maxtresmins", "MaxTRESMins", 13, [](const R& r) { return limits(r, r.assoc->job.max_tres_minutes); }},
    {"qos", "QOS", 20, [](const R& r) { return qos_list(*r.policy, *r.assoc); }},
    {"defaultqos", "Def QOS", 9, default_qos},
    {"defqos", "Def QOS", 9, default_qos},
    {"grptresrunmins", "GrpTRESRunMins", 13, [](const R& r) { return limits(r, r.assoc->group.tres_run_minutes); }},
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
constexpr auto kQos = std::to_array<SacctmgrField>({
    {"name", "Name", 10, [](const R& r) { return r.qos->name; }},
    {"priority", "Priority", 10, [](const R& r) { return std::to_string(r.qos->priority); }},
    {"gracetime", "GraceTime", 10, [](const R& r) { return format_duration(r.qos->grace_time); }},
    {"preempt", "Preempt", 10, preempt},
    {"preemptexempttime", "PreemptExemptTime", 19, [](const R& r) { return duration(r.qos->preempt_exempt_time); }},
    {"preemptmode", "PreemptMode", 11, preempt_mode},
    {"flags", "Flags", 40, flags},
    {"usagethres", "UsageThres", 10, [](const R&) { return std::string(); }},
    {"usagefactor", "UsageFactor", 11, [](const R& r) { return fmt::format("{:.6f}", static_cast<double>(r.qos->usage_factor_millionths) / 1e6); }},
    {"grptres", "GrpTRES", 13, [](const R& r) { return limits(r, r.qos->group.tres); }},
    {"grptresmins", "GrpTRESMins", 13, [](const R& r) { return limits(r, r.qos->group.tres_minutes); }},
    {"grptresrunmins", "GrpTRESRunMins", 13, [](const R& r) { return limits(r, r.qos->group.tres_run_minutes); }},
    {"grpjobs", "GrpJobs", 7, [](const R& r) { return number(r.qos->group.jobs); }},
    {"grpsubmit", "GrpSubmit", 9, [](const R& r) { return number(r.qos->group.submit_jobs); }},
    {"grpsubmitjobs", "GrpSubmit", 9, [](const R& r) { return number(r.qos->group.submit_jobs); }},
    {"grpwall", "GrpWall", 11, [](const R& r) { return duration(r.qos->group.wall); }},
    {"maxtres", "MaxTRES", 13, [](const R& r) { return limits(r, r.qos->job.max_tres); }},
    {"maxtresperjob", "MaxTRES", 13, [](const R& r) { return limits(r, r.qos->job.max_tres); }},
    {"maxtrespernode", "MaxTRESPerNode", 14, [](const R& r) { return limits(r, r.qos->job.max_tres_node); }},
    {"maxtresmins", "MaxTRESMins", 13, [](const R& r) { return limits(r, r.qos->job.max_tres_minutes); }},
    {"maxwall", "MaxWall", 11, [](const R& r) { return duration(r.qos->job.max_wall); }},
    {"maxwalldurationperjob", "MaxWall", 11, [](const R& r) { return duration(r.qos->job.max_wall); }},
    {"maxtrespu", "MaxTRESPU", 13, [](const R& r) { return limits(r, r.qos->user.max_tres); }},
    {"maxtresperuser", "MaxTRESPU", 13, [](const R& r) { return limits(r, r.qos->user.max_tres); }},
    {"maxjobspu", "MaxJobsPU", 9, [](const R& r) { return number(r.qos->user.max_jobs); }},
    {"maxjobsperuser", "MaxJobsPU", 9, [](const R& r) { return number(r.qos->user.max_jobs); }},
    {"maxsubmitpu", "MaxSubmitPU", 11, [](const R& r) { return number(r.qos->user.max_submit_jobs); }},
    {"maxsubmitjobsperuser", "MaxSubmitPU", 11, [](const R& r) { return number(r.qos->user.max_submit_jobs); }},
    {"maxtrespa", "MaxTRESPA", 13, [](const R& r) { return limits(r, r.qos->account.max_tres); }},
    {"maxtresperaccount", "MaxTRESPA", 13, [](const R& r) { return limits(r, r.qos->account.max_tres); }},
    {"maxjobspa", "MaxJobsPA", 9, [](const R& r) { return number(r.qos->account.max_jobs); }},
    {"maxjobsperaccount", "MaxJobsPA", 9, [](const R& r) { return number(r.qos->account.max_jobs); }},
    {"maxsubmitpa", "MaxSubmitPA", 11, [](const R& r) { return number(r.qos->account.max_submit_jobs); }},
    {"maxsubmitjobsperaccount", "MaxSubmitPA", 11, [](const R& r) { return number(r.qos->account.max_submit_jobs); }},
    {"mintres", "MinTRES", 13, [](const R& r) { return limits(r, r.qos->job.min_tres); }},
    {"mintresperjob", "MinTRES", 13, [](const R& r) { return limits(r, r.qos->job.min_tres); }},
    {"description", "Descr", 20, [](const R& r) { return r.qos->description.empty() ? r.qos->name : r.qos->description; }},
    {"id", "ID", 6, [](const R& r) { return std::to_string(r.index + 1); }},
});
constexpr auto kCluster = std::to_array<SacctmgrField>({
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
});

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

template <class Table>
const SacctmgrField* find(const Table& table, std::string_view name) {
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
  if (entity == "qos") return find(kQos, name);
  if (entity == "cluster") return find(kCluster, name);
  return find(kAssoc, name);
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

}  // namespace sluice
