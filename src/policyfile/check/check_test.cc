// Every finding of a policy check, with the line it points to and what it says to write.
#include "policyfile/check/check.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice {
namespace {

// Policies of a line say nothing of memory; that finding has a test of its own.
std::vector<Finding> findings_of(std::string_view yaml) {
  std::vector<Finding> out = check_policy(read_policy_text(yaml, "p.yaml"));
  std::erase_if(out, [](const Finding& each) { return each.rule == "no-default-memory"; });
  return out;
}

// "rule severity where", in the order of the report.
std::vector<std::string> rules_of(std::string_view yaml) {
  std::vector<std::string> out;
  for (const Finding& finding : findings_of(yaml))
    out.push_back(finding.rule + " " + std::string(severity_word(finding.severity)) + " " +
                  finding.where);
  return out;
}

using Rules = std::vector<std::string>;

constexpr std::string_view kNode = "nodes: [{name: n1, cpus: 8, memory: 16G, gpus: 4}]\n";

std::string with_node(std::string_view rest) { return std::string(kNode) + std::string(rest); }

TEST(Check, ACleanPolicyHasNoFindings) { EXPECT_EQ(rules_of(kNode), Rules{}); }

TEST(Check, MemoryThatNobodyNamesIsFound) {
  const auto fix_of = [](const std::string& yaml) -> std::string {
    for (const Finding& each : check_policy(read_policy_text(yaml, "p.yaml")))
      if (each.rule == "no-default-memory") return each.fix;
    return "";
  };
  EXPECT_EQ(fix_of(with_node("")), "jobs:\n  def_mem_per_cpu: 2048M\n  def_mem_per_gpu: 3072M");
  EXPECT_EQ(fix_of(with_node("jobs: {def_mem_per_cpu: 2G}")), "");
  EXPECT_EQ(fix_of(with_node("jobs: {memory_is_consumable: no}")), "");
  EXPECT_EQ(fix_of(with_node("partitions: {a: {nodes: all, def_mem_per_node: 1G}}")), "");
}

TEST(Check, AMinimumThatNoOneNodeMeetsIsFoundWhereAJobHasOneNode) {
  const auto rules = [](std::string_view nodes, std::string_view qos) {
    return rules_of("nodes: [" + std::string(nodes) +
                    "]\njobs: {def_mem_per_cpu: 1}\nqos: {normal: {Flags: DenyOnLimit, " +
                    std::string(qos) + "}}\naccounts: {x: {users: u}}\n");
  };
  constexpr std::string_view kApart =
      "{name: a, cpus: 8, memory: 9}, {name: b, cpus: 2, memory: 9, gpus: 1}";
  constexpr std::string_view kBoth = "MinTRESPerJob: \"cpu=4,gres/gpu=1\"";
  EXPECT_EQ(rules(kApart, std::string(kBoth) + ", MaxTRESPerJob: node=1"),
            (Rules{"qos-impossible error p.yaml:3: qos.normal.MinTRESPerJob"}));
  EXPECT_EQ(rules(kApart, kBoth), Rules{});
  EXPECT_EQ(rules("{name: a, cpus: 8, memory: 9, gpus: 1}",
                  std::string(kBoth) + ", MaxTRESPerJob: node=1"),
            Rules{});
}

TEST(Check, SettingsThatOnlySlurmFollowsAreNamed) {
  EXPECT_EQ(rules_of(with_node("priority: {usage_reset: now}")),
            (Rules{"slurm-only warning p.yaml:2: priority.usage_reset"}));
  EXPECT_EQ(rules_of(with_node("qos: {a: {MinPrioThreshold: 3}}")),
            (Rules{"slurm-only warning p.yaml:2: qos.a.MinPrioThreshold"}));
  EXPECT_EQ(rules_of(with_node("qos: {a: {MaxJobsAccruePU: 3}}")), Rules{});
  EXPECT_EQ(rules_of(with_node("qos: {a: {Flags: EnforceUsageThreshold}}")),
            (Rules{"threshold-missing warning p.yaml:2: qos.a.Flags"}));
  EXPECT_EQ(rules_of(with_node("qos: {a: {UsageThreshold: 0, Flags: EnforceUsageThreshold}}")),
            Rules{});
  EXPECT_EQ(rules_of(with_node("qos: {a: {LimitFactor: 2}}")), Rules{});
}

TEST(Check, MistakesOfTheFileAreErrors) {
  EXPECT_EQ(rules_of("nodse: []\nqos: {a: {Priority: x}}"),
            (Rules{"file error p.yaml:2: qos.a.Priority", "file error p.yaml:1"}));
}

TEST(Check, AGraceTimeNeedsItsUnit) {
  const auto warns = [](std::string_view yaml) {
    const Rules rules = rules_of(with_node(yaml));
    return std::any_of(rules.begin(), rules.end(), [](const std::string& rule) {
      return rule.starts_with("grace-without-unit warning");
    });
  };
  EXPECT_TRUE(warns("qos: {low: {GraceTime: 15}}"));
  EXPECT_TRUE(warns("partitions: {p: {nodes: n1, grace_time: 15}}"));
  EXPECT_FALSE(warns("qos: {low: {GraceTime: 15s}}"));
  EXPECT_FALSE(warns("qos: {low: {MaxWall: 15}}")) << "sacctmgr counts minutes there too";
}

TEST(Check, ArraysHaveAnEnd) {
  EXPECT_EQ(rules_of(with_node("jobs: {max_array_size: 4000002}")),
            (Rules{"array-size error p.yaml:2: jobs.max_array_size"}));
}

TEST(Check, AFindingIsALineAndItsFixBelow) {
  const auto findings = findings_of(with_node("partitions: {a: {nodes: []}}"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(finding_text(findings[0]),
            "p.yaml:2: partitions.a: warning: partition 'a' has no nodes: its jobs wait for ever "
            "[partition-empty]\n    nodes: all\n");
  EXPECT_NE(findings_json("p.yaml", findings).find("\"rule\": \"partition-empty\""),
            std::string::npos);
}

struct Case {
  const char* yaml;  // After the node.
  std::vector<std::string> rules;
};

class Traps : public testing::TestWithParam<Case> {};

TEST_P(Traps, AreFoundWhereTheyStand) {
  EXPECT_EQ(rules_of(with_node(GetParam().yaml)), GetParam().rules);
}

TEST_P(Traps, SayWhatIsWrongAndWhatToWrite) {
  for (const Finding& finding : findings_of(with_node(GetParam().yaml))) {
    EXPECT_FALSE(finding.what.empty()) << finding.rule;
    EXPECT_FALSE(finding.fix.empty()) << finding.rule;
  }
}

const Case kCases[] = {
    {"partitions:\n  a: {max_time: 1h, default_time: 2h}",
     {"default-time error p.yaml:3: partitions.a.default_time"}},
    {"partitions:\n  a: {max_nodes: 1, min_nodes: 2}",
     {"node-range error p.yaml:3: partitions.a.min_nodes",
      "node-range error p.yaml:3: partitions.a.min_nodes"}},
    {"partitions: {a: {}, b: {}}", {"no-default-partition warning p.yaml:2: partitions"}},
    {"partitions: {a: {oversubscribe: \"force:2\"}}\njobs: {memory_is_consumable: no}",
     {"force-without-gang warning p.yaml:2: partitions.a.oversubscribe",
      "memory-not-counted warning p.yaml:3: jobs.memory_is_consumable"}},
    {"qos: {a: {GrpJobs: 5}}", {"limits-not-enforced warning p.yaml:1: enforce"}},
    {"accounts: {x: {qos: normal, users: u}}\nenforce: limits",
     {"qos-not-enforced warning p.yaml:3: enforce"}},
    {"accounts: {}", {"nobody warning p.yaml:2: accounts"}},
    {"accounts: {X: {users: u}}", {"upper-case warning p.yaml:2: accounts.X"}},
    // Priority.
    {"priority: {type: basic, weight_age: 1}", {"weights-unused warning p.yaml:2: priority.type"}},
    {"priority: {type: multifactor}", {"no-weights warning p.yaml:2: priority"}},
    {"priority: {weight_fairshare: 1, half_life: 6h}",
     {"half-life-short warning p.yaml:2: priority.half_life"}},
    {"priority: {weight_fairshare: 1, half_life: 0}",
     {"usage-never-fades warning p.yaml:2: priority.half_life"}},
    // Limits that cannot be met.
    {"qos: {normal: {MinTRESPerJob: gres/gpu=5, Flags: DenyOnLimit}}\naccounts: {x: {users: u}}",
     {"qos-impossible error p.yaml:2: qos.normal.MinTRESPerJob"}},
    {"qos: {normal: {MinTRESPerJob: cpu=4, MaxTRESPerJob: cpu=2, Flags: DenyOnLimit}}\n"
     "accounts: {x: {users: u}}",
     {"qos-impossible error p.yaml:2: qos.normal.MinTRESPerJob"}},
    {"qos: {normal: {MinTRESPerJob: gres/gpu=2, MaxTRESPerNode: gres/gpu=1, MaxTRESPerJob: node=1, "
     "Flags: DenyOnLimit}}\naccounts: {x: {users: u}}",
     {"qos-impossible error p.yaml:2: qos.normal.MinTRESPerJob"}},
    {"qos: {normal: {MaxTRESPerJob: cpu=0, Flags: DenyOnLimit}}\naccounts: {x: {users: u}}",
     {"qos-impossible error p.yaml:2: qos.normal.MaxTRESPerJob"}},
    {"qos: {normal: {MinTRESPerJob: cpu=2, Flags: DenyOnLimit}}\n"
     "accounts:\n  x: {MaxTRESPerJob: cpu=1, users: u}\n  y: {GrpTRES: cpu=1, users: u}\n"
     "  z: {MaxTRESPerJob: cpu=2, users: u}",
     {"minimum-out-of-reach warning p.yaml:4: accounts.x.MaxTRESPerJob",
      "minimum-out-of-reach warning p.yaml:5: accounts.y.GrpTRES"}},
    {"qos: {normal: {MaxJobsPU: 0}}\naccounts: {x: {users: u}}",
     {"qos-closed warning p.yaml:2: qos.normal.MaxJobsPerUser"}},
    {"partitions: {a: {max_time: 1h}}\nqos: {normal: {MaxWall: 2h, Flags: DenyOnLimit}}\n"
     "accounts: {x: {users: u}}",
     {"wall-unreachable warning p.yaml:3: qos.normal.MaxWall"}},
    {"partitions: {a: {max_time: 1h}}\n"
     "qos: {normal: {MaxWall: 2h, Flags: [DenyOnLimit, PartitionTimeLimit]}}\naccounts: {x: "
     "{users: u}}",
     {}},
    // Limits that mean something else.
    {"qos:\n  normal:\n    GrpTRES: gres/gpu=4\n    MaxJobsPU: 2\n    MaxTRES: gres/gpu=4\n"
     "    Flags: DenyOnLimit\naccounts: {x: {users: u}}",
     {"grp-or-per-user warning p.yaml:4: qos.normal.GrpTRES"}},
    {"qos: {normal: {GrpTRES: gres/gpu=4, Flags: DenyOnLimit}}\naccounts: {x: {users: u}}",
     {"grp-without-per-job note p.yaml:2: qos.normal.GrpTRES"}},
    {"qos: {normal: {MaxWall: 1h}}\naccounts: {x: {users: u}}",
     {"no-deny-on-limit warning p.yaml:2: qos.normal"}},
    {"qos: {normal: {MaxSubmitPU: 10}}\naccounts: {x: {users: u}}",
     {"submit-limit-counts-tasks note p.yaml:2: qos.normal.MaxSubmitJobsPerUser"}},
    {"qos: {a: {}}\naccounts: {x: {users: u}}", {"qos-unused warning p.yaml:2: qos.a"}},
    {"accounts:\n  a: {shares: 500, users: u}\n  b: {shares: 100, users: v}",
     {"shares-reserve-nothing note p.yaml:3: accounts.a.shares"}},
    {"qos: {a: {}}\naccounts: {x: {default_qos: a, users: u}}",
     {"default-qos error p.yaml:3: accounts.x.default_qos", "qos-unused warning p.yaml:2: qos.a"}},
    {"accounts: {x: {users: u}, y: {}}\nusers: {u: {default_account: y}}",
     {"default-account error p.yaml:3: users.u.default_account"}},
    // Preemption.
    {"qos:\n  a: {Preempt: b}\n  b: {Preempt: a}\npreemption: {type: qos, mode: requeue}",
     {"preempt-cycle error p.yaml:3: qos.a.Preempt"}},
    {"qos: {a: {Preempt: a}}\npreemption: {type: qos, mode: requeue}",
     {"preempt-cycle error p.yaml:2: qos.a.Preempt"}},
    {"qos: {a: {Preempt: normal}}", {"preempt-without-type warning p.yaml:1: preemption.type"}},
    {"preemption: {type: qos, mode: requeue}",
     {"preempt-without-links warning p.yaml:2: preemption.type"}},
    {"preemption: {type: partition_prio, mode: requeue}",
     {"preempt-without-tiers warning p.yaml:2: preemption.type"}},
    {"preemption: {mode: requeue}", {"mode-without-type warning p.yaml:2: preemption.mode"}},
    {"qos: {a: {Preempt: normal}}\npreemption: {type: qos}",
     {"type-without-mode error p.yaml:3: preemption.mode"}},
    {"qos: {a: {Preempt: normal}}\npreemption: {type: qos, mode: suspend}\n"
     "jobs: {memory_is_consumable: no}",
     {"suspend-without-gang error p.yaml:3: preemption.mode",
      "memory-not-counted warning p.yaml:4: jobs.memory_is_consumable",
      "suspend-keeps-gpus warning p.yaml:3: preemption.mode"}},
    {"qos: {a: {Preempt: normal}}\npreemption: {type: qos, mode: requeue}\njobs: {requeue: no}",
     {"requeue-cancels warning p.yaml:4: jobs.requeue"}},
    {"qos: {a: {Preempt: normal}, normal: {Priority: 9}}\n"
     "preemption: {type: qos, mode: requeue}\npriority: {weight_qos: 1}",
     {"preempts-upward warning p.yaml:2: qos.a.Preempt"}},
    {"qos: {a: {Preempt: normal}}\npreemption: {type: qos, mode: requeue}\n"
     "scheduler: {type: builtin}",
     {"preempt-in-order note p.yaml:4: scheduler.type"}},
};

INSTANTIATE_TEST_SUITE_P(Check, Traps, testing::ValuesIn(kCases));

TEST(Check, ALimitOnATypedGpuDoesNotStopUntypedRequests) {
  EXPECT_EQ(rules_of("nodes: [{name: n1, gpus: {a100: 4}}]\n"
                     "qos: {normal: {MaxTRESPU: \"gres/gpu:a100=2\", Flags: DenyOnLimit}}\n"
                     "accounts: {x: {users: u}}"),
            Rules{"typed-gpu-limit warning p.yaml:2: qos.normal.MaxTRESPerUser"});
}

TEST(Check, NoNodesIsForTheEmbeddedEngineOnly) {
  EXPECT_EQ(rules_of(""), Rules{"no-nodes warning p.yaml:1: nodes"});
}

TEST(Check, FixesCanBePasted) {
  const auto findings = findings_of(
      with_node("qos: {normal: {GrpTRES: gres/gpu=4, MaxJobsPU: 2, MaxTRES: gres/gpu=4, Flags: "
                "DenyOnLimit}}\naccounts: {x: {users: u}}"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(findings[0].fix.starts_with("MaxTRESPerUser: gres/gpu=4 ")) << findings[0].fix;
}

}  // namespace
}  // namespace sluice
