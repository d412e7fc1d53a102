// Jobs of several users under one keeper of root's. The users are numbers that nobody has, so that
// the machine's own lists stay as they are.
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/keyctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "host/keeper/keeper_for_tests.h"
#include "host/machine/identity.h"

namespace sluice {
namespace {

Identity user(std::uint32_t number) {
  return Identity{
      "u" + std::to_string(number), "g", number, number, {number, 61'000}, "/", "/bin/sh"};
}

// As a login makes one: a session of keys, with one that its owner alone should see.
bool add_key_to_session(const char* name) {
  static const std::string kValue = "secret";
  return ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) > 0 &&
         ::syscall(SYS_add_key, "user", name, kValue.data(), kValue.size(),
                   KEY_SPEC_SESSION_KEYRING) > 0;
}

class KeeperUsersTest : public testing::TestWithParam<CageChoice> {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can start jobs of other users";
    const std::string error = keeper_.start();
    if (!error.empty() && GetParam() != CageChoice::kPlain) GTEST_SKIP() << error;
    ASSERT_EQ(error, "");
    keeper_.connect();
  }
  // A job of that user, in a folder of the user's own.
  Assignment job(std::uint32_t number, std::uint32_t uid, const std::string& script) {
    Assignment assignment = keeper_.job(number, script);
    assignment.identity = user(uid);
    const std::string folder = keeper_.path("home" + std::to_string(uid));
    std::filesystem::create_directories(folder);
    EXPECT_EQ(::chown(folder.c_str(), uid, uid), 0);
    ::chmod(folder.c_str(), 0700);
    assignment.working_directory = folder;
    assignment.stdout_path = folder + "/" + std::to_string(number) + ".out";
    return assignment;
  }
  std::string run(const Assignment& assignment) {
    keeper_.launch(assignment);
    over_ = *keeper_.wait_over(assignment.run);
    return file_contents(assignment.stdout_path);
  }
  KeeperForTests keeper_{GetParam()};
  RunIsOver over_;
};

TEST_P(KeeperUsersTest, AJobIsItsUserWithAllGroupsAndNoWayBack) {
  const Assignment told =
      job(1, 60'001,
          "#!/bin/sh\nid -u; id -g; id -G; grep -E '^(Uid|Gid|CapEff)' /proc/self/status\n"
          "cat /etc/shadow > /dev/null 2>&1 || echo no secrets\n");
  EXPECT_EQ(run(told),
            "60001\n60001\n60001 61000\n"
            "Uid:\t60001\t60001\t60001\t60001\nGid:\t60001\t60001\t60001\t60001\n"
            "CapEff:\t0000000000000000\nno secrets\n");
}

TEST_P(KeeperUsersTest, OutputIsOpenedAsTheUser) {
  Assignment told = job(1, 60'001, "#!/bin/sh\necho mine\n");
  EXPECT_EQ(run(told), "mine\n");
  struct stat found {};
  ASSERT_EQ(::stat(told.stdout_path.c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, 60'001U);
  // A link of the user's to a file of root's must not be followed with root's rights.
  std::ofstream(keeper_.path("roots")) << "precious";
  ::chmod(keeper_.path("roots").c_str(), 0600);
  Assignment trap = job(2, 60'001, "#!/bin/sh\necho overwritten\n");
  ASSERT_EQ(::symlink(keeper_.path("roots").c_str(), trap.stdout_path.c_str()), 0);
  run(trap);
  EXPECT_EQ(over_.outcome.signal, 53);
  EXPECT_EQ(file_contents(keeper_.path("roots")), "precious");
}

TEST_P(KeeperUsersTest, ScriptsAreForTheirOwnersEyes) {
  Assignment first = job(1, 60'001,
                         "#!/bin/sh\n# secret of 60001\necho $0\n"
                         "while [ ! -e go ]; do sleep 0.02; done\n");
  keeper_.launch(first);
  std::string path;
  ASSERT_TRUE(becomes_true([&] {
    path = file_contents(first.stdout_path);
    return path.ends_with('\n');
  }));
  path.pop_back();
  Assignment second =
      job(2, 60'002, "#!/bin/sh\ncat \"$1\" 2>&1; ls \"$(dirname \"$1\")/..\" 2>&1\n");
  second.arguments = {path};
  const std::string seen = run(second);
  EXPECT_EQ(seen.find("secret"), std::string::npos) << seen;
  EXPECT_NE(seen.find("Permission denied"), std::string::npos) << seen;
  std::ofstream(first.working_directory + "/go") << "";
  keeper_.wait_over(first.run);
}

TEST_P(KeeperUsersTest, AJobSeesNoKeysOfTheSessionThatStartedTheDaemon) {
  const char* name = "sluice-test-key";
  if (!add_key_to_session(name) || file_contents("/proc/keys").find(name) == std::string::npos)
    GTEST_SKIP() << "there are no keys here";
  keeper_.stop();
  ASSERT_EQ(keeper_.start(), "");
  keeper_.connect();
  EXPECT_EQ(run(job(1, 60'001, "#!/bin/sh\ngrep -c sluice-test-key /proc/keys\n")), "0\n");
}

TEST_P(KeeperUsersTest, AProcessDoesNotPassForOneOfAnotherUsersRun) {
  Assignment forger = job(1, 60'001,
                          "#!/bin/sh\n"
                          "(SLUICE_RUN=2.1 setsid sh -c 'echo $$ > pid; exec sleep 600' &)\n"
                          "while [ ! -e go ]; do sleep 0.02; done\n");
  keeper_.launch(forger);
  const std::string pid_file = forger.working_directory + "/pid";
  ASSERT_TRUE(becomes_true([&] { return file_contents(pid_file).ends_with('\n'); }));
  const pid_t pid = std::stoi(file_contents(pid_file));
  // The keeper looks at the run that it came from, and must not keep what the mark says there.
  keeper_.send(SignalRun{forger.run, SIGCONT, false});
  run(job(2, 60'002, "#!/bin/sh\nexit 0\n"));
  EXPECT_EQ(over_.outcome.state, JobState::kCompleted);
  EXPECT_EQ(over_.why, "");
  EXPECT_TRUE(is_alive(pid)) << "it was ended with a run of another user";
  std::ofstream(forger.working_directory + "/go") << "";
  keeper_.wait_over(forger.run);
  ::kill(pid, SIGKILL);
}

TEST_P(KeeperUsersTest, UmaskAndLimitsAreTheSubmitters) {
  Assignment told = job(1, 60'001, "#!/bin/sh\numask; ulimit -S -n; ulimit -S -c\n");
  told.umask = 027;
  told.limits = {ResourceLimit{RLIMIT_NOFILE, 77}, ResourceLimit{RLIMIT_CORE, 0}};
  EXPECT_EQ(run(told), "0027\n77\n0\n");
  struct stat found {};
  ASSERT_EQ(::stat(told.stdout_path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0640U);
}

TEST_P(KeeperUsersTest, AnIdentityThatCannotBeTakenStopsTheJob) {
  // -1 means "as before" to the kernel: the job would run as root if nobody checked.
  Assignment told = job(1, 60'001, "#!/bin/sh\ntouch " + keeper_.path("ran") + "\n");
  told.identity.uid = 0xffffffff;
  keeper_.launch(told);
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kNodeFail);
  Assignment group = job(2, 60'001, told.script);
  group.identity.gid = 0xffffffff;
  keeper_.launch(group);
  EXPECT_EQ(keeper_.end_of(2).outcome.state, JobState::kNodeFail);
  EXPECT_FALSE(std::filesystem::exists(keeper_.path("ran")));
}

TEST_P(KeeperUsersTest, OthersCannotSpeakToTheKeeperOrLookIntoIt) {
  const std::string script = "#!/bin/sh\nkill -0 " + std::to_string(keeper_.pid()) +
                             " 2>/dev/null || echo no signal\n"
                             "cat /proc/" +
                             std::to_string(keeper_.pid()) +
                             "/environ >/dev/null 2>&1 || echo no look\n";
  EXPECT_EQ(run(job(1, 60'001, script)), "no signal\nno look\n");
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setresgid(60'001, 60'001, 60'001) != 0 ||
        ::setresuid(60'001, 60'001, 60'001) != 0) {
      ::_exit(2);
    }
    ::_exit(KeeperClient::connect(keeper_.socket()) ? 1 : 0);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_P(KeeperUsersTest, AUsersDaemonisedChildrenEndToo) {
  Assignment told = job(1, 60'001,
                        "#!/bin/sh\nsetsid sh -c 'echo $$ > daemon; exec sleep 600' &\n"
                        "while [ ! -s daemon ]; do sleep 0.01; done\n");
  run(told);
  pid_t daemon = 0;
  std::ifstream(told.working_directory + "/daemon") >> daemon;
  ASSERT_GT(daemon, 0);
  EXPECT_FALSE(is_alive(daemon));
}

INSTANTIATE_TEST_SUITE_P(Plain, KeeperUsersTest, testing::Values(CageChoice::kPlain));
INSTANTIATE_TEST_SUITE_P(CgroupV1, KeeperUsersTest, testing::Values(CageChoice::kCgroupV1));
INSTANTIATE_TEST_SUITE_P(CgroupV2, KeeperUsersTest, testing::Values(CageChoice::kCgroupV2));

TEST(Keeper, WithoutRootItRefusesOtherPeoplesJobs) {
  KeeperForTests keeper;
  if (::geteuid() == 0) GTEST_SKIP() << "root may start anybody's jobs";
  ASSERT_EQ(keeper.start(), "");
  keeper.connect();
  Assignment job = keeper.job(1, "#!/bin/sh\n");
  job.identity = user(::geteuid() + 1);
  keeper.launch(job);
  EXPECT_EQ(keeper.end_of(1).outcome.state, JobState::kNodeFail);
}

TEST(Identity, ComesFromTheSystemsLists) {
  const Identity root = identity_named("root").value();
  EXPECT_EQ(root.uid, 0U);
  EXPECT_EQ(root.home, "/root");
  EXPECT_NE(std::find(root.groups.begin(), root.groups.end(), 0U), root.groups.end());
  EXPECT_EQ(identity_of(0).value(), root);
  const auto nobody = identity_named("no-such-user-here");
  ASSERT_FALSE(nobody);
  EXPECT_NE(nobody.error().what.find("no-such-user-here"), std::string::npos);
}

}  // namespace
}  // namespace sluice
