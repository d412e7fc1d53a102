#include "host/keeper/process_look.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <climits>
#include <csignal>

#include "host/keeper/processes.h"

namespace sluice {
namespace {

// As a process does that reads of one which hangs in the kernel: it waits where only its end helps.
[[gnu::noinline]] void hang() {
  if (::vfork() == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
}

const std::vector<pid_t> kSome{11, 12, 13, 14, 15};

TEST(ProcessLook, FindsThoseForWhichItHolds) {
  EXPECT_EQ(processes_where(
                kSome, [](pid_t pid) { return pid % 2 == 1; }, INT_MAX),
            (std::vector<pid_t>{11, 13, 15}));
  EXPECT_TRUE(processes_where(
                  {}, [](pid_t) { return true; }, INT_MAX)
                  .empty());
}

TEST(ProcessLook, GoesOnBehindAProcessThatKeepsItWaiting) {
  const auto holds = [](pid_t pid) {
    if (pid == 12 || pid == 14) hang();
    return true;
  };
  EXPECT_EQ(processes_where(kSome, holds, INT_MAX), (std::vector<pid_t>{11, 13, 15}));
  EXPECT_EQ(processes_where(kSome, holds, 2), (std::vector<pid_t>{11, 13}));
}

TEST(ProcessLook, TellsWhatIsSaidOfEachThatAnswers) {
  const auto say = [](pid_t pid) {
    if (pid == 13) hang();
    return pid == 14 ? std::string(100, 'x') : pid == 15 ? "" : std::to_string(pid);
  };
  const std::map<pid_t, std::string> said{
      {11, "11"}, {12, "12"}, {14, std::string(60, 'x')}, {15, ""}};
  EXPECT_EQ(said_of(kSome, say, INT_MAX), said);
  EXPECT_EQ(start_seen(::getpid()), start_ticks(::getpid()));
  EXPECT_EQ(start_seen(::getppid()), start_ticks(::getppid()));
}

TEST(ProcessLook, WaitsForOneThatIsOnlySlow) {
  const auto holds = [](pid_t pid) {
    if (pid == 13) ::usleep(700'000);
    return pid == 13;
  };
  EXPECT_EQ(processes_where(kSome, holds, INT_MAX), std::vector<pid_t>{13});
}

}  // namespace
}  // namespace sluice
