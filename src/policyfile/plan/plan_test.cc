// What a plan says, in which order, and what it leaves out.
#include "policyfile/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policyfile/read/policy_reader.h"

namespace sluice {
namespace {

Policy policy_of(const std::string& text) {
  auto policy = read_policy(text, "policy.yaml");
  EXPECT_TRUE(policy) << policy.error().text();
  return policy ? *policy : Policy{};
}

LivePolicy live_of(const std::string& text) {
  LivePolicy live;
  live.policy = as_slurm_keeps(policy_of(text));
  live.tracked = {"cpu", "mem", "node", "billing", "gres/gpu"};
  return live;
}

std::vector<std::string> commands(const Plan& plan) {
  std::vector<std::string> out;
  for (const PlanStep& step : plan.steps) out.push_back(shell_quoted(step.argv));
  return out;
}

using Lines = std::vector<std::string>;

const std::string kBase =
    "cluster: lab\nqos: {fast: {MaxWall: 1h}}\naccounts:\n  a: {users: [ann]}\n";

TEST(Plan, IsEmptyForTheSamePolicy) {
  EXPECT_TRUE(make_plan(live_of(kBase), policy_of(kBase)).empty());
}

TEST(Plan, SaysOnlyWhatChanges) {
  const Plan plan = make_plan(
      live_of("cluster: lab\nqos: {fast: {GrpTRES: {cpu: 4, mem: 8G}, Flags: "
              "[NoDecay]}}\naccounts: {}\n"),
      policy_of(
          "cluster: lab\nqos: {fast: {GrpTRES: {cpu: 5}, Flags: [DenyOnLimit]}}\naccounts: {}\n"));
  EXPECT_EQ(commands(plan), (Lines{"sacctmgr -i modify qos where name=fast set "
                                   "GrpTRES=cpu=5,mem=-1 Flags+=DenyOnLimit Flags-=NoDecay"}));
}

// slurmdbd 22.05 lays an account's run minutes over those of the user (tried on the real one).
TEST(Plan, ClearsWhatSlurmWouldTakeFromTheUsersRunMinutes) {
  const Plan plan =
      make_plan(live_of("cluster: lab\nqos: {fast: {MaxTRESRunMinsPerUser: {cpu: 4, mem: 8G}, "
                        "MaxTRESRunMinsPerAccount: {node: 3}}}\naccounts: {}\n"),
                policy_of("cluster: lab\nqos: {fast: {MaxTRESRunMinsPerUser: {cpu: 4, mem: 8G}, "
                          "MaxTRESRunMinsPerAccount: {cpu: 2}}}\naccounts: {}\n"));
  EXPECT_EQ(commands(plan), (Lines{"sacctmgr -i modify qos where name=fast set "
                                   "MaxTRESRunMinsPA=cpu=2,mem=-2,node=-2"}));
}

TEST(Plan, IgnoresCaseAndOrderWhereSlurmDoes) {
  EXPECT_TRUE(
      make_plan(live_of("cluster: lab\nqos: {b: {}, c: {}}\naccounts: {a: {qos: [b, c]}}\n"),
                policy_of("cluster: lab\nqos: {c: {}, B: {}}\naccounts: {A: {qos: [c, B]}}\n"))
          .empty());
}

TEST(Plan, TakesNobodysDefaultAwayOnTheWay) {
  const Plan plan =
      make_plan(live_of("cluster: lab\nqos: {b: {}, c: {}}\n"
                        "accounts: {a: {qos: [b], default_qos: b, users: [ann]}}\n"),
                policy_of("cluster: lab\nqos: {b: {}, c: {}}\n"
                          "accounts: {a: {qos: [c], default_qos: c, users: [ann]}}\n"));
  EXPECT_EQ(commands(plan),
            (Lines{"sacctmgr -i modify account where name=a cluster=lab set QosLevel=b,c",
                   "sacctmgr -i modify account where name=a cluster=lab set DefaultQOS=c",
                   "sacctmgr -i modify account where name=a cluster=lab set QosLevel=c"}));
}

TEST(Plan, BreaksNoCircleOfPreemptionOnTheWay) {
  const Plan plan =
      make_plan(live_of("cluster: lab\nqos: {b: {Preempt: c}, c: {}}\naccounts: {}\n"),
                policy_of("cluster: lab\nqos: {b: {}, c: {Preempt: b}}\naccounts: {}\n"));
  EXPECT_EQ(commands(plan), (Lines{"sacctmgr -i modify qos where name=b set Preempt=",
                                   "sacctmgr -i modify qos where name=c set Preempt=b"}));
}

TEST(Plan, AddsUsersOfOneKindInOneCommand) {
  const Plan plan =
      make_plan(live_of(kBase), policy_of("cluster: lab\nqos: {fast: {MaxWall: 1h}}\naccounts:\n"
                                          "  a: {users: [ann, bob, cat]}\n"));
  EXPECT_EQ(commands(plan), Lines{"sacctmgr -i add user name=bob,cat cluster=lab account=a"});
}

TEST(Plan, AnotherAccountIsTheDefaultWhileAnAssociationOfItGoes) {
  const std::string two = "{users: [{name: ann}, {name: ann, partition: main}]}";
  EXPECT_EQ(commands(make_plan(
                live_of("cluster: lab\naccounts: {a: " + two + ", b: {users: [ann]}}\n"),
                policy_of("cluster: lab\naccounts: {a: {users: [ann]}, b: {users: [ann]}}\n"))),
            (Lines{"sacctmgr -i modify user where name=ann cluster=lab set DefaultAccount=b",
                   "sacctmgr -i delete user where name=ann account=a cluster=lab partition=main",
                   "sacctmgr -i modify user where name=ann cluster=lab set DefaultAccount=a"}));
  const Lines alone =
      commands(make_plan(live_of("cluster: lab\naccounts: {a: " + two + "}\n"),
                         policy_of("cluster: lab\naccounts: {a: {users: [ann]}}\n")));
  ASSERT_EQ(alone.size(), 5U);
  EXPECT_EQ(alone.front(), "sacctmgr -i add user name=ann cluster=lab account=root");
  EXPECT_EQ(alone.back(),
            "sacctmgr -i delete user where name=ann account=root cluster=lab partition=");
}

TEST(Plan, LeavesOutDeletionsThatHitJobsUnlessNamed) {
  PlanOptions options;
  options.jobs = {{"7 (train, ann)", "ann", "a", "fast", "main"}};
  const Policy wanted = policy_of("cluster: lab\nqos: {fast: {MaxWall: 1h}}\naccounts: {a: {}}\n");
  const Plan held = make_plan(live_of(kBase), wanted, options);
  ASSERT_EQ(held.steps.size(), 1U);
  EXPECT_EQ(held.steps[0].needs, "--delete ann");
  EXPECT_EQ(held.steps[0].hits, Lines{"7 (train, ann)"});
  EXPECT_EQ(held.held_back(), 1U);
  options.deletions = {"ann"};
  EXPECT_EQ(commands(make_plan(live_of(kBase), wanted, options)),
            (Lines{"scancel --user=ann", "sacctmgr -i delete user where name=ann"}));
}

TEST(Plan, LeavesOutAdminLevelsAndCoordinatorsUnlessNamed) {
  const Policy wanted =
      policy_of(kBase + "users: {ann: {admin_level: operator, coordinator_of: [a]}}\n");
  const Plan held = make_plan(live_of(kBase), wanted);
  ASSERT_EQ(held.steps.size(), 2U);
  EXPECT_EQ(held.steps[0].needs, "--admin-level ann");
  EXPECT_EQ(held.steps[1].needs, "--coordinator ann");
  PlanOptions options;
  options.admin_levels = {"ann"};
  EXPECT_TRUE(make_plan(live_of(kBase), wanted, options).steps[0].needs.empty());
}

TEST(Plan, TakesNoQosFromOtherClustersUnlessNamed) {
  LivePolicy live = live_of(kBase);
  const Policy wanted = policy_of("cluster: lab\naccounts: {a: {users: [ann]}}\n");
  EXPECT_TRUE(make_plan(live, wanted).steps.at(0).needs.empty());
  live.clusters = 2;
  EXPECT_EQ(make_plan(live, wanted).steps.at(0).needs, "--delete fast");
}

TEST(Plan, SaysWhatOnlySlurmConfCanHold) {
  const std::string nodes = "nodes: [{name: n1, cpus: 4}]\n";
  const Plan plan =
      make_plan(live_of(kBase + nodes), policy_of(kBase + nodes +
                                                  "priority: {type: multifactor, weight_age: 5}\n"
                                                  "partitions: {main: {max_time: 1d}}\n"));
  ASSERT_FALSE(plan.conf.empty());
  EXPECT_EQ(plan.conf[0].line, "PriorityType=priority/multifactor");
  EXPECT_EQ(plan.conf[0].now, "PriorityType=priority/basic");
  EXPECT_EQ(commands(plan), Lines{"scontrol update PartitionName=main MaxTime=1-00:00:00"});
  EXPECT_EQ(plan.keep.size(), 1U);
}

TEST(Plan, MissesGpusThatSlurmDoesNotCount) {
  const std::string text = "cluster: lab\nnodes: [{name: n1, cpus: 4, gpus: 2}]\naccounts: {}\n";
  LivePolicy live = live_of(text);
  EXPECT_TRUE(make_plan(live, policy_of(text)).empty());
  live.tracked.erase("gres/gpu");
  const Plan plan = make_plan(live, policy_of(text));
  ASSERT_EQ(plan.conf.size(), 1U);
  EXPECT_EQ(plan.conf[0].line, "AccountingStorageTRES=gres/gpu");
}

TEST(Plan, TellsHistoryInWords) {
  PlanOptions options;
  options.tense = Tense::kHistory;
  const Plan plan = make_plan(
      live_of("cluster: lab\nqos: {clive: {GrpTRES: {gres/gpu: 3, mem: 812G}}}\naccounts: {}\n"),
      policy_of(
          "cluster: lab\nqos: {clive: {GrpTRES: {gres/gpu: 1, mem: 312.5G}}}\naccounts: {}\n"),
      options);
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].says, Lines{"QoS clive: GrpTRES fell from 3 GPU/812 GB to 1/312.5"});
}

}  // namespace
}  // namespace sluice
