// Named shapes over what the settings say of devices.
#include <gtest/gtest.h>

#include "routing/settings.h"

namespace sluice {
namespace {

RoutingSettings two_shapes() {
  RoutingSettings out;
  out.gpu.memory_mb = 1000;
  out.gpu.partitions = {"gpus"};
  out.shapes["decon"].gpu.memory_mb = 180'000;
  out.shapes["decon"].cpu.cpus = 16;
  out.shapes["qc"].cpu.cpus = 1;
  return out;
}

TEST(Shapes, ANamedOneIsLaidOverTheDevices) {
  const RoutingSettings seen = with_shape(two_shapes(), "decon", "anything");
  EXPECT_EQ(seen.gpu.memory_mb, 180'000);
  EXPECT_EQ(seen.gpu.partitions, std::vector<std::string>{"gpus"});  // It says nothing of them.
  EXPECT_EQ(seen.cpu.cpus, 16);
}

TEST(Shapes, WithoutANameTheJobsNameCounts) {
  EXPECT_EQ(with_shape(two_shapes(), "", "qc").cpu.cpus, 1);
  EXPECT_EQ(with_shape(two_shapes(), "decon", "qc").cpu.cpus, 16);
  EXPECT_FALSE(with_shape(two_shapes(), "", "other").cpu.cpus);
}

}  // namespace
}  // namespace sluice
