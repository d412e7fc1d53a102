// Workloads that fit a policy, rules that map a log to it, and what is said of the rest.
#include <gtest/gtest.h>

#include <set>

#include "policyfile/read/policy_reader.h"
#include "sim/recorder.h"
#include "sim/reports/report.h"
#include "sim/simulation.h"
#include "sim/workloads/estimates.h"
#include "sim/workloads/exercise.h"
#include "sim/workloads/generated.h"
#include "sim/workloads/log_workload.h"
#include "sim/workloads/names_in_force.h"
#include "sim/workloads/swf.h"
#include "sim/workloads/user_mapping.h"

namespace sluice {
namespace {

constexpr std::string_view kPolicy = R"(
nodes:
  - {name: 'g[1-2]', cpus: 32, memory: 64G, gpus: 4}
partitions:
  gpu: {nodes: all, default: yes}
  short: {nodes: all, max_time: 2m}
qos:
  fast: {Priority: 1000, MaxWall: 1h, MaxTRESPerUser: gres/gpu=2}
  slow: {Priority: 1}
accounts:
  phys: {shares: 3, qos: [fast, slow], users: [ann, bob]}
  chem: {shares: 1, qos: [slow], users: [cat]}
enforce: [associations, limits, qos]
)";

std::shared_ptr<const Policy> policy() {
  return std::make_shared<const Policy>(read_policy(kPolicy, "p.yaml").value());
}

Workload made(std::string_view settings) {
  return generate_for(parse_generator(settings).value(), policy()).value();
}

TEST(GeneratedForPolicy, UsesItsNamesAndEveryJobEnds) {
  const Workload workload = made("jobs=600,seed=3");
  std::set<std::string> qos;
  std::set<std::string> users;
  bool gpus = false;
  for (const WorkItem& item : workload.items) {
    const JobSpec spec = spec_of(workload, workload.request_of(item));
    qos.insert(spec.qos);
    users.insert(spec.user);
    gpus = gpus || !spec.gpus.empty();
  }
  EXPECT_EQ(qos, (std::set<std::string>{"fast", "slow"}));
  EXPECT_EQ(users, (std::set<std::string>{"ann", "bob", "cat"}));
  EXPECT_TRUE(gpus);
  const Simulation simulation = simulate(policy(), workload).value();
  for (const SimulatedJob& job : simulation.jobs) {
    EXPECT_FALSE(job.refused);
    EXPECT_TRUE(job.ended());
  }
  EXPECT_TRUE(unexercised(*policy(), workload).empty());
}

TEST(GeneratedForPolicy, IsTheSameForTheSameSeed) {
  EXPECT_EQ(write_swf(made("jobs=300,seed=5")), write_swf(made("jobs=300,seed=5")));
  EXPECT_NE(write_swf(made("jobs=300,seed=5")), write_swf(made("jobs=300,seed=6")));
  EXPECT_EQ(write_swf(made("jobs=300,model=lublin")), write_swf(made("jobs=300,model=lublin")));
}

TEST(GeneratedForPolicy, SomeFailWhereThatIsAskedFor) {
  const Workload workload = made("jobs=2000,fail=0.1");
  std::size_t failed = 0;
  for (const WorkItem& item : workload.items) failed += item.ends != JobState::kCompleted ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(failed), 200, 60);
}

TEST(GeneratedForPolicy, APolicyThatLetsNobodyInIsAnError) {
  const auto closed = std::make_shared<const Policy>(
      read_policy("nodes: [{name: n1, cpus: 4}]\npartitions: {p: {nodes: all, state: down}}\n"
                  "accounts: {a: {users: [ann]}}\n",
                  "p.yaml")
          .value());
  EXPECT_FALSE(generate_for(GeneratorSettings{}, closed));
}

TEST(Unexercised, IsSaidByName) {
  Workload workload = parse_swf("; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 60 -1 1 1 1\n", "t").value();
  map_users(*policy(), workload);
  const auto sentences = unexercised(*policy(), workload);
  ASSERT_FALSE(sentences.empty());
  EXPECT_EQ(sentences[0], "0 of 1 jobs use QoS fast, slow: their limits make no difference here.");
}

