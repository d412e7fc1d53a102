#include "host/cages/keeper_mark.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace sluice {
namespace {

// The mark of a process that has ended.
std::string mark_of_the_dead(const std::string& keeper) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string mark = mark_of_runs(keeper);
    ::_exit(::write(ends[1], mark.data(), mark.size()) > 0 ? 0 : 1);
  }
  ::close(ends[1]);
  char text[512];
  const ssize_t size = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

TEST(KeeperMark, OfALivingKeeperIsNotLeftBehind) {
  EXPECT_FALSE(is_left_by(mark_of_runs("/run/k.sock"), "/run/k.sock"));
}

TEST(KeeperMark, OfADeadKeeperOfTheSamePathIs) {
  const std::string mark = mark_of_the_dead("/run/k.sock");
  EXPECT_TRUE(is_left_by(mark, "/run/k.sock")) << mark;
  EXPECT_FALSE(is_left_by(mark, "/run/other.sock"));
}

TEST(KeeperMark, OfAKeeperBeforeThereWereMarksIs) {
  EXPECT_TRUE(is_left_by("/run/k.sock", "/run/k.sock"));
}

TEST(KeeperMark, OfAnotherProcessNamespaceSaysNothing) {
  EXPECT_EQ(marked_process("sluice-1234abcd.1.1.1"), MarkedProcess::kElsewhere);
  EXPECT_FALSE(is_left_by("/run/k.sock.1.1.1", "/run/k.sock"));
}

TEST(KeeperMark, NamesWithoutOneHaveNone) {
  for (const char* name : {"", "sluice-1234abcd", "a.b.c.d", "/k.sock.1", "...", "/k.sock.1..2"})
    EXPECT_EQ(marked_process(name), MarkedProcess::kNone) << name;
}

}  // namespace
}  // namespace sluice
