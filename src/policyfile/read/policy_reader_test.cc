// What a policy file may say, and what each mistake is told.
#include "policyfile/read/policy_reader.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Policy read(std::string_view text) {
  auto policy = read_policy(text, "policy.yaml");
  EXPECT_TRUE(policy.has_value()) << policy.error().text();
  return policy ? std::move(*policy) : Policy{};
}

std::string error_of(std::string_view text) {
  auto policy = read_policy(text, "policy.yaml");
  return policy ? "no error" : policy.error().text();
}

TEST(PolicyReader, AnEmptyFileIsOnePartitionOneAccountAndNoRules) {
  const Policy policy = read("");
  EXPECT_EQ(policy.cluster, "cluster");
  ASSERT_EQ(policy.partitions.size(), 1u);
  EXPECT_EQ(policy.partitions[0].name, "main");
  EXPECT_TRUE(policy.partitions[0].is_default);
  ASSERT_EQ(policy.qos.size(), 1u);
  EXPECT_EQ(policy.qos[0].name, "normal");
  EXPECT_TRUE(policy.find_account("default"));
  EXPECT_EQ(policy.enforce, (EnforceSettings{false, false, false, false}));
}

TEST(PolicyReader, RootAndItsUserExistAsInANewSlurm) {
  const Policy policy = read("accounts: {}");
  ASSERT_EQ(policy.associations.size(), 2u);
  EXPECT_EQ(policy.associations[0].account, "root");
  EXPECT_EQ(policy.associations[0].qos, std::vector{QosId(0)});
  EXPECT_EQ(policy.associations[1].user, "root");
  EXPECT_EQ(policy.associations[1].parent, AssocId(0));
  EXPECT_EQ(policy.users[0].admin_level, AdminLevel::kAdministrator);
  EXPECT_EQ(policy.enforce, EnforceSettings{});
}

TEST(PolicyReader, SwitchesFormATree) {
  const std::string nodes = "nodes: [{name: 'n[1-4]'}]\nswitches:\n";
  const Policy policy = read(nodes +
                             "  top: {switches: 'leaf[1-2]'}\n"
                             "  leaf1: {nodes: 'n[1-2]'}\n"
                             "  leaf2: {nodes: 'n[3-4]'}\n");
  ASSERT_EQ(policy.switches.size(), 3u);
  EXPECT_EQ(policy.switches[0].switches, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(policy.switches[2].nodes, (std::vector{NodeId(2), NodeId(3)}));
  for (const auto& [text, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"  a: {}\n", "a switch has nodes on it or switches below it"},
           {"  a: {nodes: n9}\n", "there is no node 'n9'"},
           {"  a: {nodes: n1}\n  b: {switches: c}\n", "there is no switch 'c'"},
           {"  a: {nodes: n1}\n  b: {nodes: 'n[1-2]'}\n", "n1 is on a already"},
           {"  a: {nodes: n1}\n  b: {switches: a}\n  c: {switches: a}\n", "a is below b already"},
           {"  a: {switches: b}\n  b: {switches: a}\n", "a is above b, too"}})
    EXPECT_NE(error_of(nodes + text).find(what), std::string::npos) << error_of(nodes + text);
}

