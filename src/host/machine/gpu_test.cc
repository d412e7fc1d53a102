// A real NVIDIA GPU, where there is one: found, given by identity, kept from those without.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "host/keeper/keeper_for_tests.h"
#include "host/machine/assignment.h"
#include "host/machine/survey.h"

namespace sluice {
namespace {

// What a CUDA program sees: how many devices, and the first one's identity.
constexpr const char* kLook = R"(#!/usr/bin/env python3
import ctypes, uuid
cuda = ctypes.CDLL('libcuda.so.1')
error = cuda.cuInit(0)
count = ctypes.c_int(0)
if error == 0:
    cuda.cuDeviceGetCount(ctypes.byref(count))
print('cuInit', error, 'devices', count.value)
if count.value > 0:
    raw = (ctypes.c_ubyte * 16)()
    cuda.cuDeviceGetUuid(ctypes.byref(raw), 0)
    print('GPU-' + str(uuid.UUID(bytes=bytes(raw))))
)";

class GpuTest : public testing::TestWithParam<CageChoice> {
 protected:
  void SetUp() override {
    survey_ = survey_machine();
    if (survey_.gpus.empty() || !survey_.gpus[0].gpu.device.starts_with("/dev/nvidia")) {
      GTEST_SKIP() << "there is no NVIDIA GPU here";
    }
    if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "there is no python3";
    const std::string error = keeper_.start();
    if (!error.empty()) GTEST_SKIP() << error;
    keeper_.connect();
    policy_.nodes.push_back(survey_.node);
    Partition partition;
    partition.name = "main";
    policy_.partitions.push_back(partition);
    identities_ = survey_.gpu_identities();
  }
  std::string see(std::uint32_t number, std::uint64_t gpus) {
    JobSpec request;
    request.launch.script = kLook;
    request.launch.working_directory = keeper_.path("");
    request.launch.stdout_path = std::to_string(number) + ".out";
    NodeShare share;
    share.cpus = 1;
    share.gpus = gpus;
    const Allocation allocation(share);
    const RunFacts facts{RunKey{JobId(number), 1},
                         request,
                         policy_,
                         allocation,
                         PartitionId(0),
                         "a",
                         "q",
                         std::nullopt,
                         0,
                         true,
                         &identities_};
    keeper_.launch(assignment_of(facts, identity_of(::geteuid()).value()));
    keeper_.end_of(number);
    return keeper_.output_of(number);
  }
  KeeperForTests keeper_{GetParam()};
  Survey survey_;
  Policy policy_;
  std::map<std::string, std::string> identities_;
};

TEST_P(GpuTest, IsFoundWithItsIdentityByLibraryAndByFiles) {
  EXPECT_EQ(survey_.gpus_found_by, "NVML");
  EXPECT_TRUE(survey_.gpus[0].identity.starts_with("GPU-"));
  const Survey files = survey_files("");
  if (files.gpus.empty()) GTEST_SKIP() << "the driver's files are not visible here";
  EXPECT_EQ(files.gpus.size(), survey_.gpus.size());
  EXPECT_EQ(files.gpus[0].name, survey_.gpus[0].name);
  EXPECT_EQ(files.gpus[0].gpu, survey_.gpus[0].gpu);
}

TEST_P(GpuTest, TwoJobsOneAfterTheOtherSeeTheDeviceTheyWereGiven) {
  const std::string expected = "cuInit 0 devices 1\n" + survey_.gpus[0].identity + "\n";
  EXPECT_EQ(see(1, 1), expected);
  EXPECT_EQ(see(2, 1), expected);
}

TEST_P(GpuTest, AJobWithoutOneSeesNone) {
  const std::string seen = see(1, 0);
  EXPECT_NE(seen.find("devices 0\n"), std::string::npos) << seen;
  // And can open none where the kernel guards them.
  if (keeper_.client().hello().enforces.devices.empty()) return;
  Assignment job = keeper_.job(2, "#!/bin/sh\ntrue < \"$1\" && echo opened\n");
  job.arguments = {survey_.gpus[0].gpu.device};
  job.other_devices = {survey_.gpus[0].gpu.device};
  keeper_.launch(job);
  EXPECT_NE(keeper_.end_of(2).outcome.exit_code, 0);
  EXPECT_EQ(keeper_.output_of(2).find("opened"), std::string::npos);
  // The next in the same cage may again.
  EXPECT_EQ(see(3, 1), "cuInit 0 devices 1\n" + survey_.gpus[0].identity + "\n");
}

INSTANTIATE_TEST_SUITE_P(Plain, GpuTest, testing::Values(CageChoice::kPlain));
INSTANTIATE_TEST_SUITE_P(CgroupV1, GpuTest, testing::Values(CageChoice::kCgroupV1));
INSTANTIATE_TEST_SUITE_P(CgroupV2, GpuTest, testing::Values(CageChoice::kCgroupV2));

}  // namespace
}  // namespace sluice
