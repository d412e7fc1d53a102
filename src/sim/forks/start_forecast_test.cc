// When a job starts, looked at event by event and in steps.
#include "sim/forks/start_forecast.h"

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "policyfile/read/policy_reader.h"
#include "sim/forks/finish_forecast.h"
#include "sim/workloads/splitmix.h"

namespace sluice {
namespace {

// A machine that is full, and jobs of four users that wait for it one by one.
class Waiting {
 public:
  explicit Waiting(int jobs, const std::string& more = {}) {
    auto policy = read_policy(
        "nodes: [{name: \"n[1-4]\", cpus: 32, memory: 64G}]\n"
        "accounts: {a: {users: [u0, u1, u2, u3]}, b: {users: [u3], GrpTRES: {cpu: 8}}}\n"
        "jobs: {memory_is_consumable: no, max_job_count: 100000}\n" +
            more,
        "policy.yaml");
    EXPECT_TRUE(policy) << policy.error().text();
    tell(AdoptPolicy{std::make_shared<const Policy>(*policy)});
    Draws draws(1, 1);
    for (int i = 0; i < jobs; ++i) {
      JobSpec spec;
      spec.user = "u" + std::to_string(i % 4);
      spec.name = "job" + std::to_string(i % 16);
      spec.account = "a";
      spec.tasks = 1;
      spec.cpus_per_task = 1 << draws.below(6);
      spec.time_limit = minutes(30 + 30 * static_cast<std::int64_t>(draws.below(8)));
      last = submit(spec);
      for (int k = 0; k < 3; ++k)
        past.push_back({spec.user, spec.name, *spec.time_limit,
                        minutes(1 + static_cast<std::int64_t>(draws.below(60)))});
    }
    now += minutes(1);
    tell(Tick{});
  }
  JobId submit(const JobSpec& spec) {
    tell(SubmitJob{spec, 1});
    const auto* taken = std::get_if<Submitted>(&turn_.replies.front());
    EXPECT_NE(taken, nullptr);
    return taken == nullptr ? JobId{} : taken->job;
  }
  StartForecast ask(JobId job, const ForecastBounds& bounds, bool with_a_past) {
    const LearntRunTimes learnt(with_a_past ? std::span<const RanBefore>(past)
                                            : std::span<const RanBefore>());
    return forecast_start(engine_.state().snapshot(), now,
                          {JobRef{job, std::nullopt}, std::nullopt}, learnt, bounds);
  }

  FinishCard finish(const FinishBounds& bounds) {
    FinishQuestion question;
    question.tasks = 20;
    question.array = true;
    for (const char* account : {"a", "b"}) {
      FinishPool pool;
      pool.request.user = "u3";
      pool.request.account = account;
      pool.request.tasks = 1;
      pool.request.cpus_per_task = 8;
      pool.request.time_limit = pool.run = minutes(60);
      pool.most = question.tasks;
      question.pools.push_back(std::move(pool));
    }
    return choose_by_finish(engine_.state().snapshot(), now, question, LearntRunTimes(past),
                            bounds);
  }

  JobId last{};
  std::vector<RanBefore> past;
  Instant now = instant_at(seconds(1'000'000));

 private:
  void tell(const Input& input) { engine_.handle(input, now, turn_); }