TEST(UserMapping, NamesThatThePolicyDoesNotHaveAreTold) {
  std::vector<LoggedRecord> log;
  const auto add = [&](const char* user, const char* account, const char* qos,
                       const char* partition) {
    LoggedRecord& record = log.emplace_back();
    record.id = std::to_string(log.size());
    record.user = user;
    record.account = account;
    record.qos = qos;
    record.partition = partition;
    record.cpus = 1;
    record.elapsed = record.limit = minutes(1);
  };
  add("ann", "phys", "fast", "gpu");
  add("ann", "chem", "long", "gpu");
  add("bob", "phys", "long", "bigmem");
  add("zoe", "physics", "", "");
  Workload workload = workload_of_log(log, "log");
  const UserMapping mapping = map_users(*policy(), workload);
  ASSERT_EQ(mapping.not_there.size(), 3U);
  EXPECT_EQ(mapping.not_there[0].kind, NameNotThere::Kind::kAccount);
  EXPECT_EQ(mapping.not_there[0].name, "chem") << "ann is not in it; zoe is nobody here";
  EXPECT_EQ(mapping.not_there[1].name, "long");
  EXPECT_EQ(mapping.not_there[1].jobs, 2U);
  EXPECT_EQ(mapping.not_there[2].name, "bigmem");
}

TEST(UserMapping, APolicyWithoutUsersKeepsThoseOfTheLog) {
  const Policy open =
      read_policy("nodes: [{name: n1, cpus: 4}]\npartitions: {p: {nodes: all}}\n", "p.yaml")
          .value();
  Workload workload = parse_swf("; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 60 -1 1 7 1\n", "t").value();
  const auto user = [&] { return workload.users[workload.requests.front().user]; };
  const std::string before = user();
  const UserMapping mapping = map_users(open, workload);
  EXPECT_EQ(mapping.dealt + mapping.matched, 0U);
  EXPECT_EQ(user(), before);
}

TEST(NamesInForce, AreThoseOfThePolicyWhereARequestNamesNone) {
  Workload workload = parse_swf("1 0 -1 60 2 -1 -1 2 120 -1 1 1 1\n", "t").value();
  map_users(*policy(), workload);
  const auto names = names_in_force(*policy(), workload);
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(names[0].account, "phys");
  EXPECT_EQ(names[0].qos, "normal");
  EXPECT_EQ(names[0].partition, "gpu");
}

TEST(MappingRules, TheFirstToSetAFieldWins) {
  const auto rules = read_mapping_rules(
                         "rules:\n"
                         "  - match: {queue: q2, cpus: ..2}\n    to: {qos: fast}\n"
                         "  - match: {user: 'u*'}\n    to: {user: bob, account: phys, qos: slow}\n"
                         "  - match: {program: e9}\n    drop: yes\n",
                         "rules.yaml", *policy())
                         .value();
  Workload workload = parse_swf(
                          "1 0 -1 10 1 -1 -1 1 60 -1 1 1 1 -1 2 -1\n"
                          "2 0 -1 10 8 -1 -1 8 60 -1 1 1 1 -1 2 -1\n"
                          "3 0 -1 10 8 -1 -1 8 60 -1 1 1 1 9 2 -1\n",
                          "t")
                          .value();
  map_users(*policy(), workload, rules);
  ASSERT_EQ(workload.items.size(), 2U);
  EXPECT_EQ(workload.left_out.by_rule, 1U);
  const JobSpec small = spec_of(workload, workload.request_of(workload.items[0]));
  EXPECT_EQ(small.qos, "fast");
  EXPECT_EQ(small.user, "bob");
  EXPECT_EQ(small.account, "phys");
  EXPECT_EQ(spec_of(workload, workload.request_of(workload.items[1])).qos, "slow");
}

TEST(MappingRules, NamesAreCheckedWithFileAndLine) {
  const auto unknown = read_mapping_rules("rules:\n  - to: {qos: nope}\n", "r.yaml", *policy());
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().where.find("r.yaml:2"), std::string::npos) << unknown.error().text();
  EXPECT_FALSE(read_mapping_rules("rules:\n  - match: {user: a}\n", "r.yaml", *policy()));
  EXPECT_FALSE(read_mapping_rules("rules:\n  - {match: {cpus: x}, drop: yes}\n", "r", *policy()));
  EXPECT_FALSE(read_mapping_rules("7", "r.yaml", *policy()));
}

TEST(Estimates, ExactOnesAreNeverShorterThanTheRun) {
  Workload workload = made("jobs=200");
  set_estimates(workload, Estimates::kExact, 1);
  for (const WorkItem& item : workload.items) {
    const Duration limit = workload.request_of(item).limit;
    if (item.run <= limit) {
      EXPECT_LT(limit - item.run, minutes(1));
    }
  }
}

TEST(Swf, BadLinesAreSkippedAndShownWhereThatIsAskedFor) {
  const std::string text = "; MaxProcs: 4\n1 0 -1 10 1\nnonsense here\n2 0 -1 10 1\n3 0\n";
  EXPECT_FALSE(parse_swf(text, "t"));
  const Workload workload = parse_swf(text, "t", BadLines::kSkip).value();
  EXPECT_EQ(workload.items.size(), 2U);
  EXPECT_EQ(workload.left_out.bad_lines, 2U);
  EXPECT_EQ(workload.left_out.first_bad[0].substr(0, 4), "t:3:");
}

