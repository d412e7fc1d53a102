// What the kernel enforces on a run, seen from inside it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "host/cages/cage.h"
#include "host/cages/cgroup_files.h"
#include "host/keeper/keeper_for_tests.h"
#include "host/machine/cpu_pool.h"

namespace sluice {
namespace {

class CgroupCagesTest : public testing::TestWithParam<CageChoice> {
 protected:
  void SetUp() override {
    const std::string error = keeper_.start();
    if (!error.empty()) GTEST_SKIP() << error;
    keeper_.connect();
  }
  // Whether any folder of this keeper is left in the cgroup file systems.
  bool anything_left() {
    const CgroupMounts mounts = cgroup_mounts();
    std::vector<std::string> places{mounts.v2, mounts.v2_own};
    for (const auto& [controller, folder] : mounts.v1) places.push_back(folder);
    for (const std::string& place : places) {
      std::error_code ignored;
      if (place.empty()) continue;
      for (const auto& entry : std::filesystem::directory_iterator(place, ignored))
        if (entry.path().filename().string().starts_with(cgroup_name(keeper_.socket())))
          return true;
    }
    return false;
  }
  KeeperForTests keeper_{GetParam()};
};

TEST_P(CgroupCagesTest, SaysWhatItEnforces) {
  const Enforcement told = keeper_.client().hello().enforces;
  EXPECT_TRUE(told.memory.starts_with("cgroup v")) << told.memory;
  EXPECT_TRUE(told.pause.starts_with("cgroup v")) << told.pause;
}

TEST_P(CgroupCagesTest, BindsARunToCpusOfItsOwn) {
  if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "there is one CPU only";
  if (keeper_.client().hello().enforces.cpus.empty()) GTEST_SKIP() << "CPUs cannot be bound here";
  const std::string script =
      "#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status\n"
      "touch up.$1; while [ ! -e go ]; do sleep 0.02; done\n";
  for (std::uint32_t i = 1; i <= 2; ++i) {
    Assignment job = keeper_.job(i, script);
    job.arguments = {std::to_string(i)};
    job.cpus = 1;
    job.own_cpus = true;
    keeper_.launch(job);
  }
  ASSERT_TRUE(becomes_true([&] {
    return std::filesystem::exists(keeper_.path("up.1")) &&
           std::filesystem::exists(keeper_.path("up.2"));
  }));
  std::ofstream(keeper_.path("go")) << "";
  keeper_.end_of(1);
  keeper_.end_of(2);
  const std::string first = keeper_.output_of(1).substr(keeper_.output_of(1).find('\t'));
  const std::string second = keeper_.output_of(2).substr(keeper_.output_of(2).find('\t'));
  EXPECT_NE(first, second);
  EXPECT_EQ(first.find_first_of(",-"), std::string::npos) << first;
}

TEST_P(CgroupCagesTest, ADeviceThatIsNotItsOwnCannotBeOpened) {
  if (keeper_.client().hello().enforces.devices.empty()) {
    GTEST_SKIP() << "devices cannot be kept from a run here";
  }
  // Two devices that nothing else in the test needs.
  ASSERT_EQ(::mknod(keeper_.path("mine").c_str(), S_IFCHR | 0666, makedev(1, 7)), 0);
  ASSERT_EQ(::mknod(keeper_.path("other").c_str(), S_IFCHR | 0666, makedev(1, 11)), 0);
  Assignment job =
      keeper_.job(1, "#!/bin/sh\ntrue < mine && echo mine\ntrue < other || echo not the other\n");
  job.devices = {keeper_.path("mine")};
  job.other_devices = {keeper_.path("other")};
  keeper_.launch(job);
  keeper_.end_of(1);
  EXPECT_NE(keeper_.output_of(1).find("mine\n"), std::string::npos) << keeper_.output_of(1);
  EXPECT_NE(keeper_.output_of(1).find("not the other\n"), std::string::npos);
  // The next run in the same cage may.
  Assignment next = keeper_.job(2, "#!/bin/sh\ntrue < other && echo the other\n");
  next.devices = {keeper_.path("other")};
  next.other_devices = {keeper_.path("mine")};
  keeper_.launch(next);
  keeper_.end_of(2);
  EXPECT_EQ(keeper_.output_of(2), "the other\n");
}

TEST_P(CgroupCagesTest, WhatARunLeavesInSharedMemoryDoesNotCountAgainstTheNext) {
  const std::string left =
      "/dev/shm/" + std::filesystem::path(keeper_.path("")).parent_path().filename().string();
  Assignment first = keeper_.job(1, "#!/bin/sh\nhead -c 40000000 /dev/zero > " + left + "\n");
  first.memory_mb = 64;
  keeper_.launch(first);
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
  Assignment second =
      keeper_.job(2, "#!/bin/sh\nhead -c 40000000 /dev/zero | tail -c 39000000 | wc -c\n");
  second.memory_mb = 128;
  keeper_.launch(second);
  EXPECT_EQ(keeper_.end_of(2).outcome.state, JobState::kCompleted) << keeper_.end_of(2).why;
  EXPECT_EQ(keeper_.output_of(2), "39000000\n");
  std::filesystem::remove(left);
}

TEST_P(CgroupCagesTest, OutOfMemoryOfOneRunIsNotToldOfTheNext) {
  const std::string hungry =
      "#!/bin/sh\nhead -c 400000000 /dev/zero | tail -c 390000000 > /dev/null\nexit 0\n";
  for (std::uint32_t i = 1; i <= 4; ++i) {
    Assignment job = keeper_.job(i, i % 2 == 1 ? hungry : "#!/bin/sh\nexit 0\n");
    job.memory_mb = 64;
    keeper_.launch(job);
    EXPECT_EQ(keeper_.end_of(i).outcome.state,
              i % 2 == 1 ? JobState::kOutOfMemory : JobState::kCompleted);
  }
}

TEST_P(CgroupCagesTest, AForkBombIsBoundedAndEnds) {
  Assignment job = keeper_.job(1, "#!/bin/sh\nb() { b | b & }\n: > up\nb 2>/dev/null\nsleep 600\n");
  job.memory_mb = 128;
  keeper_.launch(job);
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.send(EndRun{RunKey{JobId(1), 1}, Duration(200)});
  const RunIsOver over = keeper_.end_of(1);
  EXPECT_EQ(over.why, "");
  // Nothing of it is left, and the next one runs as ever.
  keeper_.launch(keeper_.job(2, "#!/bin/sh\necho fine\n"));
  const RunIsOver next = keeper_.end_of(2);
  EXPECT_EQ(keeper_.output_of(2), "fine\n")
      << next.outcome.exit_code << ":" << next.outcome.signal << " " << next.why;
}

TEST(CgroupFilesTest, SomeProcessesAreKeptForTheMachine) {
  for (const std::int64_t possible : {32'768, 192'731, 4'194'304}) {
    const ProcessBounds bounds = process_bounds(possible);
    EXPECT_LT(bounds.all, possible);
    EXPECT_LE(bounds.one * 6, bounds.all) << possible;
  }
}

// A process that hangs in the kernel stays in its folder, whatever is done: as this one, which
// nobody kills. Waiting for it would keep all other runs waiting.
TEST(CgroupFilesTest, WhatCannotBeRemovedYetIsRemovedLater) {
  const CgroupMounts mounts = cgroup_mounts();
  const auto freezer = mounts.v1.find("freezer");
  const std::string folder = (freezer != mounts.v1.end() ? freezer->second : mounts.v2) +
                             "/sluice-test-" + std::to_string(::getpid());
  if (::mkdir(folder.c_str(), 0700) != 0) GTEST_SKIP() << "no cgroup can be made here";
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_TRUE(write_kernel_file(folder + "/cgroup.procs", std::to_string(child)));
  HungCgroups hung;
  const auto begun = std::chrono::steady_clock::now();
  hung.leave(folder);
  hung.try_one();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(3));
  EXPECT_TRUE(hung.any());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(becomes_true([&] {
    hung.try_one();
    return !hung.any();
  }));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

// Each of several fork bombs has its bound, and so have all of them.
TEST_P(CgroupCagesTest, AllRunsTogetherLeaveProcessesForTheMachine) {
  keeper_.launch(keeper_.job(1, "#!/bin/sh\ncat /proc/self/cgroup\n"));
  keeper_.end_of(1);
  const std::string said = keeper_.output_of(1);
  const CgroupMounts mounts = cgroup_mounts();
  const bool is_v1 = keeper_.client().hello().enforces.memory == "cgroup v1";
  const auto pids = mounts.v1.find("pids");
  if (is_v1 && pids == mounts.v1.end()) GTEST_SKIP() << "processes are not counted here";
  std::string parent;
  const std::size_t begin = said.find(cgroup_name(keeper_.socket()));
  ASSERT_NE(begin, std::string::npos) << said;
  const std::string name = said.substr(begin, said.find('/', begin) - begin);
  for (const std::string& place :
       is_v1 ? std::vector{pids->second} : std::vector{mounts.v2, mounts.v2_own})
    if (std::filesystem::exists(place + "/" + name)) parent = place + "/" + name;
  ASSERT_FALSE(parent.empty()) << said;
  if (!std::filesystem::exists(parent + "/pids.max")) GTEST_SKIP() << "nor are they here";
  EXPECT_EQ(read_number(parent + "/pids.max"), process_bounds().all);
}

TEST_P(CgroupCagesTest, LeavesNoCgroupBehind) {
  Assignment job = keeper_.job(1, "#!/bin/sh\n");
  job.memory_mb = 64;
  job.cpus = 1;
  keeper_.launch(job);
  keeper_.end_of(1);
  EXPECT_TRUE(anything_left());
  keeper_.stop();
  EXPECT_FALSE(anything_left());
}

TEST_P(CgroupCagesTest, ANewKeeperRemovesWhatAKilledOneLeft) {
  Assignment job =
      keeper_.job(1, "#!/bin/sh\ntouch up; unset SLUICE_KEEPER; exec env -i sleep 600\n");
  job.memory_mb = 64;
  keeper_.launch(job);
  const auto up = keeper_.wait_up(job.run);
  ASSERT_TRUE(up);
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.kill();
  ASSERT_EQ(keeper_.start(), "");
  keeper_.connect();
  EXPECT_TRUE(becomes_true([&] { return !is_alive(up->pid); }));
}

TEST_P(CgroupCagesTest, AKilledKeeperLeavesNoCgroupBehind) {
  Assignment job = keeper_.job(1, "#!/bin/sh\ntouch up; exec sleep 600\n");
  job.memory_mb = 64;
  keeper_.launch(job);
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  EXPECT_TRUE(anything_left());
  keeper_.kill();
  EXPECT_FALSE(anything_left());
}

TEST_P(CgroupCagesTest, WhatADeadKeeperOfAnotherNameLeftIsRemovedByTheNextOne) {
  Assignment job = keeper_.job(1, "#!/bin/sh\ntouch up; exec sleep 600\n");
  job.memory_mb = 64;
  keeper_.launch(job);
  const auto up = keeper_.wait_up(job.run);
  ASSERT_TRUE(up);
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  keeper_.kill_with_warden();
  ::kill(up->pid, SIGKILL);
  ASSERT_TRUE(becomes_true([&] { return !is_alive(up->pid); }));
  EXPECT_TRUE(anything_left());
  KeeperForTests other(GetParam());
  ASSERT_EQ(other.start(), "");
  EXPECT_TRUE(becomes_true([&] { return !anything_left(); }));
  // One that is alive keeps its own.
  KeeperForTests third(GetParam());
  ASSERT_EQ(third.start(), "");
  other.connect();
  other.launch(other.job(1, "#!/bin/sh\nexit 0\n"));
  EXPECT_EQ(other.end_of(1).outcome.state, JobState::kCompleted);
}

// Both see the same control groups and processes; their files are in namespaces of their own.
TEST_P(CgroupCagesTest, AKeeperOfTheSamePathElsewhereLeavesItsRunsAlone) {
  const auto other_begins = [&] {
    const pid_t other = ::fork();
    if (other == 0) {
      // Keepers of other process namespaces know each other by the lock alone.
      clear_cages(keeper_.socket());
      ::_exit(make_cages(GetParam(), keeper_.socket()) ? 0 : 1);
    }
    int status = 1;
    ::waitpid(other, &status, 0);
    return status;
  };
  Assignment job = keeper_.job(1, "#!/bin/sh\ntouch up\nwhile [ ! -e go ]; do sleep 0.02; done\n");
  job.memory_mb = 64;
  keeper_.launch(job);
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(keeper_.path("up")); }));
  EXPECT_EQ(other_begins(), 0);
  std::ofstream(keeper_.path("go")) << "";
  EXPECT_EQ(keeper_.end_of(1).outcome.state, JobState::kCompleted);
  // What waits to be used again is in use too.
  EXPECT_EQ(other_begins(), 0);
  job.run.job = JobId(2);
  keeper_.launch(job);
  EXPECT_EQ(keeper_.end_of(2).outcome.state, JobState::kCompleted) << keeper_.end_of(2).why;
}

