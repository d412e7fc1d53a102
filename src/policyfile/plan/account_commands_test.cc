// sacctmgr commands as sacctmgr 22.05 took them.
#include "policyfile/plan/account_commands.h"

#include <gtest/gtest.h>

#include "policyfile/read/policy_reader.h"

namespace sluice {
namespace {

std::vector<std::string> commands_of(std::string_view yaml) {
  auto policy = read_policy(yaml, "policy.yaml");
  EXPECT_TRUE(policy) << policy.error().text();
  std::vector<std::string> out;
  if (policy)
    for (const Argv& argv : account_commands(*policy)) out.push_back(shell_quoted(argv));
  return out;
}

using Lines = std::vector<std::string>;

TEST(AccountCommands, NamesOfQosComeBeforeTheirLimitsAndLinks) {
  EXPECT_EQ(commands_of(R"(
nodes: [{name: g1, gpus: 8}]
qos:
  normal: {Priority: 5}
  fast: {Priority: 10, GrpTRES: "gres/gpu=4,mem=10G", MaxWall: 90m, MaxJobsPU: 2, MaxTRESRunMinsPU: cpu=7, Flags: [DenyOnLimit, NoDecay], Preempt: slow, PreemptMode: cancel, GraceTime: 45s, UsageFactor: 1.5}
  slow: {}
accounts: {}
)"),
            (Lines{"sacctmgr -i add qos fast", "sacctmgr -i add qos slow",
                   "sacctmgr -i modify qos normal set Priority=5",
                   "sacctmgr -i modify qos fast set Priority=10 GrpTRES=mem=10240,gres/gpu=4 "
                   "MaxWall=01:30:00 MaxTRESRunMinsPU=cpu=7 MaxJobsPerUser=2 "
                   "Flags=DenyOnLimit,NoDecay PreemptMode=cancel GraceTime=45 UsageFactor=1.5",
                   "sacctmgr -i modify qos fast set Preempt=slow"}));
}

TEST(AccountCommands, ParentsComeBeforeChildrenAndUsersLast) {
  EXPECT_EQ(commands_of(R"(
partitions: {gpu: {}}
qos: {a: {}}
accounts:
  root: {GrpJobs: 500}
  science:
    description: All of 'science'
    shares: 10
    qos: [normal, a]
    default_qos: a
    users: [dean, dora]
    accounts:
      physics: {shares: parent, users: {ann: {shares: 3, MaxJobs: 2}}}
      biology: {users: [ann, {name: dan, partition: gpu}]}
users:
  ann: {default_account: biology, admin_level: operator, coordinator_of: [science]}
)"),
            (Lines{"sacctmgr -i add qos a", "sacctmgr -i modify account root set GrpJobs=500",
                   "sacctmgr -i add account science Parent=root FairShare=10 "
                   "'Description=All of '\\''science'\\''' QosLevel=normal,a DefaultQOS=a",
                   "sacctmgr -i add account physics Parent=science FairShare=parent",
                   "sacctmgr -i add account biology Parent=science",
                   "sacctmgr -i add user dean,dora Account=science",
                   "sacctmgr -i add user ann Account=physics FairShare=3 MaxJobs=2",
                   "sacctmgr -i add user ann Account=biology",
                   "sacctmgr -i add user dan Account=biology Partition=gpu",
                   "sacctmgr -i modify user ann set DefaultAccount=biology AdminLevel=Operator",
                   "sacctmgr -i add coordinator Accounts=science Names=ann"}));
}

TEST(AccountCommands, NothingThatSlurmHasAnywayIsSaid) {
  EXPECT_EQ(commands_of("accounts: {}"), Lines{});
  EXPECT_EQ(commands_of(""), Lines{"sacctmgr -i add account default Parent=root"});
}

TEST(AccountCommands, ANoteOfSeveralLinesStaysOneCommand) {
  EXPECT_EQ(commands_of("accounts: {a: {note: \"one\\ntwo\"}}"),
            Lines{"sacctmgr -i add account a Parent=root 'Description=one two'"});
}

TEST(AccountCommands, ShellQuotingKeepsEveryByte) {
  EXPECT_EQ(shell_quoted({"a", "b c", "it's", "", "x=1,y:2/z"}), "a 'b c' 'it'\\''s' '' x=1,y:2/z");
}

}  // namespace
}  // namespace sluice
