// From a small workload to its figures.
#include "sim/reports/report.h"

#include <gtest/gtest.h>

#include "sim/recorder.h"
#include "sim/workloads/swf.h"
#include "sim/workloads/user_mapping.h"

namespace sluice {
namespace {

// Job 1 takes all four CPUs for 100 s; job 2 waits for it; job 3 fits nowhere.
constexpr std::string_view kThree =
    "; MaxProcs: 4\n"
    "1 0 -1 100 4 -1 -1 4 200 -1 1 1 1 -1 -1 -1 -1 -1\n"
    "2 50 -1 5 2 -1 -1 2 60 -1 1 2 1 -1 -1 -1 -1 -1\n"
    "3 50 -1 5 9 -1 -1 9 60 -1 1 2 2 -1 -1 -1 -1 -1\n";

struct Ran {
  Workload workload;
  Simulation simulation;
};

Ran run(std::string_view text, SchedulerType scheduler = SchedulerType::kEasy) {
  Ran ran;
  ran.workload = parse_swf(text, "three").value();
  ran.simulation =
      simulate(std::make_shared<const Policy>(machine_of(ran.workload, scheduler)), ran.workload)
          .value();
  return ran;
}

TEST(Report, AddsUpWaitsSlowdownsAndUse) {
  const Ran ran = run(kThree);
  const SimulationReport report = make_report(ran.workload, ran.simulation, 4);
  EXPECT_EQ(report.items, 3U);
  EXPECT_EQ(report.ran, 2U);
  EXPECT_EQ(report.refused, 1U);
  EXPECT_EQ(report.first_refused, 3U);
  EXPECT_FALSE(report.first_refusal.empty());
  EXPECT_DOUBLE_EQ(report.wait.mean, 25);
  EXPECT_DOUBLE_EQ(report.wait.most, 50);
  // (0 + 100) / 100 and, bounded by ten seconds, (50 + 5) / 10.
  EXPECT_DOUBLE_EQ(report.slowdown.mean, (1 + 5.5) / 2);
  EXPECT_EQ(report.makespan, seconds(105));
  EXPECT_DOUBLE_EQ(report.utilisation, (100.0 * 4 + 5 * 2) / (105 * 4));
  ASSERT_EQ(report.users.size(), 2U);
  EXPECT_EQ(report.users[0].name, "u1");
  EXPECT_EQ(report.users[1].refused, 1U);
  EXPECT_EQ(report.accounts[0].jobs, 2U);
}

TEST(Report, WithoutLimitsNoJobRunsIntoOne) {
  // Run times stand for the limits that the trace does not know.
  const Ran ran =
      run("; MaxProcs: 4\n"
          "1 0 -1 100 4 -1 -1 4 -1 -1 1 1 1\n2 0 -1 50 4 -1 -1 4 -1 -1 0 1 1\n"
          "3 0 -1 90 4 -1 -1 4 60 -1 1 1 1\n");
  EXPECT_EQ(ran.workload.without_limit, 2U);
  EXPECT_EQ(ran.simulation.jobs[0].state, JobState::kCompleted);
  EXPECT_EQ(ran.simulation.jobs[1].state, JobState::kFailed) << "as the trace says";
  EXPECT_EQ(ran.simulation.jobs[2].state, JobState::kTimeout);
  EXPECT_EQ(make_report(ran.workload, ran.simulation, 4).timed_out, 1U);
}

TEST(Report, WhatWasStoppedIsAboutTheTimeUntilThen) {
  const Workload workload = parse_swf(
                                "; MaxProcs: 4\n1 0 -1 1000 3 -1 -1 3 2000 -1 1 1 1\n"
                                "2 0 -1 10 1 -1 -1 1 20 -1 1 1 1\n3 5000 -1 10 1 -1 -1 1 20\n",
                                "t")
                                .value();
  const auto policy = std::make_shared<const Policy>(machine_of(workload, SchedulerType::kEasy));
  SimulationOptions options;
  options.observe = true;
  options.until = instant_at(seconds(100));
  const Simulation simulation = simulate(policy, workload, options).value();
  Workload submitted = workload;
  submitted.items.resize(simulation.submitted);
  const SimulationReport report = make_report(submitted, simulation, policy);
  EXPECT_EQ(report.makespan, seconds(100));
  EXPECT_DOUBLE_EQ(report.utilisation, (3.0 * 100 + 10) / (4 * 100)) << "of what still runs, too";
  EXPECT_EQ(report.left, 1U);
  EXPECT_EQ(report.ran, 1U);
}

TEST(Report, MeansOverTimeKnowThatTheLastStepIsShorter) {
  Timeline timeline;
  timeline.step = seconds(60);
  timeline.last_step = seconds(30);
  EXPECT_DOUBLE_EQ(timeline.mean_of({2, 2, 0}), 2 * 120.0 / 150);
  EXPECT_DOUBLE_EQ(timeline.mean_of({3}), 3);
  EXPECT_DOUBLE_EQ(timeline.mean_of({}), 0);
}

TEST(Report, PercentilesAreByNearestRank) {
  std::string text = "; MaxProcs: 1\n";
  // One CPU, runs of ten seconds, all submitted at once: waits 0, 10, … 90.
  for (int i = 1; i <= 10; ++i) text += std::to_string(i) + " 0 -1 10 1 -1 -1 1 10\n";
  const Ran ran = run(text);
  const SimulationReport report = make_report(ran.workload, ran.simulation, 1);
  EXPECT_DOUBLE_EQ(report.wait.median, 40);
  EXPECT_DOUBLE_EQ(report.wait.p90, 80);
  EXPECT_DOUBLE_EQ(report.wait.p99, 90);
  EXPECT_EQ(report.longest_queue, 9U);
}

TEST(Simulation, EndsWhereALimitKeepsAJobForEver) {
  const Workload workload = parse_swf(kThree, "three").value();
  Policy policy = machine_of(workload, SchedulerType::kBackfill);
  policy.priority.type = PriorityType::kMultifactor;
  policy.partitions.front().max_time = seconds(100);
  policy.jobs.enforce_part_limits = EnforcePartLimits::kNo;
  const Simulation simulation = simulate(std::make_shared<const Policy>(policy), workload).value();
  EXPECT_FALSE(simulation.jobs[0].started());
  EXPECT_TRUE(simulation.jobs[1].ended());
  EXPECT_EQ(simulation.first_left, 0U);
  EXPECT_EQ(simulation.first_left_reason, "PartitionTimeLimit");
}

TEST(Report, JsonHasTheSchemaAndEveryUser) {
  const Ran ran = run(kThree);
  const std::string json = report_json(make_report(ran.workload, ran.simulation, 4));
  EXPECT_NE(json.find("\"schema\": \"sluice.sim/1\""), std::string::npos);
  EXPECT_NE(json.find("\"name\": \"u2\""), std::string::npos);
}

TEST(Comparison, CountsEqualStartsAndShowsTheOthers) {
  const Ran ran = run(kThree);
  const auto golden = [&](std::string_view wait) {
    return compare_with_swf(ran.workload, ran.simulation,
                            "1 0 0 100 4\n2 50 " + std::string(wait) + " 5 2\n3 50 -1 5 9\n", "g")
        .value();
  };
  EXPECT_TRUE(golden("50").same());
  const Comparison other = golden("51");
  EXPECT_EQ(other.compared, 3U);
  EXPECT_EQ(other.differing, 1U);
  ASSERT_EQ(other.first.size(), 1U);
  EXPECT_EQ(other.first[0].number, 2U);
  EXPECT_EQ(other.first[0].theirs, instant_at(seconds(101)));
  EXPECT_EQ(compare_with_swf(ran.workload, ran.simulation, "1 0 0 100 4\n", "g").value().only_ours,
            2U);
}

TEST(Recorder, TheJournalIsTheSameHoweverItIsTaken) {
  const Workload workload = parse_swf(kThree, "three").value();
  const auto policy = std::make_shared<const Policy>(machine_of(workload, SchedulerType::kEasy));
  std::string bytes;
  Recorder kept([&](std::string_view piece) -> Result<void> {
    bytes += piece;
    return {};
  });
  Recorder dropped;
  for (Recorder* recorder : {&kept, &dropped}) {
    SimulationOptions options;
    options.commit = [&](std::span<const Event> events) { return recorder->commit(events); };
    ASSERT_TRUE(simulate(policy, workload, options));
    ASSERT_TRUE(recorder->finish());
  }
  EXPECT_EQ(kept.digest(), dropped.digest());
  EXPECT_EQ(kept.bytes(), bytes.size());
  Digest digest;
  digest.add(bytes);
  EXPECT_EQ(digest.value(), kept.digest());
}

TEST(UserMapping, ByNameThenInTurn) {
  Workload workload = parse_swf(
                          "1 0 -1 1 1 -1 -1 1 9 -1 1 1 1\n2 0 -1 1 1 -1 -1 1 9 -1 1 2 1\n"
                          "3 0 -1 1 1 -1 -1 1 9 -1 1 3 1\n4 0 -1 1 1 -1 -1 1 9 -1 1 4 1\n",
                          "t")
                          .value();
  Policy policy;
  Association root;
  root.account = "root";
  policy.associations.push_back(root);
  for (const char* account : {"a", "g1"}) {
    Association assoc = root;
    assoc.account = account;
    assoc.parent = AssocId(0);
    policy.associations.push_back(assoc);
  }
  for (const char* user : {"root", "u2", "ann"}) {
    Association assoc = root;
    assoc.account = std::string(user) == "u2" ? "g1" : "a";
    assoc.user = user;
    assoc.parent = policy.find_account(assoc.account);
    policy.associations.push_back(assoc);
    User named;
    named.name = user;
    named.default_account = assoc.account;
    policy.users.push_back(named);
  }
  const UserMapping mapping = map_users(policy, workload);
  EXPECT_EQ(mapping.matched, 1U);
  EXPECT_EQ(mapping.dealt, 3U);
  std::vector<std::string> who;
  for (const WorkItem& item : workload.items) {
    const JobSpec spec = spec_of(workload, workload.request_of(item));
    who.push_back(spec.user + "@" + spec.account);
  }
  EXPECT_EQ(who, (std::vector<std::string>{"u2@g1", "u2@g1", "ann@a", "u2@g1"}))
      << "dealt to u2, ann and u2; root gets nobody's jobs";
}

}  // namespace
}  // namespace sluice
