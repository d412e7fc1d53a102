#include "model/default_memory.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Policy with_defaults() {
  Policy policy;
  policy.partitions.resize(2);
  policy.jobs.with_gpu = {2, 500};
  policy.partitions[1].with_gpu.memory_mb = 900;
  return policy;
}

JobSpec on_gpus(std::int32_t count) {
  JobSpec spec;
  spec.gpus = {{GpusPer::kNode, "", count}};
  return spec;
}

TEST(DefaultMemory, ComesWithGpusFromThePartitionFirst) {
  JobSpec usual = on_gpus(1);
  give_with_gpus(with_defaults(), PartitionId(0), usual);
  EXPECT_EQ(usual.memory, (MemoryRequest{MemoryPer::kGpu, 500}));
  EXPECT_EQ(usual.cpus_per_gpu, 2);
  JobSpec own = on_gpus(1);
  give_with_gpus(with_defaults(), PartitionId(1), own);
  EXPECT_EQ(own.memory, (MemoryRequest{MemoryPer::kGpu, 900}));
  EXPECT_EQ(own.cpus_per_gpu, 2) << "each is looked for on its own";
}

TEST(DefaultMemory, WhatAJobSaysStays) {
  JobSpec spec = on_gpus(1);
  spec.memory = MemoryRequest{MemoryPer::kNode, 10};
  spec.cpus_per_task = 4;
  give_with_gpus(with_defaults(), PartitionId(0), spec);
  EXPECT_EQ(spec.memory, (MemoryRequest{MemoryPer::kNode, 10}));
  EXPECT_FALSE(spec.cpus_per_gpu);
}

TEST(DefaultMemory, JobsWithoutGpusGetNone) {
  for (JobSpec spec : {JobSpec{}, on_gpus(0)}) {
    give_with_gpus(with_defaults(), PartitionId(0), spec);
    EXPECT_FALSE(spec.memory);
    EXPECT_FALSE(spec.cpus_per_gpu);
  }
}

TEST(DefaultMemory, PartsOfANode) {
  Node node;
  node.cpus = 64;
  node.memory_mb = 256 * 1024;
  EXPECT_EQ(memory_per_cpu(node), 4096);
  EXPECT_EQ(memory_per_gpu(node), 0) << "it has no GPUs";
  node.gpus.resize(4);
  EXPECT_EQ(memory_per_gpu(node), 48 * 1024) << "a quarter is left for jobs without GPUs";
}

}  // namespace
}  // namespace sluice
