// slurm.conf lines as slurmctld 22.05 took them.
#include "policyfile/plan/slurm_conf.h"

#include <gtest/gtest.h>

#include "policyfile/read/policy_reader.h"

namespace sluice {
namespace {

std::string conf_of(std::string_view yaml) {
  auto policy = read_policy(yaml, "policy.yaml");
  EXPECT_TRUE(policy) << policy.error().text();
  return policy ? slurm_conf(*policy) : "";
}

// Each line of `wanted` is a line of the text.
void expect_lines(const std::string& text, const std::vector<std::string>& wanted) {
  for (const std::string& line : wanted)
    EXPECT_NE(("\n" + text).find("\n" + line + "\n"), std::string::npos) << line << "\nin\n"
                                                                         << text;
}

TEST(SlurmConf, NodesThatAreAlikeShareALine) {
  expect_lines(
      conf_of(R"(
nodes:
  - {name: "g[1-2]", cpus: 8, sockets: 2, threads_per_core: 2, memory: 16G, gpus: {a100: 2, v100: 1}, features: [fast, big], weight: 5}
  - {name: c1, cpus: 4, memory: 8G}
)"),
      {"NodeName=g[1-2] CPUs=8 Sockets=2 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=16384 "
       "Gres=gpu:a100:2,gpu:v100:1 Feature=fast,big Weight=5 State=UNKNOWN",
       "NodeName=c1 CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=8192 Weight=1 "
       "State=UNKNOWN",
       "GresTypes=gpu", "AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpu:v100",
       "PartitionName=main Nodes=g[1-2],c1 Default=YES State=UP MaxTime=UNLIMITED PriorityTier=1 "
       "PriorityJobFactor=1 OverSubscribe=NO"});
}

TEST(SlurmConf, SwitchesAreLinesForTopologyConf) {
  expect_lines(conf_of(R"(
nodes: [{name: "n[1-4]"}]
switches: {top: {switches: "leaf[1-2]"}, leaf1: {nodes: "n[1-2]"}, leaf2: {nodes: "n[3-4]"}}
scheduler: {topology_optional: yes, max_switch_wait: 2m}
)"),
               {"TopologyPlugin=topology/tree", "TopologyParam=TopoOptional",
                "SchedulerParameters=max_switch_wait=120", "# SwitchName=top Switches=leaf[1-2]",
                "# SwitchName=leaf1 Nodes=n[1-2]", "# SwitchName=leaf2 Nodes=n[3-4]"});
}

TEST(SlurmConf, APartitionSaysAllItsLimits) {
  expect_lines(
      conf_of(R"(
nodes: [{name: g1, gpus: 1}]
qos: {pq: {}}
accounts: {science: {}}
partitions:
  gpu: {max_time: 2d, default_time: 1h, max_nodes: 2, min_nodes: 1, priority_tier: 10, priority_job_factor: 20, qos: pq, oversubscribe: "force:2", preempt_mode: requeue, grace_time: 30s, def_mem_per_cpu: 500M, def_mem_per_gpu: 2G, def_cpu_per_gpu: 3, max_mem_per_node: 8G, max_cpus_per_node: 8, allow_accounts: science, deny_qos: pq, allow_groups: [a, b], billing_weights: {cpu: 1, mem: 0.25G, gres/gpu: 2.5}, state: drain, default: no}
)"),
      {"PartitionName=gpu Nodes=g1 Default=NO State=DRAIN MaxTime=2-00:00:00 DefaultTime=01:00:00 "
       "MaxNodes=2 MinNodes=1 PriorityTier=10 PriorityJobFactor=20 QOS=pq OverSubscribe=FORCE:2 "
       "PreemptMode=REQUEUE GraceTime=30 DefMemPerCPU=500 DefCpuPerGPU=3 DefMemPerGPU=2048 "
       "MaxMemPerNode=8192 MaxCPUsPerNode=8 "
       "AllowAccounts=science DenyQos=pq AllowGroups=a,b "
       "TRESBillingWeights=\"cpu=1,mem=0.25G,gres/gpu=2.5\""});
}

TEST(SlurmConf, PriorityPreemptionAndScheduling) {
  expect_lines(
      conf_of(R"(
priority: {weight_age: 1000, weight_tres: {cpu: 1000, gres/gpu: 4000}, max_age: 3d, half_life: 14d, usage_reset: monthly, favor_small: yes, fair_tree: no, max_tres: yes, calc_period: 90s}
preemption: {type: qos, mode: suspend, gang: yes, exempt_time: 90s, time_slice: 15s, youngest_first: yes, reorder: no}
scheduler: {backfill_interval: 2s, backfill_window: 2d, kill_invalid_depend: yes, requeue_delay: 20s}
)"),
      {"PriorityType=priority/multifactor", "PriorityWeightAge=1000",
       "PriorityWeightTRES=cpu=1000,gres/gpu=4000", "PriorityMaxAge=3-00:00:00",
       "PriorityDecayHalfLife=14-00:00:00", "PriorityUsageResetPeriod=MONTHLY",
       "PriorityCalcPeriod=2", "PriorityFavorSmall=YES", "PriorityFlags=MAX_TRES,NO_FAIR_TREE",
       "PreemptType=preempt/qos", "PreemptMode=SUSPEND,GANG", "PreemptExemptTime=00:01:30",
       "SchedulerTimeSlice=15", "SchedulerType=sched/backfill",
       "SchedulerParameters=bf_interval=2,bf_window=2880,preempt_youngest_first,"
       "preempt_reorder_count=0",
       "DependencyParameters=kill_invalid_depend",
       // slurmctld adds a second to the credential's life.
       "AuthInfo=cred_expire=19"});
}

TEST(SlurmConf, JobsAndLicenses) {
  expect_lines(
      conf_of(R"(
licenses: {matlab: 10, ansys: 2}
enforce: [safe, qos]
jobs: {max_array_size: 5001, first_job_id: 100, min_job_age: 2m, kill_wait: 5s, over_time_limit: 90s, requeue: no, def_mem_per_cpu: 100M, enforce_part_limits: all, memory_is_consumable: no, prolog: /etc/p, epilog: /etc/e, prolog_epilog_timeout: 30s}
)"),
      {"Licenses=matlab:10,ansys:2", "AccountingStorageTRES=license/matlab,license/ansys",
       "AccountingStorageEnforce=associations,limits,qos,safe", "SelectTypeParameters=CR_Core",
       "MaxArraySize=5001", "FirstJobId=100", "MinJobAge=120", "KillWait=5", "OverTimeLimit=2",
       "Prolog=/etc/p", "Epilog=/etc/e", "PrologEpilogTimeout=30", "JobRequeue=0",
       "DefMemPerCPU=100", "EnforcePartLimits=ALL"});
}

TEST(SlurmConf, EnforcingNothingLeavesTheKeyOut) {
  const std::string text = conf_of("");
  EXPECT_EQ(text.find("AccountingStorageEnforce="), std::string::npos);
  expect_lines(text,
               {"PriorityType=priority/basic", "PreemptType=preempt/none", "PreemptMode=OFF"});
}

TEST(SlurmConf, GangWithoutPreemptionHasNoOtherMode) {
  expect_lines(conf_of("preemption: {mode: requeue, gang: yes}"), {"PreemptMode=GANG"});
}

}  // namespace
}  // namespace sluice
