// Each of Slurm's limits on QoS and associations, described once.
//
// A new limit is a member with its number and its row here, a rule of model/reason.h, and its place
// in the walk (limits/walk_*.h). The policy file (reader, writer, schema), journals, explanations,
// the count of what still fits, and Slurm's own commands (what a Slurm prints, what the commands
// here print and take) read this table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/time.h"
#include "model/reason.h"
#include "model/tres.h"

namespace sluice {

// Limits on the jobs of an association or a QoS taken together.
struct GroupLimits {
  TresLimits tres;                          // GrpTRES
  TresLimits tres_minutes;                  // GrpTRESMins
  TresLimits tres_run_minutes;              // GrpTRESRunMins
  std::optional<std::int64_t> jobs;         // GrpJobs
  std::optional<std::int64_t> submit_jobs;  // GrpSubmitJobs
  std::optional<Duration> wall;             // GrpWall
  std::optional<std::int64_t> jobs_accrue;  // GrpJobsAccrue
  friend bool operator==(const GroupLimits&, const GroupLimits&) = default;
};

// Limits on one job.
struct JobLimits {
  TresLimits max_tres;               // MaxTRESPerJob
  TresLimits max_tres_node;          // MaxTRESPerNode
  TresLimits max_tres_minutes;       // MaxTRESMinsPerJob
  TresLimits min_tres;               // MinTRESPerJob (QoS only)
  std::optional<Duration> max_wall;  // MaxWallDurationPerJob
  friend bool operator==(const JobLimits&, const JobLimits&) = default;
};

// Limits on the jobs of one user, or of one account, inside a QoS.
struct HolderLimits {
  TresLimits max_tres;                          // MaxTRESPerUser, MaxTRESPerAccount
  TresLimits max_tres_run_minutes;              // MaxTRESRunMinsPerUser, …PerAccount
  std::optional<std::int64_t> max_jobs;         // MaxJobsPerUser, …PerAccount
  std::optional<std::int64_t> max_submit_jobs;  // MaxSubmitJobsPerUser, …PerAccount
  std::optional<std::int64_t> max_jobs_accrue;  // MaxJobsAccruePerUser, …PerAccount
  friend bool operator==(const HolderLimits&, const HolderLimits&) = default;
};

// Calls f(number, member) for every member. A number is the member's place in journals: given once
// and for ever, as storage/fields.h says. The binding stops compiling when a member is added, and
// wants the next number for it.
template <class Limits, class Visit>
requires std::is_same_v<std::remove_const_t<Limits>, GroupLimits>
void each_member(Limits& limits, Visit& f) {
  auto& [tres, tres_minutes, tres_run_minutes, jobs, submit_jobs, wall, jobs_accrue] = limits;
  f(1, tres);
  f(2, tres_minutes);
  f(3, tres_run_minutes);
  f(4, jobs);
  f(5, submit_jobs);
  f(6, wall);
  f(7, jobs_accrue);
}
template <class Limits, class Visit>
requires std::is_same_v<std::remove_const_t<Limits>, JobLimits>
void each_member(Limits& limits, Visit& f) {
  auto& [max_tres, max_tres_node, max_tres_minutes, min_tres, max_wall] = limits;
  f(1, max_tres);
  f(2, max_tres_node);
  f(3, max_tres_minutes);
  f(4, min_tres);
  f(5, max_wall);
}
template <class Limits, class Visit>
requires std::is_same_v<std::remove_const_t<Limits>, HolderLimits>
void each_member(Limits& limits, Visit& f) {
  auto& [max_tres, max_tres_run_minutes, max_jobs, max_submit_jobs, max_jobs_accrue] = limits;
  f(1, max_tres);
  f(2, max_tres_run_minutes);
  f(3, max_jobs);
  f(4, max_submit_jobs);
  f(5, max_jobs_accrue);
}

// What a limit counts.
enum class LimitCounts : std::uint8_t {
  kRunning,    // What runs, of all that the holder speaks for: tasks share what is left.
  kSubmitted,  // The same with what waits.
  kUsedUp,     // What was used in the past.
  kOneJob,     // One job by itself: a job that breaks it never starts.
  kAgeing,     // What waits and gains priority by age. It keeps no job from starting: no reason.
};

// In what it is written.
enum class LimitUnit : std::uint8_t {
  kTres,         // An amount of each kind of resource.
  kTresMinutes,  // The same times minutes.
  kJobs,
  kTime,
};

// Whose jobs are counted together.
enum class LimitWhose : std::uint8_t {
  kAll,      // All of the QoS, or of the association and those below.
  kUser,     // Of one user.
  kAccount,  // Of one account.
  kJob,      // None: each job by itself.
  kNode,     // The same, on each of its nodes.
};

// Where sacctmgr writes it.
enum class LimitPlace : std::uint8_t { kBoth, kQos, kAssociation };

// Slurm's reasons. A limit on resources has one for each kind: CPUs, memory, nodes, billing, GRES,
// licenses, others. Any other limit has one.
using LimitWords = std::array<std::string_view, 7>;

struct LimitRow {
  Rule rule;
  LimitPlace place;
  LimitWhose whose;
  LimitCounts counts;
  LimitUnit unit;
  std::string_view name;  // sacctmgr's, as the policy file and explanations write it.
  std::string_view help;
  std::array<std::string_view, 3> aliases = {};  // Other spellings that sacctmgr takes.
  std::string_view column;                       // As sacctmgr show prints it.
  int column_width = 0;                          // Where it is not the usual one of its unit.
  std::string_view live;                         // As scontrol show assoc_mgr prints it.
  LimitWords qos_words = {};
  LimitWords association_words = {};
  constexpr bool by_tres() const {
    return unit == LimitUnit::kTres || unit == LimitUnit::kTresMinutes;
  }
};

// clang-format off
// In the order of sacctmgr's columns.
inline constexpr LimitRow kLimitTable[] = {
    {.rule = Rule::kGrpTres, .place = LimitPlace::kBoth, .whose = LimitWhose::kAll,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kTres,
     .name = "GrpTRES", .help = "resources of all its running jobs together",
     .column = "GrpTRES", .live = "GrpTRES",
     .qos_words = {"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "QOSGrpBilling",
                   "QOSGrpGRES", "QOSGrpLicense", "QOSGrpUnknown"},
     .association_words = {"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit",
                           "AssocGrpBilling", "AssocGrpGRES", "AssocGrpLicense",
                           "AssocGrpUnknown"}},
    {.rule = Rule::kGrpTresMinutes, .place = LimitPlace::kBoth, .whose = LimitWhose::kAll,
     .counts = LimitCounts::kUsedUp, .unit = LimitUnit::kTresMinutes,
     .name = "GrpTRESMins", .help = "resource minutes used in all, past and running",
     .column = "GrpTRESMins", .live = "GrpTRESMins",
     .qos_words = {"QOSGrpCPUMinutesLimit", "QOSGrpMemoryMinutes", "QOSGrpNodeMinutes",
                   "QOSGrpBillingMinutes", "QOSGrpGRESMinutes", "QOSGrpLicenseMinutes",
                   "QOSGrpUnknownMinutes"},
     .association_words = {"AssocGrpCPUMinutesLimit", "AssocGrpMemMinutes", "AssocGrpNodeMinutes",
                           "AssocGrpBillingMinutes", "AssocGrpGRESMinutes",
                           "AssocGrpLicenseMinutes", "AssocGrpUnknownMinutes"}},
    {.rule = Rule::kGrpTresRunMinutes, .place = LimitPlace::kBoth, .whose = LimitWhose::kAll,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kTresMinutes,
     .name = "GrpTRESRunMins", .help = "resource minutes its running jobs may still use",
     .column = "GrpTRESRunMins", .live = "GrpTRESRunMins",
     .qos_words = {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes",
                   "QOSGrpBillingRunMinutes", "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes",
                   "QOSGrpUnknownRunMinutes"},
     .association_words = {"AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes",
                           "AssocGrpNodeRunMinutes", "AssocGrpBillingRunMinutes",
                           "AssocGrpGRESRunMinutes", "AssocGrpLicenseRunMinutes",
                           "AssocGrpUnknownRunMinutes"}},
    {.rule = Rule::kGrpJobs, .place = LimitPlace::kBoth, .whose = LimitWhose::kAll,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kJobs,
     .name = "GrpJobs", .help = "running jobs together",
     .column = "GrpJobs", .live = "GrpJobs",
     .qos_words = {"QOSGrpJobsLimit"},
     .association_words = {"AssocGrpJobsLimit"}},
    {.rule = Rule::kGrpJobsAccrue, .place = LimitPlace::kBoth, .whose = LimitWhose::kAll,
     .counts = LimitCounts::kAgeing, .unit = LimitUnit::kJobs,
     .name = "GrpJobsAccrue", .help = "waiting jobs together that gain priority by age",
     .column = "GrpJobsAccrue", .live = "GrpJobsAccrue"},
    {.rule = Rule::kGrpSubmitJobs, .place = LimitPlace::kBoth, .whose = LimitWhose::kAll,
     .counts = LimitCounts::kSubmitted, .unit = LimitUnit::kJobs,
     .name = "GrpSubmitJobs", .help = "running and waiting jobs together",
     .aliases = {"GrpSubmit"},
     .column = "GrpSubmit", .live = "GrpSubmitJobs",
     .qos_words = {"QOSGrpSubmitJobsLimit"},
     .association_words = {"AssocGrpSubmitJobsLimit"}},
    {.rule = Rule::kGrpWall, .place = LimitPlace::kBoth, .whose = LimitWhose::kAll,
     .counts = LimitCounts::kUsedUp, .unit = LimitUnit::kTime,
     .name = "GrpWall", .help = "run time used in all, past and running",
     .column = "GrpWall", .live = "GrpWall",
     .qos_words = {"QOSGrpWallLimit"},
     .association_words = {"AssocGrpWallLimit"}},
    {.rule = Rule::kMaxTresPerJob, .place = LimitPlace::kBoth, .whose = LimitWhose::kJob,
     .counts = LimitCounts::kOneJob, .unit = LimitUnit::kTres,
     .name = "MaxTRESPerJob", .help = "resources of one job",
     .aliases = {"MaxTRES", "MaxTRESPJ"},
     .column = "MaxTRES", .live = "MaxTRESPJ",
     .qos_words = {"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxNodePerJobLimit",
                   "QOSMaxBillingPerJob", "QOSMaxGRESPerJob", "QOSMaxLicensePerJob",
                   "QOSMaxUnknownPerJob"},
     .association_words = {"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob",
                           "AssocMaxNodePerJobLimit", "AssocMaxBillingPerJob",
                           "AssocMaxGRESPerJob", "AssocMaxLicensePerJob",
                           "AssocMaxUnknownPerJob"}},
    {.rule = Rule::kMaxTresPerNode, .place = LimitPlace::kBoth, .whose = LimitWhose::kNode,
     .counts = LimitCounts::kOneJob, .unit = LimitUnit::kTres,
     .name = "MaxTRESPerNode", .help = "resources of one job on one node",
     .aliases = {"MaxTRESPN"},
     .column = "MaxTRESPerNode", .column_width = 14, .live = "MaxTRESPN",
     .qos_words = {"QOSMaxCpuPerNode", "QOSMaxMemoryPerNode", "QOSMaxUnknownPerNode",
                   "QOSMaxBillingPerNode", "QOSMaxGRESPerNode", "QOSMaxUnknownPerNode",
                   "QOSMaxUnknownPerNode"},
     .association_words = {"AssocMaxCpuPerNode", "AssocMaxMemPerNode", "AssocMaxUnknownPerNode",
                           "AssocMaxBillingPerNode", "AssocMaxGRESPerNode",
                           "AssocMaxUnknownPerNode", "AssocMaxUnknownPerNode"}},
    {.rule = Rule::kMaxTresMinutesPerJob, .place = LimitPlace::kBoth, .whose = LimitWhose::kJob,
     .counts = LimitCounts::kOneJob, .unit = LimitUnit::kTresMinutes,
     .name = "MaxTRESMinsPerJob", .help = "resource minutes of one job",
     .aliases = {"MaxTRESMins", "MaxTRESMinsPJ"},
     .column = "MaxTRESMins", .live = "MaxTRESMinsPJ",
     .qos_words = {"QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob",
                   "QOSMaxNodeMinutesPerJob", "QOSMaxBillingMinutesPerJob",
                   "QOSMaxGRESMinutesPerJob", "QOSMaxLicenseMinutesPerJob",
                   "QOSMaxUnknownMinutesPerJob"},
     .association_words = {"AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob",
                           "AssocMaxNodeMinutesPerJob", "AssocMaxBillingMinutesPerJob",
                           "AssocMaxGRESMinutesPerJob", "AssocMaxLicenseMinutesPerJob",
                           "AssocMaxUnknownMinutesPerJob"}},
    {.rule = Rule::kMaxWall, .place = LimitPlace::kBoth, .whose = LimitWhose::kJob,
     .counts = LimitCounts::kOneJob, .unit = LimitUnit::kTime,
     .name = "MaxWall", .help = "the longest time limit of one job",
     .aliases = {"MaxWallDurationPerJob", "MaxWallDuration"},
     .column = "MaxWall", .live = "MaxWallPJ",
     .qos_words = {"QOSMaxWallDurationPerJobLimit"},
     .association_words = {"AssocMaxWallDurationPerJobLimit"}},
    {.rule = Rule::kMaxTresPerUser, .place = LimitPlace::kQos, .whose = LimitWhose::kUser,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kTres,
     .name = "MaxTRESPerUser", .help = "resources of one user's running jobs",
     .aliases = {"MaxTRESPU"},
     .column = "MaxTRESPU", .live = "MaxTRESPU",
     .qos_words = {"QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxNodePerUserLimit",
                   "QOSMaxBillingPerUser", "QOSMaxGRESPerUser", "QOSMaxLicensePerUser",
                   "QOSMaxUnknownPerUser"}},
    {.rule = Rule::kMaxTresRunMinutesPerUser, .place = LimitPlace::kQos, .whose = LimitWhose::kUser,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kTresMinutes,
     .name = "MaxTRESRunMinsPerUser", .help = "resource minutes one user's running jobs may still use",
     .aliases = {"MaxTRESRunMinsPU"},
     .column = "MaxTRESRunMinsPU", .live = "MaxTRESRunMinsPU",
     .qos_words = {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes",
                   "QOSGrpBillingRunMinutes", "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes",
                   "QOSGrpUnknownRunMinutes"}},
    {.rule = Rule::kMaxJobsPerUser, .place = LimitPlace::kQos, .whose = LimitWhose::kUser,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kJobs,
     .name = "MaxJobsPerUser", .help = "running jobs of one user",
     .aliases = {"MaxJobsPU"},
     .column = "MaxJobsPU", .live = "MaxJobsPU",
     .qos_words = {"QOSMaxJobsPerUserLimit"}},
    {.rule = Rule::kMaxJobsAccruePerUser, .place = LimitPlace::kQos, .whose = LimitWhose::kUser,
     .counts = LimitCounts::kAgeing, .unit = LimitUnit::kJobs,
     .name = "MaxJobsAccruePerUser", .help = "waiting jobs of one user that gain priority by age",
     .aliases = {"MaxJobsAccruePU"},
     .column = "MaxJobsAccruePU", .live = "MaxJobsAccruePU"},
    {.rule = Rule::kMaxSubmitJobsPerUser, .place = LimitPlace::kQos, .whose = LimitWhose::kUser,
     .counts = LimitCounts::kSubmitted, .unit = LimitUnit::kJobs,
     .name = "MaxSubmitJobsPerUser", .help = "running and waiting jobs of one user; each array task counts",
     .aliases = {"MaxSubmitJobsPU", "MaxSubmitPU", "MaxSubmitPerUser"},
     .column = "MaxSubmitPU", .live = "MaxSubmitJobsPU",
     .qos_words = {"QOSMaxSubmitJobPerUserLimit"}},
    {.rule = Rule::kMaxTresPerAccount, .place = LimitPlace::kQos, .whose = LimitWhose::kAccount,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kTres,
     .name = "MaxTRESPerAccount", .help = "resources of one account's running jobs",
     .aliases = {"MaxTRESPA", "MaxTRESPerAcct"},
     .column = "MaxTRESPA", .live = "MaxTRESPA",
     .qos_words = {"MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxNodePerAccount",
                   "MaxBillingPerAccount", "MaxGRESPerAccount", "MaxLicensePerAccount",
                   "MaxUnknownPerAccount"}},
    {.rule = Rule::kMaxTresRunMinutesPerAccount, .place = LimitPlace::kQos, .whose = LimitWhose::kAccount,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kTresMinutes,
     .name = "MaxTRESRunMinsPerAccount", .help = "resource minutes one account's running jobs may still use",
     .aliases = {"MaxTRESRunMinsPA", "MaxTRESRunMinsPerAcct"},
     .column = "MaxTRESRunMinsPA", .live = "MaxTRESRunMinsPA",
     .qos_words = {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpNodeRunMinutes",
                   "QOSGrpBillingRunMinutes", "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes",
                   "QOSGrpUnknownRunMinutes"}},
    {.rule = Rule::kMaxJobsPerAccount, .place = LimitPlace::kQos, .whose = LimitWhose::kAccount,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kJobs,
     .name = "MaxJobsPerAccount", .help = "running jobs of one account",
     .aliases = {"MaxJobsPA", "MaxJobsPerAcct"},
     .column = "MaxJobsPA", .live = "MaxJobsPA",
     .qos_words = {"MaxJobsPerAccount"}},
    {.rule = Rule::kMaxJobsAccruePerAccount, .place = LimitPlace::kQos, .whose = LimitWhose::kAccount,
     .counts = LimitCounts::kAgeing, .unit = LimitUnit::kJobs,
     .name = "MaxJobsAccruePerAccount", .help = "waiting jobs of one account that gain priority by age",
     .aliases = {"MaxJobsAccruePA", "MaxJobsAccruePerAcct"},
     .column = "MaxJobsAccruePA", .live = "MaxJobsAccruePA"},
    {.rule = Rule::kMaxSubmitJobsPerAccount, .place = LimitPlace::kQos, .whose = LimitWhose::kAccount,
     .counts = LimitCounts::kSubmitted, .unit = LimitUnit::kJobs,
     .name = "MaxSubmitJobsPerAccount", .help = "running and waiting jobs of one account",
     .aliases = {"MaxSubmitJobsPA", "MaxSubmitPA", "MaxSubmitJobsPerAcct"},
     .column = "MaxSubmitPA", .live = "MaxSubmitJobsPA",
     .qos_words = {"MaxSubmitJobsPerAccount"}},
    {.rule = Rule::kMinTresPerJob, .place = LimitPlace::kQos, .whose = LimitWhose::kJob,
     .counts = LimitCounts::kOneJob, .unit = LimitUnit::kTres,
     .name = "MinTRESPerJob", .help = "resources one job must at least ask for",
     .aliases = {"MinTRES"},
     .column = "MinTRES", .live = "MinTRESPJ",
     .qos_words = {"QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "QOSMinBilling",
                   "QOSMinGRES", "QOSMinLicense", "QOSMinUnknown"}},
    {.rule = Rule::kMaxJobsPerUser, .place = LimitPlace::kAssociation, .whose = LimitWhose::kUser,
     .counts = LimitCounts::kRunning, .unit = LimitUnit::kJobs,
     .name = "MaxJobs", .help = "running jobs of each user in it",
     .column = "MaxJobs", .live = "MaxJobs",
     .association_words = {"AssocMaxJobsLimit"}},
    {.rule = Rule::kMaxJobsAccruePerUser, .place = LimitPlace::kAssociation, .whose = LimitWhose::kUser,
     .counts = LimitCounts::kAgeing, .unit = LimitUnit::kJobs,
     .name = "MaxJobsAccrue", .help = "waiting jobs of each user in it that gain priority by age",
     .column = "MaxJobsAccrue", .live = "MaxJobsAccrue"},
    {.rule = Rule::kMaxSubmitJobsPerUser, .place = LimitPlace::kAssociation, .whose = LimitWhose::kUser,
     .counts = LimitCounts::kSubmitted, .unit = LimitUnit::kJobs,
     .name = "MaxSubmitJobs", .help = "running and waiting jobs of each user in it",
     .aliases = {"MaxSubmit"},
     .column = "MaxSubmit", .live = "MaxSubmitJobs",
     .association_words = {"AssocMaxSubmitJobLimit"}},
};
// clang-format on

// The row of a rule, as an association or a QoS writes it; nullptr for rules that are not limits of
// either.
constexpr const LimitRow* find_limit(Rule rule, LimitPlace place) {
  for (const LimitRow& row : kLimitTable)
    if (row.rule == rule && (row.place == place || row.place == LimitPlace::kBoth)) return &row;
  return nullptr;
}
constexpr const LimitRow* find_limit(const Reason& reason) {
  return find_limit(reason.rule, reason.holder == LimitHolder::kAssociation
                                     ? LimitPlace::kAssociation
                                     : LimitPlace::kQos);
}
// The same for either: what a rule counts does not depend on the holder.
constexpr const LimitRow* find_limit(Rule rule) {
  for (const LimitRow& row : kLimitTable)
    if (row.rule == rule) return &row;
  return nullptr;
}
constexpr bool limit_is_in(Rule rule, LimitUnit unit) {
  const LimitRow* row = find_limit(rule);
  return row != nullptr && row->unit == unit;
}
constexpr bool limit_is_for_each(Rule rule, LimitWhose whose) {
  const LimitRow* row = find_limit(rule);
  return row != nullptr && row->whose == whose;
}
constexpr bool limit_counts(Rule rule, LimitCounts counts) {
  const LimitRow* row = find_limit(rule);
  return row != nullptr && row->counts == counts;
}

// Calls visit(row, value) for every limit, in the order of the table. Values are TresLimits,
// optional numbers and optional durations.
template <class Group, class Job, class Visit>
void each_common_limit(Group& group, Job& job, LimitPlace place, Visit& visit) {
  const auto one = [&](Rule rule, auto& value) { visit(*find_limit(rule, place), value); };
  one(Rule::kGrpTres, group.tres);
  one(Rule::kGrpTresMinutes, group.tres_minutes);
  one(Rule::kGrpTresRunMinutes, group.tres_run_minutes);
  one(Rule::kGrpJobs, group.jobs);
  one(Rule::kGrpJobsAccrue, group.jobs_accrue);
  one(Rule::kGrpSubmitJobs, group.submit_jobs);
  one(Rule::kGrpWall, group.wall);
  one(Rule::kMaxTresPerJob, job.max_tres);
  one(Rule::kMaxTresPerNode, job.max_tres_node);
  one(Rule::kMaxTresMinutesPerJob, job.max_tres_minutes);
  one(Rule::kMaxWall, job.max_wall);
}
template <class AnyQos, class Visit>
void each_limit_of_qos(AnyQos& qos, Visit visit) {
  const auto one = [&](Rule rule, auto& value) {
    visit(*find_limit(rule, LimitPlace::kQos), value);
  };
  each_common_limit(qos.group, qos.job, LimitPlace::kQos, visit);
  one(Rule::kMinTresPerJob, qos.job.min_tres);
  one(Rule::kMaxTresPerUser, qos.user.max_tres);
  one(Rule::kMaxTresRunMinutesPerUser, qos.user.max_tres_run_minutes);
  one(Rule::kMaxJobsPerUser, qos.user.max_jobs);
  one(Rule::kMaxJobsAccruePerUser, qos.user.max_jobs_accrue);
  one(Rule::kMaxSubmitJobsPerUser, qos.user.max_submit_jobs);
  one(Rule::kMaxTresPerAccount, qos.account.max_tres);
  one(Rule::kMaxTresRunMinutesPerAccount, qos.account.max_tres_run_minutes);
  one(Rule::kMaxJobsPerAccount, qos.account.max_jobs);
  one(Rule::kMaxJobsAccruePerAccount, qos.account.max_jobs_accrue);
  one(Rule::kMaxSubmitJobsPerAccount, qos.account.max_submit_jobs);
}
template <class AnyAssociation, class Visit>
void each_limit_of_association(AnyAssociation& association, Visit visit) {
  each_common_limit(association.group, association.job, LimitPlace::kAssociation, visit);
  visit(*find_limit(Rule::kMaxJobsPerUser, LimitPlace::kAssociation), association.max_jobs);
  visit(*find_limit(Rule::kMaxJobsAccruePerUser, LimitPlace::kAssociation),
        association.max_jobs_accrue);
  visit(*find_limit(Rule::kMaxSubmitJobsPerUser, LimitPlace::kAssociation),
        association.max_submit_jobs);
}

}  // namespace sluice
