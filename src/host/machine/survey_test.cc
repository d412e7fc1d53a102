#include "host/machine/survey.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/files/folder_for_tests.h"

namespace sluice {
namespace {

class SurveyTest : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root_.path() + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  void cpu(int number, const std::string& socket, const std::string& siblings) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(number) + "/topology";
    file(folder + "/physical_package_id", socket + "\n");
    file(folder + "/thread_siblings_list", siblings + "\n");
  }
  FolderForTests root_;
};

TEST_F(SurveyTest, CountsSocketsCoresAndThreads) {
  file("/sys/devices/system/cpu/online", "0-7\n");
  for (int i = 0; i < 8; ++i) {
    cpu(i, i % 4 < 2 ? "0" : "1", std::to_string(i % 4) + "," + std::to_string(i % 4 + 4));
  }
  file("/proc/meminfo", "MemTotal:       16315392 kB\nMemFree: 1 kB\n");
  file("/proc/sys/kernel/hostname", "box.lab.example\n");
  const Survey survey = survey_files(root_.path());
  EXPECT_EQ(survey.node.name, "box");
  EXPECT_EQ(survey.node.cpus, 8);
  EXPECT_EQ(survey.node.sockets, 2);
  EXPECT_EQ(survey.node.threads_per_core, 2);
  EXPECT_EQ(survey.node.memory_mb, 15933);
  EXPECT_TRUE(survey.node.gpus.empty());
}

TEST_F(SurveyTest, FindsNvidiaCardsInTheDriversFiles) {
  file("/proc/driver/nvidia/gpus/0000:0a:00.0/information",
       "Model: \t\t NVIDIA A100-SXM4-80GB\nIRQ:   \t\t 33\n"
       "GPU UUID: \t GPU-5f0e6a0c-5b10-4a36-9d3e-0c2e2f1d9c11\nDevice Minor: \t 1\n");
  file("/proc/driver/nvidia/gpus/0000:05:00.0/information",
       "Model: \t\t NVIDIA GeForce RTX 3090\nGPU UUID: \t GPU-" + std::string(8, '?') +
           "\nDevice Minor: \t 0\n");
  const Survey survey = survey_files(root_.path());
  ASSERT_EQ(survey.node.gpus.size(), 2U);
  EXPECT_EQ(survey.gpus_found_by, "/proc/driver/nvidia");
  EXPECT_EQ(survey.node.gpus[0], (Gpu{"rtx_3090", "/dev/nvidia0"}));
  EXPECT_EQ(survey.node.gpus[1], (Gpu{"a100", "/dev/nvidia1"}));
  const std::map<std::string, std::string> expected{
      {"/dev/nvidia1", "GPU-5f0e6a0c-5b10-4a36-9d3e-0c2e2f1d9c11"}};
  EXPECT_EQ(survey.gpu_identities(), expected);
}

TEST_F(SurveyTest, FindsAmdCardsInSysfs) {
  const std::string nodes = "/sys/class/kfd/kfd/topology/nodes/";
  file(nodes + "0/gpu_id", "0\n");
  file(nodes + "1/gpu_id", "21947\n");
  file(nodes + "1/name", "aldebaran\n");
  file(nodes + "1/properties", "cpu_cores_count 0\ndrm_render_minor 128\nunique_id 255\n");
  const Survey survey = survey_files(root_.path());
  ASSERT_EQ(survey.gpus.size(), 1U);
  EXPECT_EQ(survey.node.gpus[0].device, "/dev/dri/renderD128");
  EXPECT_EQ(survey.gpus[0].identity, "GPU-ff");
}

TEST(GpuType, IsTheModelWithoutTheMaker) {
  EXPECT_EQ(gpu_type("NVIDIA A100-SXM4-80GB"), "a100");
  EXPECT_EQ(gpu_type("NVIDIA H200"), "h200");
  EXPECT_EQ(gpu_type("NVIDIA GeForce RTX 3090"), "rtx_3090");
  EXPECT_EQ(gpu_type("Tesla V100-PCIE-16GB"), "v100");
  EXPECT_EQ(gpu_type("NVIDIA RTX A6000"), "rtx_a6000");
  EXPECT_EQ(gpu_type("NVIDIA TITAN V"), "titan_v");
  EXPECT_EQ(gpu_type(""), "gpu");
}

TEST(Survey, ThisMachineHasCpusAndMemory) {
  const Survey survey = survey_machine();
  EXPECT_GE(survey.node.cpus, 1);
  EXPECT_LE(survey.node.cpus, ::sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GT(survey.node.memory_mb, 64);
  EXPECT_FALSE(survey.node.name.empty());
  EXPECT_EQ(survey.node.cpus % (survey.node.sockets * survey.node.threads_per_core), 0);
}

}  // namespace
}  // namespace sluice