TEST(PolicyReader, NodesAreNamedByHostlistsWithUnits) {
  const Policy policy = read(R"(
nodes:
  - name: g[1-2]
    cpus: 192
    memory: 768G
    gpus: 8
    features: [a, b]
    weight: 5
    sockets: 2
    threads_per_core: 2
  - {name: h1, gpus: {a100: 2, v100: 1}}
  - {name: h3, gpus: a100:2}
  - {name: h2, gpus: [a100, {type: v100, device: /dev/nvidia1, count: 2}]}
)");
  ASSERT_EQ(policy.nodes.size(), 5u);
  EXPECT_EQ(policy.nodes[1].name, "g2");
  EXPECT_EQ(policy.nodes[1].memory_mb, 768 * 1024);
  EXPECT_EQ(policy.nodes[1].gpus.size(), 8u);
  EXPECT_EQ(policy.nodes[1].gpus[0].type, "");
  EXPECT_EQ(policy.nodes[1].features, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(policy.nodes[2].gpus, (std::vector<Gpu>{{"a100", ""}, {"a100", ""}, {"v100", ""}}));
  EXPECT_EQ(policy.nodes[3].gpus, (std::vector<Gpu>{{"a100", ""}, {"a100", ""}}));
  EXPECT_EQ(policy.nodes[4].gpus,
            (std::vector<Gpu>{{"a100", ""}, {"v100", "/dev/nvidia1"}, {"v100", "/dev/nvidia1"}}));
  EXPECT_TRUE(policy.tres.find("gres/gpu:a100"));
  EXPECT_TRUE(policy.tres.find("gres/gpu:v100"));
  EXPECT_EQ(policy.partitions[0].nodes.size(), 5u);
}

TEST(PolicyReader, PartitionsTakeSlurmsSpellingToo) {
  const Policy policy = read(R"(
nodes: [{name: "n[1-3]", cpus: 4, memory: 8G}]
qos: {small: {MaxJobsPU: 2}}
partitions:
  day:
    nodes: n[1-2]
    Default: YES
    MaxTime: 1-00:00:00
    default_time: 90
    PriorityTier: 3
    qos: small
    OverSubscribe: FORCE:2
    preempt_mode: REQUEUE
    grace_time: 30s
    def_mem_per_cpu: 2G
    billing_weights: {cpu: 1, mem: 0.25G}
    deny_qos: [small]
    state: drain
  night: {nodes: all, oversubscribe: exclusive, max_time: unlimited}
)");
  const Partition& day = policy.partitions[0];
  EXPECT_EQ(day.nodes, (std::vector{NodeId(0), NodeId(1)}));
  EXPECT_TRUE(day.is_default);
  EXPECT_EQ(day.max_time, Duration(std::chrono::hours(24)));
  EXPECT_EQ(day.default_time, minutes(90));
  EXPECT_EQ(day.priority_tier, 3);
  EXPECT_EQ(day.qos, QosId(1));
  EXPECT_EQ(day.oversubscribe, OverSubscribe::kForce);
  EXPECT_EQ(day.oversubscribe_jobs, 2);
  EXPECT_EQ(day.preempt_mode, PreemptMode::kRequeue);
  EXPECT_EQ(day.grace_time, seconds(30));
  EXPECT_EQ(day.default_mem_per_cpu_mb, 2048);
  ASSERT_EQ(day.billing_weights.size(), 2u);
  EXPECT_EQ(day.billing_weights[1], (TresWeight{kTresMem, 250'000, 1024}));
  EXPECT_EQ(day.deny_qos, std::vector<std::string>{"small"});
  EXPECT_EQ(day.state, PartitionState::kDrain);
  EXPECT_EQ(policy.partitions[1].oversubscribe, OverSubscribe::kExclusive);
  EXPECT_FALSE(policy.partitions[1].max_time);
  EXPECT_FALSE(policy.partitions[1].is_default);
}

TEST(PolicyReader, QosKnowsSlurmsNamesAndSacctmgrsShortForms) {
  const Policy policy = read(R"(
qos:
  fast:
    Priority: 10
    maxwall: 1-12
    GrpTRES: gres/gpu=4,mem=312.5G
    MaxTRESPU: {cpu: 10, gres/gpu: 2}
    MaxTRES: cpu=8
    MaxJobsPU: 2
    GrpSubmit: 9
    MaxSubmitPU: 100
    Flags: DenyOnLimit,NoDecay
    Preempt: slow
    PreemptMode: Cancel
    UsageFactor: 1.5
    GraceTime: 30s
  slow:
)");
  const Qos& fast = policy.qos[1];
  EXPECT_EQ(fast.priority, 10);
  EXPECT_EQ(fast.job.max_wall, Duration(std::chrono::hours(36)));
  EXPECT_EQ(fast.group.tres.get(kTresGpu), 4);
  EXPECT_EQ(fast.group.tres.get(kTresMem), 320'000);
  EXPECT_EQ(fast.user.max_tres.get(kTresCpu), 10);
  EXPECT_EQ(fast.job.max_tres.get(kTresCpu), 8);
  EXPECT_EQ(fast.user.max_jobs, 2);
  EXPECT_EQ(fast.group.submit_jobs, 9);
  EXPECT_EQ(fast.user.max_submit_jobs, 100);
  EXPECT_TRUE(fast.flags.deny_on_limit);
  EXPECT_TRUE(fast.flags.no_decay);
  EXPECT_EQ(fast.preempt, std::vector{QosId(2)});
  EXPECT_EQ(fast.preempt_mode, PreemptMode::kCancel);
  EXPECT_EQ(fast.usage_factor_millionths, 1'500'000);
  EXPECT_EQ(fast.grace_time, seconds(30));
}

TEST(PolicyReader, AccountsNestAndUsersHaveOptions) {
  const Policy policy = read(R"(
partitions: {day: {}}
qos: {a: {}, b: {}}
accounts:
  root: {GrpJobs: 100}
  science:
    description: All of science
    shares: 10
    qos: [a, b]
    default_qos: a
    users: [dean]
    accounts:
      physics:
        FairShare: parent
        MaxJobs: 5
        users:
          ann: {shares: 3, MaxSubmit: 7}
          bob:
      biology:
        users: [ann, {name: cat, partition: day, qos: b}]
users:
  ann: {default_account: biology, admin_level: operator, coordinator_of: [physics], groups: [x]}
  eve:
)");
  std::vector<std::string> order;
  for (const Association& a : policy.associations) order.push_back(a.account + "/" + a.user);
  EXPECT_EQ(order, (std::vector<std::string>{"root/", "root/root", "science/", "science/dean",
                                             "physics/", "physics/ann", "physics/bob", "biology/",
                                             "biology/ann", "biology/cat"}));
  EXPECT_EQ(policy.associations[0].group.jobs, 100);
  EXPECT_EQ(policy.associations[2].shares, 10);
  EXPECT_EQ(policy.associations[2].default_qos, QosId(1));
  EXPECT_TRUE(policy.associations[4].shares_of_parent);
  EXPECT_EQ(policy.associations[4].parent, AssocId(2));
  EXPECT_EQ(policy.associations[5].max_submit_jobs, 7);
  EXPECT_EQ(policy.associations[9].partition, "day");
  EXPECT_EQ(policy.allowed_qos(AssocId(6)).size(), 2u);
  const User& ann = policy.users[policy.find_user("ann")->index()];
  EXPECT_EQ(ann.default_account, "biology");
  EXPECT_EQ(ann.admin_level, AdminLevel::kOperator);
  EXPECT_EQ(policy.users[policy.find_user("bob")->index()].default_account, "physics");
  EXPECT_TRUE(policy.find_user("eve"));
}

TEST(PolicyReader, SettingsOfTheCluster) {
  const Policy policy = read(R"(
licenses: {matlab: 10}
priority: {PriorityWeightAge: 1000, weight_tres: "cpu=1000,license/matlab=5", half_life: 7-0, fair_tree: no}
preemption: {type: preempt/qos, mode: "SUSPEND,GANG", time_slice: 15s}
scheduler: {type: sched/builtin, bf_max_job_test: 5, requeue_delay: 10s}
enforce: safe
jobs: {max_array_size: 10001, enforce_part_limits: all, requeue: no, kill_wait: 5s}
)");
  EXPECT_EQ(policy.licenses[0], (License{"matlab", 10}));
  EXPECT_EQ(policy.priority.type, PriorityType::kMultifactor);
  EXPECT_EQ(policy.priority.weight_age, 1000);
  EXPECT_EQ(policy.priority.weight_tres.size(), 2u);
  EXPECT_EQ(policy.priority.half_life, Duration(std::chrono::hours(7 * 24)));
  EXPECT_FALSE(policy.priority.fair_tree);
  EXPECT_EQ(policy.preemption.type, PreemptType::kQos);
  EXPECT_EQ(policy.preemption.mode, PreemptMode::kSuspend);
  EXPECT_TRUE(policy.preemption.gang);
  EXPECT_EQ(policy.scheduler.type, SchedulerType::kBuiltin);
  EXPECT_EQ(policy.scheduler.backfill_max_job_test, 5);
  EXPECT_EQ(policy.enforce, (EnforceSettings{true, true, false, true}));
  EXPECT_EQ(policy.jobs.enforce_part_limits, EnforcePartLimits::kAll);
  EXPECT_FALSE(policy.jobs.requeue);
}

TEST(PolicyReader, IncludesAreReadFirstAndMerged) {
  auto files = [](const std::string& path) -> Result<std::string> {
    if (path == "site/nodes.yaml") return "nodes: [{name: a}]\nqos: {x: {}}\n";
    if (path == "site/loop.yaml") return "include: policy.yaml\n";
    if (path == "site/policy.yaml") return "include: loop.yaml\n";
    if (path == "site/twice.yaml") return "qos: {y: {}}\n";
    return failed("there is no file '" + path + "'");
  };
  auto policy = read_policy("include: [nodes.yaml]\nnodes: [{name: b}]\nqos: {y: {}}\n",
                            "site/policy.yaml", files);
  ASSERT_TRUE(policy) << policy.error().text();
  EXPECT_EQ(policy->nodes.size(), 2u);
  EXPECT_EQ(policy->nodes[0].name, "a");
  EXPECT_EQ(policy->qos.size(), 3u);
  EXPECT_EQ(read_policy("include: none.yaml", "site/policy.yaml", files).error().text(),
            "site/policy.yaml:1: include: there is no file 'site/none.yaml'");
  EXPECT_EQ(read_policy("include: loop.yaml", "site/policy.yaml", files).error().text(),
            "site/loop.yaml:1: include: 'site/policy.yaml' includes itself\n"
            "  remove one of the includes on the way");
  EXPECT_EQ(
      read_policy("include: twice.yaml\nqos: {y: {}}", "site/policy.yaml", files).error().text(),
      "site/policy.yaml:2: qos.y: is already given at site/twice.yaml:1\n  keep one of the two");
}

TEST(PolicyReader, AnUnknownKeyIsAnErrorThatNamesTheNearest) {
  EXPECT_EQ(error_of("nodse: []"),
            "policy.yaml:1: 'nodse' is not a key here\n"
            "  did you mean nodes? allowed: include, cluster, nodes, switches, licenses, qos, "
            "partitions, accounts, users, reservations, priority, preemption, scheduler, jobs, "
            "enforce, intents");
  const std::string text = error_of("qos:\n  fast:\n    GrpTRESS: cpu=1\n");
  EXPECT_TRUE(
      text.starts_with("policy.yaml:3: qos.fast: 'GrpTRESS' is not a key here\n"
                       "  did you mean GrpTRES? allowed: description, Priority, GrpTRES,"))
      << text;
}

TEST(PolicyReader, EveryMistakeIsReported) {
  const PolicyText text = read_policy_text("nodse: []\nqos: {a: {Priority: x}}\n", "policy.yaml");
  ASSERT_EQ(text.errors.size(), 2u);
  EXPECT_EQ(text.errors[0].where, "policy.yaml:2: qos.a.Priority");
  EXPECT_EQ(text.errors[1].where, "policy.yaml:1");
}

struct Mistake {
  const char* yaml;
  const char* message;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedByFileLineAndField) {
  EXPECT_EQ(error_of(GetParam().yaml), GetParam().message);
}

constexpr Mistake kMistakes[] = {
    {"- a\n",
     "policy.yaml:1: a list stands where keys belong\n"
     "  write KEY: VALUE lines, indented, below it"},
    {"cluster: [a]", "policy.yaml:1: cluster: is a list, one value belongs here"},
    {"cluster: a b",
     "policy.yaml:1: cluster: 'a b' is not a name\n"
     "  use letters, digits and _ . - + @"},
    {"cluster:\n", "policy.yaml:1: cluster: has no value\n  give it one, or remove the key"},
    {"cluster: a\ncluster: b\n",
     "policy.yaml:2: 'cluster' stands here twice, first on line 1\n  keep one of the two"},
    {"a: 1\n---\nb: 2\n",
     "policy.yaml:2: does not belong to what stands above, and a policy is one YAML document\n"
     "  look at the indentation, or remove the line '---'"},
    {",b: 2\n",
     "policy.yaml:1: does not belong to what stands above, and a policy is one YAML document\n"
     "  look at the indentation, or remove the line '---'"},
    {"nodes: n1",
     "policy.yaml:1: nodes: is 'n1', a list belongs here\n"
     "  write - name: n[1-4] and below it cpus: and memory:"},
    {"nodes:\n  - cpus: 4\n", "policy.yaml:2: nodes: a node without a name\n  add name: n1"},
    {"nodes:\n  - name: n1\n    cpus: four\n",
     "policy.yaml:3: nodes.cpus: 'four' is not a whole number\n  allowed: 0 to 2147483647"},
    {"nodes:\n  - {name: n1, cpus: 3, sockets: 2}\n",
     "policy.yaml:2: nodes.n1: 3 CPUs cannot sit on 2 sockets with 1 threads a core\n"
     "  cpus is a multiple of sockets × threads_per_core"},
    {"nodes: [{name: n1}, {name: 'n[1-2]'}]",
     "policy.yaml:1: nodes.name: there are two nodes 'n1'"},
    {"nodes: [{name: n1, gpus: many}]",
     "policy.yaml:1: nodes.gpus: 'many' is not a number of GPUs\n"
     "  allowed: 0 to 64, a100:8, {a100: 8}, or a list of types"},
    {"nodes: [{name: n1}]\npartitions: {day: {nodes: n2}}",
     "policy.yaml:2: partitions.day.nodes: there is no node 'n2'\n"
     "  did you mean n1? allowed: n1"},
    {"partitions: {day: {state: upp}}",
     "policy.yaml:1: partitions.day.state: 'upp' is not one of its values\n"
     "  did you mean up? allowed: up, down, drain, inactive"},
    {"partitions: {day: {oversubscribe: often}}",
     "policy.yaml:1: partitions.day.oversubscribe: 'often' is not one of its values\n"
     "  allowed: no, yes, yes:N, force, force:N, exclusive"},
    {"partitions: {day: {default: maybe}}",
     "policy.yaml:1: partitions.day.default: 'maybe' is neither yes nor no\n"
     "  allowed: yes, no, true, false"},
    {"partitions:\n  a: {default: yes}\n  b: {default: yes}\n",
     "policy.yaml:3: partitions.b.default: 'a' (line 2) is the default partition already\n"
     "  keep default: yes in one of the two"},
    {"partitions: {day: {qos: fast}}",
     "policy.yaml:1: partitions.day.qos: there is no QoS 'fast'\n  allowed: normal"},
    {"partitions: {day: {allow_accounts: [x]}}",
     "policy.yaml:1: partitions.day.allow_accounts: there is no account 'x'\n"
     "  allowed: root, default"},
    {"qos: {a: {MaxJobsPU: 1, MaxJobsPerUser: 2}}",
     "policy.yaml:1: qos.a.MaxJobsPerUser: 'MaxJobsPerUser' and 'MaxJobsPU' (line 1) are the same "
     "key\n  keep one of the two"},
    {"qos: {a: {MaxJobsPU: -2}}",
     "policy.yaml:1: qos.a.MaxJobsPerUser: '-2' is not a whole number\n"
     "  allowed: 0 to 9223372036854775807, unlimited"},
    {"qos: {a: {GrpTRES: gpu=4}}",
     "policy.yaml:1: qos.a.GrpTRES: 'gpu' is not a resource of this cluster\n"
     "  did you mean gres/gpu? allowed: cpu, mem, node, billing, gres/gpu"},
    {"qos: {a: {GrpTRES: cpu}}",
     "policy.yaml:1: qos.a.GrpTRES: 'cpu' has no amount\n"
     "  write cpu=4,gres/gpu=2 or {cpu: 4, gres/gpu: 2}"},
    {"qos: {a: {GrpTRES: cpu=x}}",
     "policy.yaml:1: qos.a.GrpTRES: 'x' is not a whole number\n"
     "  allowed: 0 to 9223372036854775807"},
    {"qos: {a: {GrpTRES: 'cpu=1,cpu=2'}}",
     "policy.yaml:1: qos.a.GrpTRES: 'cpu' stands here twice\n  keep one of the two"},
    {"qos: {a: {Flags: DenyOnLimits}}",
     "policy.yaml:1: qos.a.Flags: 'DenyOnLimits' is not one of its words\n"
     "  did you mean DenyOnLimit? allowed: DenyOnLimit, OverPartQOS, PartitionTimeLimit, "
     "PartitionMaxNodes, PartitionMinNodes, NoDecay, NoReserve, RequiresReservation, "
     "EnforceUsageThreshold, UsageFactorSafe"},
    {"qos: {a: {Preempt: [b]}}",
     "policy.yaml:1: qos.a.Preempt: there is no QoS 'b'\n  allowed: normal, a"},
    {"qos: {a: {UsageFactor: much}}",
     "policy.yaml:1: qos.a.UsageFactor: 'much' is not a number\n"
     "  write 2 or 0.25, with at most six digits after the point"},
    {"qos: {a b: {}}",
     "policy.yaml:1: qos: 'a b' is not a name\n"
     "  use letters, digits and _ . - + @"},
    {"accounts: {a: {accounts: {a: {}}}}",
     "policy.yaml:1: accounts.a: there are two accounts 'a', the other at policy.yaml:1\n"
     "  an account stands at one place of the tree: give the other another name"},
    {"accounts: {a: {accounts: {root: {}}}}",
     "policy.yaml:1: accounts.root: root is above every account and stands at the top\n"
     "  an account stands at one place of the tree: give the other another name"},
    {"accounts: {a: {users: [x, x]}}",
     "policy.yaml:1: accounts.a.users.x: 'x' stands twice in account 'a', first at policy.yaml:1\n"
     "  several associations of one user differ in their partition"},
    {"accounts: {a: {users: [{MaxJobs: 1}]}}",
     "policy.yaml:1: accounts.a.users: a map without a name\n"
     "  write alice, or {name: alice, MaxJobs: 2}"},
    {"accounts: {a: {users: [{name: x, partition: p}]}}",
     "policy.yaml:1: accounts.a.users.x.partition: there is no partition 'p'\n  allowed: main"},
    {"users: {x: {default_account: y}}",
     "policy.yaml:1: users.x.default_account: there is no account 'y'\n  allowed: root, default"},
    {"enforce: [limit]",
     "policy.yaml:1: enforce: 'limit' is not one of its words\n"
     "  did you mean limits? allowed: associations, limits, qos, safe"},
    {"licenses: {matlab: ten}",
     "policy.yaml:1: licenses.matlab: 'ten' is not a whole number\n"
     "  allowed: 0 to 9223372036854775807"},
    {"priority: {type: multi}",
     "policy.yaml:1: priority.type: 'multi' is not one of its values\n"
     "  did you mean multifactor? allowed: basic, multifactor"},
    {"include: {a: b}",
     "policy.yaml:1: include: is a map, file names belong here\n"
     "  write include: [nodes.yaml, qos.yaml]"},
};

INSTANTIATE_TEST_SUITE_P(PolicyReader, Mistakes, testing::ValuesIn(kMistakes));

TEST(PolicyReader, WhatIsNotYamlIsToldTheLine) {
  EXPECT_TRUE(error_of("a: [1\nb: 2\n").starts_with("policy.yaml:2: not YAML: "))
      << error_of("a: [1\nb: 2\n");
}

TEST(PolicyReader, DurationsAndMemoryKeepTheirFieldInTheMessage) {
  EXPECT_TRUE(
      error_of("qos: {a: {MaxWall: soon}}").starts_with("policy.yaml:1: qos.a.MaxWall: 'soon' "))
      << error_of("qos: {a: {MaxWall: soon}}");
  EXPECT_TRUE(error_of("nodes: [{name: n, memory: lots}]")
                  .starts_with("policy.yaml:1: nodes.memory: 'lots' "))
      << error_of("nodes: [{name: n, memory: lots}]");
}

TEST(PolicyReader, AliasesThatExplodeAreRefused) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'j'; ++c) {
    const char before = static_cast<char>(c - 1);
    text += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) text += std::string(i ? ", *" : "*") + before;
    text += "]\n";
  }
  EXPECT_TRUE(error_of(text).starts_with("policy.yaml:1: more than")) << error_of(text);
}

}  // namespace
}  // namespace sluice
