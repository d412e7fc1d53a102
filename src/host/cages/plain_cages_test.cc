// Runs without cgroups, beside processes that have ended and were not waited for.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "host/cages/cage.h"

namespace sluice {
namespace {

// A child that has ended; the kernel keeps its entry until it is waited for.
pid_t ended_child() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  return child;
}

TEST(PlainCages, WhatHasEndedAndWaitsToBeReapedLeavesARunEmpty) {
  const auto cages = make_plain_cages("test");
  Assignment assignment;
  assignment.run = RunKey{JobId(1), 1};
  auto cage = cages->take(assignment);
  ASSERT_TRUE(cage);
  std::vector<pid_t> ended;
  for (int i = 0; i < 5; ++i) ended.push_back(ended_child());
  EXPECT_TRUE((*cage)->empty());
  ended.push_back(ended_child());
  EXPECT_TRUE((*cage)->empty()) << "one more since";
  for (const pid_t child : ended) ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace sluice
