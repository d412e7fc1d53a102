// A cluster made by hand with sacctmgr, as 22.05.8 printed it.
#include "targets/slurm_import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "policyfile/plan/plan.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/write/policy_writer.h"

namespace sluice {
namespace {

std::string recording(const std::string& name) {
  std::ifstream file("tests/recordings/policy/" + name + ".stdout");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

SlurmTexts recorded() {
  SlurmTexts texts;
  texts.config = recording("config");
  texts.partitions = recording("partitions");
  texts.nodes = recording("nodes");
  texts.clusters = recording("clusters");
  texts.qos = recording("qos");
  texts.associations = recording("associations");
  texts.users = recording("users");
  texts.accounts = recording("accounts");
  return texts;
}

std::string replaced(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  if (at != std::string::npos) text.replace(at, old.size(), now);
  return text;
}

LivePolicy imported() {
  auto live = import_policy(recorded());
  EXPECT_TRUE(live) << live.error().text();
  return live ? *live : LivePolicy{};
}

const Association& user_of(const Policy& policy, const std::string& account,
                           const std::string& user, const std::string& partition) {
  for (const Association& a : policy.associations)
    if (a.account == account && a.user == user && a.partition == partition) return a;
  ADD_FAILURE() << "no " << user << " in " << account;
  return policy.associations.front();
}

TEST(SlurmImport, ReadsMachinesAndPartitions) {
  const Policy policy = imported().policy;
  EXPECT_EQ(policy.cluster, "lab");
  ASSERT_EQ(policy.nodes.size(), 2U);
  EXPECT_EQ(policy.nodes[0].cpus, 192);
  EXPECT_EQ(policy.nodes[0].memory_mb, 768000);
  EXPECT_EQ(policy.nodes[1].gpus.size(), 8U);
  ASSERT_EQ(policy.partitions.size(), 1U);
  const Partition& gpu = policy.partitions.front();
  EXPECT_TRUE(gpu.is_default);
  EXPECT_EQ(gpu.max_time, std::chrono::hours(48));
  EXPECT_FALSE(gpu.default_time);
  ASSERT_TRUE(gpu.qos);
  EXPECT_EQ(policy.qos[gpu.qos->index()].name, "interactive");
}

TEST(SlurmImport, SettingsThatAreNotFollowedAreNamed) {
  SlurmTexts texts = recorded();
  texts.config = replaced(texts.config, "= topology/none", "= topology/3d_torus");
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  EXPECT_NE(std::find(live->notes.begin(), live->notes.end(),
                      "TopologyPlugin topology/3d_torus is left as it is"),
            live->notes.end());
}

TEST(SlurmImport, ReadsSwitches) {
  SlurmTexts texts = recorded();
  texts.switches =
      "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=g1\n"
      "SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=g2\n"
      "SwitchName=top Level=1 LinkSpeed=1 Nodes=g[1-2] Switches=leaf[1-2]\n";
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  const std::vector<Switch>& switches = live->policy.switches;
  ASSERT_EQ(switches.size(), 3U);
  EXPECT_EQ(switches[0].nodes, std::vector{NodeId(0)});
  EXPECT_TRUE(switches[2].nodes.empty());
  EXPECT_EQ(switches[2].switches, (std::vector<std::uint32_t>{0, 1}));
}

TEST(SlurmImport, ReadsWhatComesWithGpusAndPlansIt) {
  SlurmTexts texts = recorded();
  texts.partitions = replaced(texts.partitions, "JobDefaults=(null)",
                              "JobDefaults=DefCpuPerGPU=2,DefMemPerGPU=500");
  texts.config = replaced(texts.config, "JobDefaults             = (null)",
                          "JobDefaults             = DefMemPerGPU=4000");
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  EXPECT_EQ(live->policy.partitions.front().with_gpu, (WithGpu{2, 500}));
  EXPECT_EQ(live->policy.jobs.with_gpu, (WithGpu{{}, 4000}));
  Policy wanted = live->policy;
  wanted.partitions.front().with_gpu = {};
  const Plan plan = make_plan(*live, wanted, PlanOptions{});
  bool unset = false;
  for (const PlanStep& step : plan.steps)
    for (const std::string& word : step.argv) unset = unset || word == "JobDefaults=";
  EXPECT_TRUE(unset) << "scontrol takes an empty value for none";
}

TEST(SlurmImport, ReadsWeightsAndPreemption) {
  const Policy policy = imported().policy;
  EXPECT_EQ(policy.priority.type, PriorityType::kMultifactor);
  EXPECT_EQ(policy.priority.weight_fairshare, 100'000);
  EXPECT_EQ(policy.priority.weight_tres.size(), 3U);
  EXPECT_EQ(policy.preemption.type, PreemptType::kQos);
  EXPECT_EQ(policy.preemption.mode, PreemptMode::kRequeue);
  EXPECT_EQ(policy.scheduler, SchedulerSettings{});
  EXPECT_TRUE(policy.enforce.limits);
}

TEST(SlurmImport, ReadsQosWithTheirLimits) {
  const Policy policy = imported().policy;
  const Qos& normal = policy.qos[policy.find_qos("normal")->index()];
  EXPECT_EQ(normal.group.tres_minutes.get(kTresCpu), 100'000);
  EXPECT_EQ(normal.user.max_submit_jobs, 9);
  EXPECT_EQ(normal.usage_factor_millionths, 2'000'000);
  EXPECT_TRUE(normal.flags.no_reserve);
  const Qos& interactive = policy.qos[policy.find_qos("interactive")->index()];
  EXPECT_EQ(interactive.group.tres.get(kTresGpu), 4);
  ASSERT_EQ(interactive.preempt.size(), 1U);
  EXPECT_EQ(policy.qos[interactive.preempt.front().index()].name, "batch-lowprio");
}

TEST(SlurmImport, ReadsTheTreeWithoutWhatIsInherited) {
  const LivePolicy live = imported();
  const Policy& policy = live.policy;
  const Association& odd = policy.associations[policy.find_account("odd")->index()];
  EXPECT_EQ(policy.associations[odd.parent->index()].account, "research");
  EXPECT_EQ(odd.shares, 7);
  // "+normal" on what research may use.
  EXPECT_EQ(odd.qos.size(), 3U);
  EXPECT_EQ(live.organizations.at("odd"), "some one");
  const Association& zoe = user_of(policy, "odd", "zoe", "");
  EXPECT_TRUE(zoe.qos.empty());
  EXPECT_EQ(zoe.max_jobs, 3);
  EXPECT_EQ(zoe.group.tres.get(kTresMem), 320'000);
  EXPECT_EQ(user_of(policy, "batch", "zoe", "gpu").shares, 9);
}

TEST(SlurmImport, ThenPlanIsEmpty) {
  const LivePolicy live = imported();
  const PolicyText again =
      read_policy_text(write_policy(live.policy, live.slurm_only), "imported.yaml");
  ASSERT_TRUE(again.errors.empty()) << again.errors.front().text();
  PlanOptions options;
  options.slurm_only = again.slurm_only;
  options.named = again.places.fields();
  const Plan plan = make_plan(live, again.policy, options);
  EXPECT_TRUE(plan.empty()) << plan_text(plan);
}

TEST(SlurmImport, KeepsAQosListThatDiffersFromTheAccountAbove) {
  SlurmTexts texts = recorded();
  texts.associations =
      replaced(texts.associations, "312.50G||||||||||3|||", "312.50G||||||||||3||-interactive|");
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  EXPECT_EQ(live->slurm_only.at("account odd").at(kQosDifference), "+normal");
  EXPECT_EQ(live->slurm_only.at("user zoe of odd").at(kQosDifference), "-interactive");
  EXPECT_EQ(user_of(live->policy, "odd", "zoe", "").qos.size(), 2U);
  // A file that says nothing of it lets the user have it: that is a difference.
  EXPECT_FALSE(make_plan(*live, imported().policy).empty());
}

// The account had it when it was taken away from the user, and may get it again.
TEST(SlurmImport, KeepsAQosThatIsTakenAwayThoughTheAccountAboveHasItNoLonger) {
  SlurmTexts texts = recorded();
  texts.associations =
      replaced(texts.associations, "312.50G||||||||||3|||", "312.50G||||||||||3||-batch-lowprio|");
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  EXPECT_EQ(live->slurm_only.at("user zoe of odd").at(kQosDifference), "-batch-lowprio");
  EXPECT_EQ(user_of(live->policy, "odd", "zoe", "").qos.size(), 3U);
}

TEST(SlurmImport, NamesAUserThatMayUseNoQosAtAll) {
  SlurmTexts texts = recorded();
  texts.associations = replaced(texts.associations, "312.50G||||||||||3|||",
                                "312.50G||||||||||3||-interactive,-normal,-research|");
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  ASSERT_EQ(live->notes.size(), 1U);
  EXPECT_TRUE(live->notes.front().starts_with("user zoe of odd: may use no QoS at all"));
}

TEST(SlurmImport, LimitsOnAgeAndFairshareAreThoseOfThePolicy) {
  SlurmTexts texts = recorded();
  texts.qos_kept = "normal||||||\ninteractive|0.500000|2.000000|5|3|4|7\n";
  texts.associations_kept = "odd|zoe||5|3|4\n";
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  const Policy& policy = live->policy;
  const Qos& qos = policy.qos[policy.find_qos("interactive")->index()];
  EXPECT_EQ(qos.limit_factor_millionths, 2'000'000);
  EXPECT_EQ(qos.usage_threshold_millionths, 500'000);
  EXPECT_EQ(qos.group.jobs_accrue, 5);
  EXPECT_EQ(qos.user.max_jobs_accrue, 3);
  EXPECT_EQ(qos.account.max_jobs_accrue, 4);
  const Association& zoe = policy.associations[policy.find_association("odd", "zoe", "")->index()];
  EXPECT_EQ(zoe.group.jobs_accrue, 5);
  EXPECT_EQ(zoe.max_jobs_accrue, 3);
}

TEST(SlurmImport, KeepsWhatOnlySlurmActsOn) {
  SlurmTexts texts = recorded();
  texts.qos_kept = "normal||||||\ninteractive|0.500000|2.000000|5|3|4|7\n";
  texts.associations_kept = "odd|zoe||5|3|4\n";
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  EXPECT_EQ(live->slurm_only.at("qos interactive"), (SlurmOnlyFields{{"MinPrioThreshold", "7"}}));
  EXPECT_EQ(live->slurm_only.at("user zoe of odd").at("MinPrioThreshold"), "4");
  EXPECT_EQ(live->slurm_only.at("account odd").at("Organization"), "some one");
  const PolicyText again =
      read_policy_text(write_policy(live->policy, live->slurm_only), "imported.yaml");
  ASSERT_TRUE(again.errors.empty()) << again.errors.front().text();
  EXPECT_EQ(again.slurm_only, live->slurm_only);
  EXPECT_EQ(again.policy, live->policy);
}

// KillWait, PriorityCalcPeriod, bf_interval and Sockets are Slurm's where the file says nothing.
TEST(SlurmImport, APlanIsAboutWhatTheFileNames) {
  LivePolicy live = imported();
  live.policy.jobs.kill_wait = seconds(5);
  live.policy.priority.calc_period = seconds(60);
  live.policy.scheduler.backfill_interval = seconds(2);
  PolicyText file = read_policy_text(write_policy(imported().policy), "policy.yaml");
  ASSERT_TRUE(file.errors.empty());
  PlanOptions options;
  options.slurm_only = live.slurm_only;
  options.named = file.places.fields();
  for (const char* field :
       {"jobs.kill_wait", "priority.calc_period", "scheduler.backfill_interval"})
    options.named->erase(field);
  EXPECT_TRUE(make_plan(live, file.policy, options).conf.empty());
  options.named->insert("jobs.kill_wait");
  const Plan plan = make_plan(live, file.policy, options);
  ASSERT_EQ(plan.conf.size(), 1U) << plan_text(plan);
  EXPECT_TRUE(plan.conf.front().line.starts_with("KillWait="));
}

TEST(SlurmImport, NamesLimitsThatAFileHasNoWordsFor) {
  SlurmTexts texts = recorded();
  const std::size_t at = texts.qos.find("gres/gpu=4");
  ASSERT_NE(at, std::string::npos);
  texts.qos.replace(at, 10, "fs/disk=9,gres/gpu=4");
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  ASSERT_EQ(live->notes.size(), 1U);
  EXPECT_EQ(live->notes.front(), "QoS interactive: GrpTRES fs/disk=9 is left as it is");
  PlanOptions options;
  options.slurm_only = live->slurm_only;
  EXPECT_TRUE(make_plan(*live, live->policy, options).empty());
}

TEST(SlurmImport, RefusesAPartitionThatWouldOpenToEverybody) {
  SlurmTexts texts = recorded();
  const std::size_t at = texts.partitions.find("AllowAccounts=ALL");
  ASSERT_NE(at, std::string::npos);
  texts.partitions.replace(at, 17, "AllowAccounts=gone");
  const auto live = import_policy(texts);
  ASSERT_FALSE(live);
  EXPECT_NE(live.error().what.find("there is no account 'gone'"), std::string::npos);
}

// The same cluster as the releases from 20.11 to 25.05 print it.
class ImportedVersions : public testing::TestWithParam<const char*> {
 protected:
  static std::string of(const std::string& name) {
    std::ifstream file(std::string("tests/recordings/versions/") + GetParam() + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_FALSE(text.str().empty()) << name << " is missing: run the tests in the repository";
    return text.str();
  }
};

TEST_P(ImportedVersions, ThePolicyIsTheSame) {
  SlurmTexts texts = recorded();
  texts.config = of("policy-config");
  texts.partitions = of("policy-partitions");
  texts.nodes = of("policy-nodes");
  texts.qos = of("policy-qos");
  texts.qos_kept = of("policy-qos-kept");
  const auto live = import_policy(texts);
  ASSERT_TRUE(live) << live.error().text();
  const SlurmVersion version = *read_slurm_version(GetParam());
  EXPECT_EQ(identity_in(texts.config).version, GetParam());
  const SlurmOnlyFields& kept = live->slurm_only.at("qos interactive");
  EXPECT_EQ(kept.at("MinPrioThreshold"), "7");
  Policy policy = live->policy;
  Qos& kept_qos = policy.qos[policy.find_qos("interactive")->index()];
  EXPECT_EQ(kept_qos.limit_factor_millionths.has_value(), version >= SlurmVersion({21, 8, 0}));
  kept_qos.limit_factor_millionths.reset();
  kept_qos.usage_threshold_millionths.reset();
  kept_qos.group.jobs_accrue.reset();
  kept_qos.user.max_jobs_accrue.reset();
  kept_qos.account.max_jobs_accrue.reset();
  // Limits that are percentages are not read as numbers.
  if (version >= SlurmVersion({23, 11, 0})) {
    ASSERT_EQ(policy.qos.back().name, "share");
    EXPECT_TRUE(policy.qos.back().group.tres.empty());
    ASSERT_FALSE(live->notes.empty());
    EXPECT_NE(live->notes.back().find("percentages"), std::string::npos);
    policy.qos.pop_back();
  } else {
    EXPECT_TRUE(live->notes.empty()) << live->notes.front();
  }
  EXPECT_EQ(policy, imported().policy);
}

TEST_P(ImportedVersions, NoColumnIsAskedForThatTheReleaseLacks) {
  const SlurmVersion version = *read_slurm_version(GetParam());
  bool asks = false;
  for (const TextCommand& command : text_commands("lab", version))
    for (const std::string& word : command.argv)
      asks = asks || word.find("LimitFactor") != std::string::npos;
  EXPECT_EQ(asks, version >= SlurmVersion({21, 8, 0}));
}

INSTANTIATE_TEST_SUITE_P(Releases, ImportedVersions,
                         testing::Values("20.11.9", "21.08.8", "22.05.8", "23.02.7", "23.11.10",
                                         "24.05.4", "24.11.5", "25.05.3"),
                         [](const auto& release) {
                           std::string name = release.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace sluice
