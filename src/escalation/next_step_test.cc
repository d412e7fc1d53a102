// What follows from what was seen, and the jobs that carry it.
#include "escalation/next_step.h"

#include <gtest/gtest.h>

#include "text/array_spec.h"

namespace sluice {
namespace {

Ladder two_levels() {
  Ladder ladder;
  ladder.levels.push_back({{"day"}, MemoryRequest{MemoryPer::kNode, 1000}, minutes(1), ""});
  ladder.levels.push_back({{"week"}, MemoryRequest{MemoryPer::kNode, 2000}, minutes(2), ""});
  return ladder;
}

Chain started(const char* array) {
  JobSpec spec;
  spec.name = "x";
  Chain chain =
      make_chain("c7", Instant{}, spec, two_levels(), parse_array_spec(array).value(), {});
  record_in(chain, hand_in(chain, {}, Instant{}).value());
  for (Batch& batch : chain.batches) {
    record_in(chain, BatchAccepted{batch.number, {JobId(100 + batch.number), Instant{}}});
    record_in(chain, BatchReleased{batch.number});
  }
  return chain;
}

Sighting saw(const Chain& chain, std::uint32_t batch,
             std::vector<std::pair<std::uint32_t, JobState>> states) {
  Sighting out;
  out.ref = {*chain.batch(batch).job, std::nullopt};
  for (const auto& [index, state] : states) {
    SeenTask& task = out.tasks.emplace_back();
    task.task = index;
    task.state = state;
    if (state == JobState::kFailed) task.exit_code = 1;
  }
  return out;
}

using enum JobState;

TEST(NextStep, ResubmitsOnlyWhatFailedAndEachByItsCause) {
  const Chain chain = started("0-5");
  const Sighting seen = saw(chain, 1,
                            {{0, kCompleted},
                             {1, kOutOfMemory},
                             {2, kTimeout},
                             {3, kFailed},
                             {4, kNodeFail},
                             {5, kCompleted}});
  const Step step = next_step(chain, {&seen, 1}, {}, Instant{});
  ASSERT_EQ(step.intended.batches.size(), 3U);
  EXPECT_EQ(describe(step.intended.batches[0].request), "1000M and 00:01:00 in day");
  EXPECT_EQ(compress_indices(step.intended.batches[0].tasks), "4");
  EXPECT_EQ(describe(step.intended.batches[1].request), "1000M and 00:02:00 in week");
  EXPECT_EQ(compress_indices(step.intended.batches[1].tasks), "2");
  EXPECT_EQ(describe(step.intended.batches[2].request), "2000M and 00:01:00 in week");
  EXPECT_EQ(compress_indices(step.intended.batches[2].tasks), "1");
  EXPECT_FALSE(step.ended);
}

TEST(NextStep, SaysTheSameWhenAskedAgain) {
  Chain chain = started("0-9");
  const Sighting seen = saw(chain, 1, {{0, kCompleted}, {1, kTimeout}, {2, kRunning}});
  const Step first = next_step(chain, {&seen, 1}, {}, Instant{});
  record_in(chain, first.settling.settled);
  record_in(chain, first.settling.seen);
  record_in(chain, first.intended);
  const Step second = next_step(chain, {&seen, 1}, {}, Instant{});
  EXPECT_TRUE(second.settling.nothing());
  EXPECT_TRUE(second.intended.batches.empty());
}

TEST(NextStep, NotSeenIsNotFailed) {
  const Chain chain = started("0-2");
  Sighting nothing;
  nothing.ref = {*chain.batch(1).job, std::nullopt};
  EXPECT_TRUE(settle(chain, {&nothing, 1}).nothing());
  const Sighting pending = saw(chain, 1, {{1, kPending}, {2, kCompleting}});
  const Settling settling = settle(chain, {&pending, 1});
  EXPECT_TRUE(settling.settled.settlements.empty());
  EXPECT_EQ(settling.seen.running, std::vector<std::uint32_t>{2});
}

// Numbers are used again after a reset: another time of submission is another job.
TEST(NextStep, AnotherJobOfTheSameNumberIsNotOurs) {
  const Chain chain = started("0-2");
  Sighting other = saw(chain, 1, {{0, kFailed}});
  other.ref.job.submitted = Instant(seconds(5));
  EXPECT_TRUE(settle(chain, {&other, 1}).nothing());
}

TEST(NextStep, OnlyCodeErrorsEndTheChain) {
  const Chain chain = started("0-1");
  const Sighting seen = saw(chain, 1, {{0, kCompleted}, {1, kFailed}});
  const Step step = next_step(chain, {&seen, 1}, {}, Instant{});
  EXPECT_TRUE(step.ended);
  EXPECT_TRUE(step.intended.batches.empty());
}

TEST(NextStep, StderrIsReadOfFailedTasksAlone) {
  Chain chain = started("0-2");
  chain.ladder.handling.stderr_rules.push_back({"CUDA out of memory", Remedy::kMoreMemory});
  std::vector<std::uint32_t> asked;
  const Sighting seen = saw(chain, 1, {{0, kFailed}, {1, kTimeout}, {2, kFailed}});
  const Settling settling =
      settle(chain, {&seen, 1},
             [&](const Batch&, const TaskRun& run,
                 const std::vector<std::string>& /*patterns*/) -> std::optional<std::size_t> {
               asked.push_back(run.index);
               return run.index == 2 ? std::optional<std::size_t>(0) : std::nullopt;
             });
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(settling.settled.settlements[0].after.state, TaskState::kGivenUp);
  EXPECT_EQ(settling.settled.settlements[2].after.rung, (Rung{1, 0}));
}

TEST(NextStep, AnInterruptedTaskIsNotTriedForEver) {
  Ladder ladder = two_levels();
  ladder.most_again = 2;
  Task task;
  for (int i = 0; i < 2; ++i) {
    task = after_run(ladder, task, {}, {kNodeFail, 0, 0, std::nullopt}, ChainState::kActive);
    EXPECT_EQ(task.state, TaskState::kWaiting);
  }
  task = after_run(ladder, task, {}, {kNodeFail, 0, 0, std::nullopt}, ChainState::kActive);
  EXPECT_EQ(task.given_up, GivenUp::kTooOften);
}

TEST(NextStep, ATaskThatMadeProgressGoesOnAtItsLevel) {
  Ladder ladder = two_levels();
  ladder.checkpoint = Checkpoint{};
  ladder.checkpoint->most = 2;
  const auto after = [&](const Task& task, JobState state, int exit_code,
                         std::optional<std::size_t> rule) {
    return after_run(ladder, task, {}, {state, exit_code, 0, rule}, ChainState::kActive);
  };
  const Task first = after({}, kTimeout, 0, 0);
  EXPECT_EQ(first.state, TaskState::kWaiting);
  EXPECT_EQ(first.rung, Rung{});
  EXPECT_EQ(first.continued, 1);
  EXPECT_EQ(first.again, 0);
  // By its own exit code, too; and no more often than is said.
  const Task second = after(first, kFailed, 85, std::nullopt);
  EXPECT_EQ(second.continued, 2);
  EXPECT_EQ(after(second, kFailed, 85, std::nullopt).given_up, GivenUp::kTooOften);
  // Without progress it climbs.
  const Task slow = after({}, kTimeout, 0, std::nullopt);
  EXPECT_EQ(slow.rung, (Rung{0, 1}));
  EXPECT_EQ(slow.continued, 0);
}

TEST(NextStep, ProgressIsLookedForInWhatATaskOutOfTimeWrote) {
  Chain chain = started("0-1");
  chain.ladder.checkpoint = Checkpoint{};
  const Sighting seen = saw(chain, 1, {{0, kTimeout}, {1, kFailed}});
  std::vector<std::string> looked_for;
  const Settling settling =
      settle(chain, {&seen, 1},
             [&](const Batch&, const TaskRun&,
                 const std::vector<std::string>& patterns) -> std::optional<std::size_t> {
               looked_for.insert(looked_for.end(), patterns.begin(), patterns.end());
               return 0;
             });
  EXPECT_EQ(looked_for, std::vector<std::string>{"sluice: progress"});
  EXPECT_EQ(settling.settled.settlements[0].after.continued, 1);
  EXPECT_EQ(settling.settled.settlements[1].after.given_up, GivenUp::kNotRetried);
  const JobSpec job = batch_job(chain, chain.batch(1));
  EXPECT_EQ(job.launch.signal, chain.ladder.checkpoint->signal);
}

std::uint32_t throttles(const std::vector<Batch>& batches) {
  std::uint32_t sum = 0;
  for (const Batch& batch : batches) sum += batch.throttle.value_or(1000);
  return sum;
}

TEST(NextStep, RetriesWaitWhileTheArrayBeforeThemHoldsTheThrottle) {
  const Chain chain = started("0-19%3");
  std::vector<std::pair<std::uint32_t, JobState>> ended = {{0, kOutOfMemory}, {1, kOutOfMemory}};
  Sighting seen = saw(chain, 1, ended);
  EXPECT_TRUE(next_step(chain, {&seen, 1}, {}, Instant{}).intended.batches.empty())
      << "the array goes on with three others";
  for (std::uint32_t task = 2; task < 18; ++task) ended.emplace_back(task, kCompleted);
  seen = saw(chain, 1, ended);
  const Step step = next_step(chain, {&seen, 1}, {}, Instant{});
  ASSERT_EQ(step.intended.batches.size(), 1U);
  EXPECT_EQ(throttles(step.intended.batches), 1U) << "two still run";
}

TEST(NextStep, ArraysOverPoolsTogetherKeepToTheThrottle) {
  JobSpec spec;
  Chain chain =
      make_chain("c7", Instant{}, spec, two_levels(), parse_array_spec("0-9%3").value(), {});
  const Spread over_five = [](const Chain&, const IndexSet& tasks,
                              const Request&) -> Result<std::vector<Share>> {
    std::vector<Share> shares(5);
    std::size_t next = 0;
    for (const std::uint32_t task : tasks.to_vector()) shares[next++ % 5].tasks.insert(task);
    return shares;
  };
  const BatchesIntended intended = hand_in(chain, {}, Instant{}, over_five).value();
  EXPECT_EQ(intended.batches.size(), 3U);
  EXPECT_EQ(throttles(intended.batches), 3U);
  for (std::size_t i = 0; i < intended.batches.size(); ++i)
    EXPECT_EQ(intended.batches[i].number, i + 1);
}

TEST(BatchJob, TheTaskSeesItsOwnIndexBeyondMaxArraySize) {
  JobSpec spec;
  spec.launch.script = "#!/bin/bash\necho hi\n";
  spec.launch.stdout_path = "out/%x-%04a.txt";
  spec.launch.stderr_path = "100%%a-%a";
  Chain chain = make_chain("c7", Instant{}, spec, two_levels(),
                           parse_array_spec("5,1005-1009%3").value(), {});
  chain.script_path = "/home/ann's/script";
  const BatchesIntended intended = hand_in(chain, {1000, 4096, std::nullopt}, Instant{}).value();
  ASSERT_EQ(intended.batches.size(), 2U);
  const JobSpec first = batch_job(chain, intended.batches[0]);
  EXPECT_EQ(first.launch.script, spec.launch.script);
  EXPECT_EQ(format_array_spec(*first.array), "5%1");
  const JobSpec second = batch_job(chain, intended.batches[1]);
  EXPECT_EQ(format_array_spec(*second.array), "5-9%2");
  EXPECT_NE(second.launch.script.find("SLURM_ARRAY_TASK_ID + 1000"), std::string::npos);
  EXPECT_NE(second.launch.script.find("exec '/home/ann'\\''s/script' \"$@\""), std::string::npos);
  EXPECT_EQ(second.launch.stdout_path, "out/%x-%04a+1000.txt");
  EXPECT_EQ(second.launch.stderr_path, "100%%a-%a+1000");
  EXPECT_EQ(second.requeue, false);
}

}  // namespace
}  // namespace sluice