TEST_P(CgroupCagesTest, WhatAnotherProgramRemovedIsMadeAgain) {
  Assignment job = keeper_.job(1, "#!/bin/sh\n");
  job.memory_mb = 64;
  keeper_.launch(job);
  keeper_.end_of(1);
  const CgroupMounts mounts = cgroup_mounts();
  std::vector<std::string> places{mounts.v2, mounts.v2_own};
  for (const auto& [controller, folder] : mounts.v1) places.push_back(folder);
  for (const std::string& place : places) {
    std::error_code ignored;
    if (place.empty()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(place, ignored)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with(cgroup_name(keeper_.socket())) || name.ends_with("-keeper")) continue;
      EXPECT_TRUE(remove_cgroup(entry.path()));
    }
  }
  for (std::uint32_t i = 2; i <= 3; ++i) {
    job.run.job = JobId(i);
    keeper_.launch(job);
    EXPECT_EQ(keeper_.end_of(i).outcome.state, JobState::kCompleted) << keeper_.end_of(i).why;
  }
}

INSTANTIATE_TEST_SUITE_P(CgroupV1, CgroupCagesTest, testing::Values(CageChoice::kCgroupV1));
INSTANTIATE_TEST_SUITE_P(CgroupV2, CgroupCagesTest, testing::Values(CageChoice::kCgroupV2));

