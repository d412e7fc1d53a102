// When a job starts, seen from a state in the middle of things.
#include "sim/start_forecast.h"

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "policyfile/policy_reader.h"

namespace sluice {
namespace {

const std::string kPolicy =
    "nodes: [{name: n1, cpus: 4, memory: 8G}]\n"
    "jobs: {def_mem_per_cpu: 100M}\n"
    "accounts:\n"
    "  a: {users: [ann, bob], GrpTRES: {cpu: 3}}\n"
    "  b: {users: [bob]}\n";

class Cluster {
 public:
  Cluster() {
    auto policy = read_policy(kPolicy, "policy.yaml");
    EXPECT_TRUE(policy) << policy.error().text();
    give(AdoptPolicy{std::make_shared<const Policy>(policy ? *policy : Policy{})});
  }
  JobId submit(const JobSpec& spec) {
    const Reply reply = give(SubmitJob{spec, 1});
    EXPECT_TRUE(std::holds_alternative<Submitted>(reply));
    return std::get<Submitted>(reply).job;
  }
  Reply give(const Input& input) {
    Turn turn;
    engine_.handle(input, now_, turn);
    return turn.replies.front();
  }
  void pass(Duration time) {
    now_ += time;
    give(Tick{});
  }
  Instant now() const { return now_; }
  StartForecast ask(JobId job, std::span<const RanBefore> past = {},
                    std::optional<std::uint32_t> task = {}) const {
    return forecast_start(engine_.state().snapshot(), now_, {JobRef{job, task}, {}},
                          LearntRunTimes(past));
  }
  StartForecast ask(const JobSpec& request, std::span<const RanBefore> past = {}) const {
    return forecast_start(engine_.state().snapshot(), now_, {{}, request}, LearntRunTimes(past));
  }

 private:
  Engine engine_;
  Instant now_ = instant_at(seconds(1'000'000));
};

JobSpec job(const std::string& user, const std::string& account, std::int32_t cpus,
            const std::string& name = "j") {
  JobSpec out;
  out.name = name;
  out.user = user;
  out.account = account;
  out.cpus_per_task = cpus;
  out.time_limit = minutes(60);
  return out;
}

TEST(StartForecast, IsTheEndOfWhatRunsByItsLimitWhereNothingIsKnown) {
  Cluster cluster;
  cluster.submit(job("ann", "a", 3));
  const Instant began = cluster.now();
  const JobId waits = cluster.submit(job("bob", "b", 2));
  cluster.pass(minutes(10));
  const StartForecast forecast = cluster.ask(waits);
  ASSERT_TRUE(forecast.start);
  EXPECT_EQ(forecast.start->likely, began + minutes(60));
  EXPECT_EQ(forecast.by_limits, began + minutes(60));
  EXPECT_EQ(forecast.end, began + minutes(120));
  EXPECT_EQ(forecast.runs, 1u);
}

TEST(StartForecast, LearnsFromEarlierRunsOfTheSameName) {
  Cluster cluster;
  cluster.submit(job("ann", "a", 3, "train"));
  const Instant began = cluster.now();
  const JobId waits = cluster.submit(job("bob", "b", 2));
  cluster.pass(minutes(22));
  const std::vector<RanBefore> past = {{"ann", "train", minutes(60), minutes(20)},
                                       {"ann", "train", minutes(60), minutes(25)},
                                       {"ann", "train", minutes(60), minutes(30)},
                                       {"bob", "other", minutes(60), minutes(60)}};
  const StartForecast forecast = cluster.ask(waits, past);
  ASSERT_TRUE(forecast.start);
  // It has run longer than the shortest of them.
  EXPECT_EQ(forecast.start->early, began + minutes(25));
  EXPECT_EQ(forecast.start->late, began + minutes(30));
  EXPECT_EQ(forecast.by_limits, began + minutes(60));
  EXPECT_GT(forecast.runs, 10u);
  // The same question has the same answer.
  EXPECT_EQ(cluster.ask(waits, past).start->likely, forecast.start->likely);
}

TEST(StartForecast, SaysWhichAccountWouldStartItSooner) {
  Cluster cluster;
  cluster.submit(job("ann", "a", 2));
  const JobId waits = cluster.submit(job("bob", "a", 2));
  cluster.pass(minutes(1));
  const StartForecast forecast = cluster.ask(waits);
  ASSERT_TRUE(forecast.start);
  ASSERT_FALSE(forecast.sooner.empty());
  EXPECT_EQ(forecast.sooner.front().change.account, "b");
  EXPECT_EQ(forecast.sooner.front().start.likely, cluster.now());
}

TEST(StartForecast, ASmallerRequestIsTriedToo) {
  Cluster cluster;
  cluster.submit(job("bob", "b", 3));
  const JobId waits = cluster.submit(job("bob", "b", 2));
  const StartForecast forecast = cluster.ask(waits);
  bool half = false;
  for (const Sooner& each : forecast.sooner) half |= each.change.cpus_per_task == 1;
  EXPECT_TRUE(half);
}

TEST(StartForecast, ARequestIsTriedBeforeItIsSubmitted) {
  Cluster cluster;
  cluster.submit(job("bob", "b", 4));
  const Instant began = cluster.now();
  const StartForecast later = cluster.ask(job("ann", "a", 1));
  ASSERT_TRUE(later.start);
  EXPECT_EQ(later.start->likely, began + minutes(60));
  const StartForecast refused = cluster.ask(job("ann", "a", 5));
  EXPECT_TRUE(refused.refusal);
}

TEST(StartForecast, AHeldJobDoesNotStart) {
  Cluster cluster;
  JobSpec held = job("bob", "b", 1);
  held.hold = true;
  const JobId waits = cluster.submit(held);
  const StartForecast forecast = cluster.ask(waits);
  EXPECT_FALSE(forecast.start);
  EXPECT_TRUE(forecast.never);
}

TEST(StartForecast, OfAnArrayTheFirstAndTheLastTask) {
  Cluster cluster;
  cluster.submit(job("bob", "b", 4));
  const Instant began = cluster.now();
  JobSpec many = job("bob", "b", 4);
  many.array = ArraySpec{};
  for (const std::uint32_t i : {0U, 1U, 2U}) many.array->indices.insert(i);
  const JobId array = cluster.submit(many);
  const StartForecast all = cluster.ask(array);
  ASSERT_TRUE(all.start && all.last_start);
  EXPECT_EQ(all.tasks, 3u);
  EXPECT_EQ(all.start->likely, began + minutes(60));
  EXPECT_EQ(*all.last_start, began + minutes(180));
  const StartForecast second = cluster.ask(array, {}, 1);
  ASSERT_TRUE(second.start);
  EXPECT_EQ(second.start->likely, began + minutes(120));
}

TEST(StartForecast, WhatRunsSaysSinceWhen) {
  Cluster cluster;
  const JobId runs = cluster.submit(job("bob", "b", 4));
  EXPECT_EQ(cluster.ask(runs).running, cluster.now());
  EXPECT_TRUE(cluster.ask(JobId(77)).ended);
}

}  // namespace
}  // namespace sluice