  Engine engine_{Engine::Explain::kNo};
  Turn turn_;
};

ForecastBounds exactly() {
  ForecastBounds out;
  out.work = out.exact_work = out.exact_answer_work = std::uint64_t{1} << 40;
  return out;
}
ForecastBounds in_steps() {
  ForecastBounds out;
  out.exact_work = out.exact_answer_work = 1000;
  return out;
}

double hours_until(Instant at, Instant now) {
  return static_cast<double>((at - now).count()) / 3.6e6;
}

TEST(StartForecast, InStepsSaysWhatEventByEventSays) {
  Waiting waiting(600);
  for (const bool with_a_past : {false, true}) {
    const StartForecast exact = waiting.ask(waiting.last, exactly(), with_a_past);
    const StartForecast steps = waiting.ask(waiting.last, in_steps(), with_a_past);
    ASSERT_TRUE(exact.start && steps.start);
    EXPECT_EQ(exact.grain, Duration(0));
    EXPECT_GT(steps.grain, Duration(0));
    EXPECT_GE(steps.runs, with_a_past ? 3 : 1);
    const double hours = hours_until(exact.start->likely, waiting.now);
    EXPECT_GT(hours, 5);
    EXPECT_NEAR(hours_until(steps.start->likely, waiting.now), hours, hours * 0.05);
    const double by_limits = hours_until(*exact.by_limits, waiting.now);
    EXPECT_NEAR(hours_until(*steps.by_limits, waiting.now), by_limits, by_limits * 0.05);
  }
}

// What may happen only where a run did not end at its limit happens in steps as well.
TEST(StartForecast, InStepsNoRunThatEndsInTimeEndsAtItsLimit) {
  Waiting waiting(300);
  JobSpec after;
  after.user = "u0";
  after.account = "a";
  after.time_limit = minutes(10);
  after.dependencies.terms = {{DependencyType::kAfterOk, waiting.last, {}, Duration(0)}};
  const JobId job = waiting.submit(after);
  const StartForecast steps = waiting.ask(job, in_steps(), true);
  EXPECT_TRUE(steps.start);
  EXPECT_FALSE(steps.never);
}

TEST(FinishForecast, InStepsEndsWhenEventByEventEnds) {
  Waiting waiting(400);
  FinishBounds exactly;
  exactly.exact_work = std::uint64_t{1} << 40;
  FinishBounds in_steps;
  in_steps.exact_work = 1000;
  const FinishCard exact = waiting.finish(exactly);
  const FinishCard steps = waiting.finish(in_steps);
  ASSERT_TRUE(exact.done && steps.done);
  const double hours = hours_until(*exact.done, waiting.now);
  EXPECT_GT(hours, 1);
  EXPECT_NEAR(hours_until(*steps.done, waiting.now), hours, hours * 0.1);
}

TEST(StartForecast, TheSameQuestionHasTheSameAnswer) {
  Waiting waiting(300);
  const StartForecast one = waiting.ask(waiting.last, in_steps(), true);
  const StartForecast two = waiting.ask(waiting.last, in_steps(), true);
  ASSERT_TRUE(one.start && two.start);
  EXPECT_EQ(one.start->likely, two.start->likely);
  EXPECT_EQ(one.work, two.work);
  EXPECT_EQ(one.sooner.size(), two.sooner.size());
}

TEST(StartForecast, WhatHelpsIsFoundInStepsToo) {
  Waiting waiting(600);
  JobSpec spec;
  spec.user = "u3";
  spec.account = "b";  // Eight CPUs, of which one job takes all for days.
  spec.cpus_per_task = 8;
  spec.tasks = 1;
  spec.time_limit = minutes(std::int64_t{5} * 24 * 60);
  waiting.submit(spec);
  const JobId job = waiting.submit(spec);
  const StartForecast steps = waiting.ask(job, in_steps(), false);
  ASSERT_TRUE(steps.start);
  ASSERT_FALSE(steps.sooner.empty());
  EXPECT_EQ(steps.sooner.front().change.account, "a");
}

TEST(StartForecast, BehindAJobWithoutALimitNoStartIsNamed) {
  Waiting waiting(0);
  JobSpec endless;
  endless.user = "u0";
  endless.account = "a";
  endless.tasks = 1;
  endless.cpus_per_task = 32;
  endless.min_nodes = 1;
  endless.time_limit = minutes(60);
  for (int i = 0; i < 3; ++i) waiting.submit(endless);
  endless.time_limit.reset();
  endless.no_time_limit = true;
  const JobId holds = waiting.submit(endless);
  // It needs all four nodes; the next one only waits for the others.
  JobSpec wide = endless;
  wide.no_time_limit = false;
  wide.time_limit = minutes(10);
  JobSpec narrow = wide;
  wide.tasks = wide.min_nodes = 4;
  const JobId behind = waiting.submit(wide);
  narrow.user = "u3";
  for (int i = 0; i < 2; ++i) waiting.submit(narrow);
  // What all others took of their limits says nothing about one without.
  for (int i = 0; i < 30; ++i)
    waiting.past.push_back({"u" + std::to_string(i % 4), "other", minutes(100), minutes(10)});
  for (const bool with_a_past : {false, true}) {
    const StartForecast found = waiting.ask(behind, ForecastBounds{}, with_a_past);
    EXPECT_FALSE(found.start);
    EXPECT_EQ(found.after_endless, holds);
    EXPECT_TRUE(found.by_limits);
    for (const Sooner& each : found.sooner) EXPECT_TRUE(each.change.tasks) << each.what;
  }
  narrow.time_limit = minutes(5);
  const StartForecast other = waiting.ask(waiting.submit(narrow), ForecastBounds{}, false);
  EXPECT_TRUE(other.start);
  EXPECT_FALSE(other.after_endless);
}

}  // namespace
}  // namespace sluice