TEST(CgroupMounts, FindsOwnFoldersInEveryHierarchy) {
  const CgroupMounts mounts = cgroup_mounts(
      "30 25 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "31 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n"
      "32 25 0:29 /docker/x /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
      "33 25 0:30 / /sys/fs/cgroup/with\\040blank rw - cgroup2 cgroup2 rw\n",
      "5:memory:/job\n4:cpu,cpuacct:/\n3:pids:/docker/x/y\n0::/user.slice\n");
  EXPECT_EQ(mounts.v1.at("memory"), "/sys/fs/cgroup/memory/job");
  EXPECT_EQ(mounts.v1.at("cpu"), "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(mounts.v1.at("pids"), "/sys/fs/cgroup/pids/y");
  EXPECT_EQ(mounts.v2, "/sys/fs/cgroup/with blank");
  EXPECT_EQ(mounts.v2_own, "/sys/fs/cgroup/with blank/user.slice");
}

TEST(CpuPool, GivesTheLowestAndTakesThemBack) {
  CpuPool pool(cpus_in("0-2,5\n"));
  EXPECT_EQ(pool.total(), 4U);
  const auto first = pool.take(2);
  EXPECT_EQ(cpu_text(*first), "0-1");
  EXPECT_FALSE(pool.take(3));
  EXPECT_EQ(cpu_text(*pool.take(2)), "2,5");
  pool.give_back(*first);
  EXPECT_EQ(cpu_text(*pool.take(1)), "0");
}

}  // namespace
}  // namespace sluice
