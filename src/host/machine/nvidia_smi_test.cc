#include "host/machine/nvidia_smi.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// As version 580.159.04 prints it for an H200, with the parts of a card that look like ours.
constexpr std::string_view kTwo = R"(
==============NVSMI LOG==============

Timestamp                                              : Wed Nov 18 03:11:23 2026
Driver Version                                         : 580.159.04
CUDA Version                                           : 13.0

Attached GPUs                                          : 2
GPU 00000000:00:06.0
    Product Name                                       : NVIDIA H200
    Product Brand                                      : NVIDIA
    Display Mode                                       : Requested functionality has been deprecated
    MIG Mode
        Current                                        : Disabled
        Pending                                        : Disabled
    GPU UUID                                           : GPU-3f792ef1-157a-70d9-d21e-0b2f6dbedb6a
    Minor Number                                       : 1
    Processes
        GPU instance ID                                : N/A
        Process ID                                     : 4711
            Name                                       : GPU UUID : x
GPU 00000000:00:07.0
    Product Name                                       : NVIDIA A100-SXM4-80GB
    GPU UUID                                           : GPU-5f0e6a0c-5b10-4a36-9d3e-0c2e2f1d9c11
    Minor Number                                       : 0
GPU 00000000:00:08.0
    Product Name                                       : NVIDIA H200
    GPU UUID                                           : N/A
    Minor Number                                       : N/A
)";

TEST(NvidiaSmi, EachCardHasItsTypeDeviceAndIdentity) {
  const std::vector<FoundGpu> found = read_nvidia_smi(kTwo);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].gpu, (Gpu{"h200", "/dev/nvidia1"}));
  EXPECT_EQ(found[0].identity, "GPU-3f792ef1-157a-70d9-d21e-0b2f6dbedb6a");
  EXPECT_EQ(found[1].gpu, (Gpu{"a100", "/dev/nvidia0"}));
  EXPECT_EQ(found[1].name, "NVIDIA A100-SXM4-80GB");
}

TEST(NvidiaSmi, WhatIsNotItsReportHasNoCards) {
  EXPECT_TRUE(read_nvidia_smi("").empty());
  EXPECT_TRUE(read_nvidia_smi("NVIDIA-SMI has failed because it couldn't communicate\n").empty());
  EXPECT_TRUE(read_nvidia_smi("    Product Name : x\n    Minor Number : 0\n").empty());
}

}  // namespace
}  // namespace sluice
