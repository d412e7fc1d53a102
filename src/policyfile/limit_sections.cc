// The keys of QoS and associations: Slurm's own names of limits, with sacctmgr's short forms.
#include "policyfile/sections.h"

namespace sluice {
namespace {

void describe_group(FieldVisitor& visit, GroupLimits& group) {
  visit.tres({"GrpTRES", "resources of all its running jobs together"}, group.tres);
  visit.tres({"GrpTRESMins", "resource minutes used in all, past and running"}, group.tres_minutes);
  visit.tres({"GrpTRESRunMins", "resource minutes its running jobs may still use"},
             group.tres_run_minutes);
  visit.count({"GrpJobs", "running jobs together"}, group.jobs);
  visit.count({"GrpSubmitJobs", "running and waiting jobs together", {"GrpSubmit"}},
              group.submit_jobs);
  visit.limit({"GrpWall", "run time used in all, past and running"}, group.wall);
}

void describe_job_limits(FieldVisitor& visit, JobLimits& job) {
  visit.tres({"MaxTRESPerJob", "resources of one job", {"MaxTRES", "MaxTRESPJ"}}, job.max_tres);
  visit.tres({"MaxTRESPerNode", "resources of one job on one node", {"MaxTRESPN"}},
             job.max_tres_node);
  visit.tres({"MaxTRESMinsPerJob", "resource minutes of one job", {"MaxTRESMins", "MaxTRESMinsPJ"}},
             job.max_tres_minutes);
  visit.limit({"MaxWall",
               "the longest time limit of one job",
               {"MaxWallDurationPerJob", "MaxWallDuration"}},
              job.max_wall);
}

}  // namespace

void describe_qos(FieldVisitor& visit, Qos& qos) {
  visit.text({"description", "a note", {"note"}}, qos.description);
  // 32 bits without sign, as in Slurm.
  visit.whole({"Priority", "the larger, the sooner"}, qos.priority, Range{0, UINT32_MAX});
  describe_group(visit, qos.group);
  describe_job_limits(visit, qos.job);
  visit.tres({"MinTRESPerJob", "resources one job must at least ask for", {"MinTRES"}},
             qos.job.min_tres);
  visit.tres({"MaxTRESPerUser", "resources of one user's running jobs", {"MaxTRESPU"}},
             qos.user.max_tres);
  visit.tres({"MaxTRESRunMinsPerUser",
              "resource minutes one user's running jobs may still use",
              {"MaxTRESRunMinsPU"}},
             qos.user.max_tres_run_minutes);
  visit.count({"MaxJobsPerUser", "running jobs of one user", {"MaxJobsPU"}}, qos.user.max_jobs);
  visit.count({"MaxSubmitJobsPerUser",
               "running and waiting jobs of one user; each array task "
               "counts",
               {"MaxSubmitJobsPU", "MaxSubmitPU", "MaxSubmitPerUser"}},
              qos.user.max_submit_jobs);
  visit.tres({"MaxTRESPerAccount",
              "resources of one account's running jobs",
              {"MaxTRESPA", "MaxTRESPerAcct"}},
             qos.account.max_tres);
  visit.tres({"MaxTRESRunMinsPerAccount",
              "resource minutes one account's running jobs may still use",
              {"MaxTRESRunMinsPA", "MaxTRESRunMinsPerAcct"}},
             qos.account.max_tres_run_minutes);
  visit.count({"MaxJobsPerAccount", "running jobs of one account", {"MaxJobsPA", "MaxJobsPerAcct"}},
              qos.account.max_jobs);
  visit.count({"MaxSubmitJobsPerAccount",
               "running and waiting jobs of one account",
               {"MaxSubmitJobsPA", "MaxSubmitPA", "MaxSubmitJobsPerAcct"}},
              qos.account.max_submit_jobs);
  QosFlags& flags = qos.flags;
  visit.flags({"Flags", "how the limits are applied"},
              {{"DenyOnLimit", &flags.deny_on_limit},
               {"OverPartQOS", &flags.over_part_qos},
               {"PartitionTimeLimit", &flags.partition_time_limit},
               {"PartitionMaxNodes", &flags.partition_max_nodes},
               {"PartitionMinNodes", &flags.partition_min_nodes},
               {"NoDecay", &flags.no_decay},
               {"NoReserve", &flags.no_reserve},
               {"RequiresReservation", &flags.require_reservation},
               {"EnforceUsageThreshold", &flags.enforce_usage_threshold},
               {"UsageFactorSafe", &flags.usage_factor_safe}});
  visit.qos_list({"Preempt", "the QoS whose jobs this one may preempt"}, qos.preempt);
  visit.optional_choice({"PreemptMode",
                         "what happens to its jobs when preempted; left out: the "
                         "cluster's"},
                        qos.preempt_mode, {"off", "cancel", "requeue", "suspend"});
  visit.limit({"PreemptExemptTime", "its jobs are safe for their first minutes"},
              qos.preempt_exempt_time);
  visit.span({"GraceTime", "time between the warning and the end of a job that is preempted"},
             qos.grace_time);
  visit.factor({"UsageFactor", "its use counts this many times"}, qos.usage_factor_millionths);
}

void describe_association(FieldVisitor& visit, Association& association) {
  visit.text({"description", "a note", {"note"}}, association.description);
  visit.count({"priority", "the association's part of the job priority"}, association.priority);
  describe_group(visit, association.group);
  describe_job_limits(visit, association.job);
  visit.count({"MaxJobs", "running jobs of each user in it"}, association.max_jobs);
  visit.count({"MaxSubmitJobs", "running and waiting jobs of each user in it", {"MaxSubmit"}},
              association.max_submit_jobs);
  visit.qos_list(
      {"qos", "the QoS its jobs may use; left out: those of the account above", {"QosLevel"}},
      association.qos);
  visit.qos({"default_qos", "the QoS of a job that names none"}, association.default_qos);
}

}  // namespace sluice