TEST(Swf, StatusMemoryAndQueueAreRead) {
  const Workload workload =
      parse_swf("1 0 -1 10 1 -1 -1 1 60 2048 0 1 1 -1 3 4\n2 0 -1 10 1 -1 -1 1 60 -1 2\n", "t")
          .value();
  ASSERT_EQ(workload.items.size(), 1U) << "a part of a run is no job";
  EXPECT_EQ(workload.items[0].ends, JobState::kFailed);
  const WorkRequest& request = workload.request_of(workload.items[0]);
  EXPECT_EQ(request.memory_mb, 2);
  EXPECT_EQ(workload.labels[request.queue - 1], "q3");
  EXPECT_EQ(workload.labels[request.log_section - 1], "p4");
}

TEST(JournalWorkload, IsTheWorkloadThatMadeIt) {
  const Workload workload = made("jobs=150,seed=2");
  std::string bytes;
  Recorder recorder([&](std::string_view piece) -> Result<void> {
    bytes += piece;
    return {};
  });
  SimulationOptions options;
  options.commit = [&](std::span<const Event> events) { return recorder.commit(events); };
  const Simulation first = simulate(policy(), workload, options).value();
  ASSERT_TRUE(recorder.finish());
  const Workload again = workload_of_journal(bytes, "again").value();
  ASSERT_EQ(again.items.size(), workload.items.size());
  const Simulation second = simulate(policy(), again).value();
  for (std::size_t i = 0; i < first.jobs.size(); ++i)
    EXPECT_EQ(first.jobs[i].start - first.first_submit, second.jobs[i].start - second.first_submit)
        << i;
}

TEST(Report, RefusedJobsHaveNoWait) {
  Workload workload =
      parse_swf("; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 60 -1 1 1 1\n2 0 -1 10 9 -1 -1 9 60 -1 1 2 2\n",
                "t")
          .value();
  const auto machine =
      std::make_shared<const Policy>(machine_of(workload, SchedulerType::kBackfill));
  SimulationOptions options;
  options.observe = true;
  const Simulation simulation = simulate(machine, workload, options).value();
  const SimulationReport report = make_report(workload, simulation, machine);
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_NE(report_json(report).find("\"mean_wait_seconds\": null"), std::string::npos);
  EXPECT_FALSE(report.timeline.cpus.empty());
  EXPECT_NE(jobs_csv(workload, simulation).find("REFUSED"), std::string::npos);
}

// A spreadsheet runs what begins like a formula, and users choose names in logs.
TEST(Report, NoNameIsAFormula) {
  Workload workload = parse_swf("; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 60 -1 1 1 1\n", "t").value();
  const auto machine =
      std::make_shared<const Policy>(machine_of(workload, SchedulerType::kBackfill));
  const Simulation simulation = simulate(machine, workload, {}).value();
  const auto row = [&](const std::string& user) {
    workload.users[workload.requests[0].user] = user;
    const std::string csv = jobs_csv(workload, simulation);
    const std::size_t begin = csv.find("\n1,") + 3;
    return csv.substr(begin, csv.find(',', begin) - begin);
  };
  for (const char* evil : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1"})
    EXPECT_EQ(row(evil), std::string("'") + evil);
  EXPECT_EQ(row("=HYPERLINK(\"http://evil\")"), "\"'=HYPERLINK(\"\"http://evil\"\")\"");
  EXPECT_EQ(row("u=1"), "u=1");
}

TEST(Report, WatchingChangesNothing) {
  const Workload workload = made("jobs=400,load=1.1");
  SimulationOptions watched;
  watched.observe = true;
  const Simulation a = simulate(policy(), workload).value();
  const Simulation b = simulate(policy(), workload, watched).value();
  for (std::size_t i = 0; i < a.jobs.size(); ++i) EXPECT_EQ(a.jobs[i].start, b.jobs[i].start);
  // The mean over time is what the jobs held in all.
  double cpu = 0;
  for (const double each : b.timeline.cpus) cpu += each;
  std::int64_t held = 0;
  for (const SimulatedJob& job : b.jobs) held += job.cpu_ms;
  const auto span = static_cast<double>((b.last_end - b.first_submit).count());
  EXPECT_NEAR(cpu / static_cast<double>(b.timeline.cpus.size()), static_cast<double>(held) / span,
              static_cast<double>(held) / span * 0.02);
}

}  // namespace
}  // namespace sluice
