// State first, exit code second.
#include "escalation/remedy.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::optional<Remedy> remedy(JobState state, int exit_code, int signal,
                             const Handling& handling = {}) {
  return remedy_for(handling, {state, exit_code, signal, std::nullopt});
}

TEST(Remedy, FollowsTheDefaults) {
  EXPECT_EQ(remedy(JobState::kCompleted, 0, 0), std::nullopt);
  EXPECT_EQ(remedy(JobState::kTimeout, 0, 0), Remedy::kMoreTime);
  EXPECT_EQ(remedy(JobState::kTimeout, 0, 15), Remedy::kMoreTime);
  EXPECT_EQ(remedy(JobState::kDeadline, 0, 0), Remedy::kMoreTime);
  for (const JobState state : {JobState::kPreempted, JobState::kNodeFail, JobState::kBootFail})
    EXPECT_EQ(remedy(state, 0, 0), Remedy::kAgain);
  EXPECT_EQ(remedy(JobState::kFailed, 1, 0), Remedy::kGiveUp);
  EXPECT_EQ(remedy(JobState::kFailed, 2, 0), Remedy::kGiveUp);
  EXPECT_EQ(remedy(JobState::kCancelled, 0, 15), Remedy::kGiveUp);
}

TEST(Remedy, OutOfMemoryIsThatWhateverTheScriptExitedWith) {
  EXPECT_EQ(remedy(JobState::kOutOfMemory, 0, 0), Remedy::kMoreMemory);
  EXPECT_EQ(remedy(JobState::kOutOfMemory, 0, 125), Remedy::kMoreMemory);
  EXPECT_EQ(remedy(JobState::kOutOfMemory, 1, 0), Remedy::kMoreMemory);
  Handling handling;
  handling.exit_codes[1] = Remedy::kGiveUp;
  handling.exit_codes[0] = Remedy::kGiveUp;
  EXPECT_EQ(remedy(JobState::kOutOfMemory, 1, 0, handling), Remedy::kMoreMemory);
}

TEST(Remedy, AKilledTaskIsMostlyOutOfMemory) {
  EXPECT_EQ(remedy(JobState::kFailed, 0, 9), Remedy::kMoreMemory);
  EXPECT_EQ(remedy(JobState::kFailed, 137, 0), Remedy::kMoreMemory);
  EXPECT_EQ(remedy(JobState::kFailed, 0, 11), Remedy::kGiveUp);
}

TEST(Remedy, ExitCodesAndSignalsTellFailuresApart) {
  Handling handling;
  handling.exit_codes[42] = Remedy::kMoreTime;
  handling.signals[11] = Remedy::kAgain;
  handling.states[JobState::kFailed] = Remedy::kMoreOfBoth;
  EXPECT_EQ(remedy(JobState::kFailed, 42, 0, handling), Remedy::kMoreTime);
  EXPECT_EQ(remedy(JobState::kFailed, 0, 11, handling), Remedy::kAgain);
  EXPECT_EQ(remedy(JobState::kFailed, 7, 0, handling), Remedy::kMoreOfBoth);
  EXPECT_EQ(remedy(JobState::kTimeout, 42, 0, handling), Remedy::kMoreTime);
  EXPECT_EQ(remedy(JobState::kCancelled, 42, 0, handling), Remedy::kGiveUp);
}

TEST(Remedy, WhatStandsInStderrComesBeforeTheExitCode) {
  Handling handling;
  handling.stderr_rules.push_back({"CUDA out of memory", Remedy::kMoreMemory});
  const Ending cuda{JobState::kFailed, 1, 0, 0};
  EXPECT_EQ(stderr_patterns(handling, cuda), std::vector<std::string>{"CUDA out of memory"});
  EXPECT_EQ(remedy_for(handling, cuda), Remedy::kMoreMemory);
  EXPECT_EQ(remedy_for(handling, {JobState::kFailed, 1, 0, std::nullopt}), Remedy::kGiveUp);
  EXPECT_TRUE(stderr_patterns(handling, {JobState::kTimeout, 0, 0, std::nullopt}).empty());
}

TEST(Remedy, ATaskWhoseGpuRanOutOfMemoryWantsAnother) {
  Handling handling;
  handling.stderr_rules.push_back({"my own words", Remedy::kAgain});
  Ending ending{JobState::kFailed, 1, 0, std::nullopt, true};
  const auto patterns = stderr_patterns(handling, ending);
  ASSERT_EQ(patterns.size(), 2U);
  EXPECT_EQ(patterns[1], gpu_memory_pattern());
  ending.stderr_rule = 1;
  EXPECT_EQ(remedy_for(handling, ending), Remedy::kOtherGpu);
  ending.stderr_rule = 0;
  EXPECT_EQ(remedy_for(handling, ending), Remedy::kAgain);
  // Where it changes nothing nobody looks for it: not without GPUs, nor where it is switched off.
  ending.on_gpu = false;
  EXPECT_EQ(stderr_patterns(handling, ending).size(), 1U);
  ending.on_gpu = true;
  handling.gpu_memory = Remedy::kGiveUp;
  EXPECT_EQ(stderr_patterns(handling, ending).size(), 1U);
}

}  // namespace
}  // namespace sluice
