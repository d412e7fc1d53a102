// Each of Slurm's limits on QoS and associations, described once.
//
// A new limit is a row here with its member of model/limits.h, and its place in the walk. The
// policy file (reader, writer, schema), explanations and the count of what still fits read this
// table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/limits.h"
#include "model/reason.h"

namespace sluice {

// What a limit counts.
enum class LimitCounts : std::uint8_t {
  kRunning,    // What runs, of all that the holder speaks for: tasks share what is left.
  kSubmitted,  // The same with what waits.
  kUsedUp,     // What was used in the past.
  kOneJob,     // One job by itself: a job that breaks it never starts.
};

// Where sacctmgr writes it.
enum class LimitPlace : std::uint8_t { kBoth, kQos, kAssociation };

struct LimitRow {
  Rule rule;
  LimitPlace place;
  LimitCounts counts;
  bool by_tres;           // One limit for each kind of resource.
  std::string_view name;  // sacctmgr's, as the policy file and explanations write it.
  std::string_view help;
  std::array<std::string_view, 3> aliases = {};  // Other spellings that sacctmgr takes.
};

inline constexpr LimitRow kLimitTable[] = {
    {Rule::kGrpTres, LimitPlace::kBoth, LimitCounts::kRunning, true, "GrpTRES",
     "resources of all its running jobs together"},
    {Rule::kGrpTresMinutes, LimitPlace::kBoth, LimitCounts::kUsedUp, true, "GrpTRESMins",
     "resource minutes used in all, past and running"},
    {Rule::kGrpTresRunMinutes, LimitPlace::kBoth, LimitCounts::kRunning, true, "GrpTRESRunMins",
     "resource minutes its running jobs may still use"},
    {Rule::kGrpJobs, LimitPlace::kBoth, LimitCounts::kRunning, false, "GrpJobs",
     "running jobs together"},
    {Rule::kGrpSubmitJobs,
     LimitPlace::kBoth,
     LimitCounts::kSubmitted,
     false,
     "GrpSubmitJobs",
     "running and waiting jobs together",
     {"GrpSubmit"}},
    {Rule::kGrpWall, LimitPlace::kBoth, LimitCounts::kUsedUp, false, "GrpWall",
     "run time used in all, past and running"},
    {Rule::kMaxTresPerJob,
     LimitPlace::kBoth,
     LimitCounts::kOneJob,
     true,
     "MaxTRESPerJob",
     "resources of one job",
     {"MaxTRES", "MaxTRESPJ"}},
    {Rule::kMaxTresPerNode,
     LimitPlace::kBoth,
     LimitCounts::kOneJob,
     true,
     "MaxTRESPerNode",
     "resources of one job on one node",
     {"MaxTRESPN"}},
    {Rule::kMaxTresMinutesPerJob,
     LimitPlace::kBoth,
     LimitCounts::kOneJob,
     true,
     "MaxTRESMinsPerJob",
     "resource minutes of one job",
     {"MaxTRESMins", "MaxTRESMinsPJ"}},
    {Rule::kMaxWall,
     LimitPlace::kBoth,
     LimitCounts::kOneJob,
     false,
     "MaxWall",
     "the longest time limit of one job",
     {"MaxWallDurationPerJob", "MaxWallDuration"}},
    {Rule::kMinTresPerJob,
     LimitPlace::kQos,
     LimitCounts::kOneJob,
     true,
     "MinTRESPerJob",
     "resources one job must at least ask for",
     {"MinTRES"}},
    {Rule::kMaxTresPerUser,
     LimitPlace::kQos,
     LimitCounts::kRunning,
     true,
     "MaxTRESPerUser",
     "resources of one user's running jobs",
     {"MaxTRESPU"}},
    {Rule::kMaxTresRunMinutesPerUser,
     LimitPlace::kQos,
     LimitCounts::kRunning,
     true,
     "MaxTRESRunMinsPerUser",
     "resource minutes one user's running jobs may still use",
     {"MaxTRESRunMinsPU"}},
    {Rule::kMaxJobsPerUser,
     LimitPlace::kQos,
     LimitCounts::kRunning,
     false,
     "MaxJobsPerUser",
     "running jobs of one user",
     {"MaxJobsPU"}},
    {Rule::kMaxSubmitJobsPerUser,
     LimitPlace::kQos,
     LimitCounts::kSubmitted,
     false,
     "MaxSubmitJobsPerUser",
     "running and waiting jobs of one user; each array task counts",
     {"MaxSubmitJobsPU", "MaxSubmitPU", "MaxSubmitPerUser"}},
    {Rule::kMaxTresPerAccount,
     LimitPlace::kQos,
     LimitCounts::kRunning,
     true,
     "MaxTRESPerAccount",
     "resources of one account's running jobs",
     {"MaxTRESPA", "MaxTRESPerAcct"}},
    {Rule::kMaxTresRunMinutesPerAccount,
     LimitPlace::kQos,
     LimitCounts::kRunning,
     true,
     "MaxTRESRunMinsPerAccount",
     "resource minutes one account's running jobs may still use",
     {"MaxTRESRunMinsPA", "MaxTRESRunMinsPerAcct"}},
    {Rule::kMaxJobsPerAccount,
     LimitPlace::kQos,
     LimitCounts::kRunning,
     false,
     "MaxJobsPerAccount",
     "running jobs of one account",
     {"MaxJobsPA", "MaxJobsPerAcct"}},
    {Rule::kMaxSubmitJobsPerAccount,
     LimitPlace::kQos,
     LimitCounts::kSubmitted,
     false,
     "MaxSubmitJobsPerAccount",
     "running and waiting jobs of one account",
     {"MaxSubmitJobsPA", "MaxSubmitPA", "MaxSubmitJobsPerAcct"}},
    {Rule::kMaxJobsPerUser, LimitPlace::kAssociation, LimitCounts::kRunning, false, "MaxJobs",
     "running jobs of each user in it"},
    {Rule::kMaxSubmitJobsPerUser,
     LimitPlace::kAssociation,
     LimitCounts::kSubmitted,
     false,
     "MaxSubmitJobs",
     "running and waiting jobs of each user in it",
     {"MaxSubmit"}},
};

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

// Calls visit(row, value) for every limit, in the order of the table. Values are TresLimits,
// optional numbers and optional durations.
template <class Group, class Job, class Visit>
void each_common_limit(Group& group, Job& job, LimitPlace place, Visit& visit) {
  const auto one = [&](Rule rule, auto& value) { visit(*find_limit(rule, place), value); };
  one(Rule::kGrpTres, group.tres);
  one(Rule::kGrpTresMinutes, group.tres_minutes);
  one(Rule::kGrpTresRunMinutes, group.tres_run_minutes);
  one(Rule::kGrpJobs, group.jobs);
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
  one(Rule::kMaxSubmitJobsPerUser, qos.user.max_submit_jobs);
  one(Rule::kMaxTresPerAccount, qos.account.max_tres);
  one(Rule::kMaxTresRunMinutesPerAccount, qos.account.max_tres_run_minutes);
  one(Rule::kMaxJobsPerAccount, qos.account.max_jobs);
  one(Rule::kMaxSubmitJobsPerAccount, qos.account.max_submit_jobs);
}
template <class AnyAssociation, class Visit>
void each_limit_of_association(AnyAssociation& association, Visit visit) {
  each_common_limit(association.group, association.job, LimitPlace::kAssociation, visit);
  visit(*find_limit(Rule::kMaxJobsPerUser, LimitPlace::kAssociation), association.max_jobs);
  visit(*find_limit(Rule::kMaxSubmitJobsPerUser, LimitPlace::kAssociation),
        association.max_submit_jobs);
}

}  // namespace sluice
