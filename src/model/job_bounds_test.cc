#include "model/job_bounds.h"

#include <gtest/gtest.h>

#include <limits>

namespace sluice {
namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

JobSpec plain() {
  JobSpec spec;
  spec.name = "train";
  spec.tasks = 4;
  spec.cpus_per_task = 2;
  spec.memory = MemoryRequest{MemoryPer::kCpu, 1000};
  spec.launch.script = "#!/bin/sh\n";
  spec.launch.working_directory = "/tmp";
  spec.launch.environment = {{"A", "b"}};
  return spec;
}

template <class Change>
std::string problem(Change change) {
  JobSpec spec = plain();
  change(spec);
  return out_of_bounds(spec);
}

TEST(JobBoundsTest, AUsualRequestIsWithin) {
  EXPECT_EQ(out_of_bounds(plain()), "");
  EXPECT_EQ(out_of_bounds(JobSpec{}), "");
  EXPECT_EQ(problem([](JobSpec& s) { s.memory = MemoryRequest{MemoryPer::kNode, 0}; }), "");
  EXPECT_EQ(problem([](JobSpec& s) { s.time_limit = seconds(86'400) * 365 * 100; }), "");
}

TEST(JobBoundsTest, LessThanNothingIsRefusedWhereverItStands) {
  EXPECT_EQ(problem([](JobSpec& s) { s.tasks = -1; }), "tasks: -1 is not between 1 and 2147483647");
  EXPECT_NE(problem([](JobSpec& s) { s.tasks = 0; }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.min_nodes = -1; }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.max_nodes = 0; }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.tasks_per_node = -1; }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.cpus_per_task = std::numeric_limits<std::int32_t>::min(); }),
            "");
  EXPECT_NE(problem([](JobSpec& s) { s.cpus_per_gpu = -1; }), "");
  EXPECT_EQ(problem([](JobSpec& s) { s.memory->mb = -100'000; }),
            "memory.mb: -100000 is not between 0 and 1099511627776 MB");
  EXPECT_NE(problem([](JobSpec& s) { s.gpus = {{GpusPer::kNode, "", -1}}; }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.licenses = {{"l", -1}}; }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.time_limit = Duration(-1); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.time_min = seconds(-1); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.max_switches = -1; }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.switch_wait = seconds(-1); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.begin = instant_at(Duration(-1)); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.deadline = instant_at(seconds(-1)); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.priority = -1; }), "");
  EXPECT_NE(problem([](JobSpec& s) {
              s.launch.signal = WarningSignal{65, seconds(1), false};
            }),
            "");
  EXPECT_NE(problem([](JobSpec& s) {
              s.launch.signal = WarningSignal{1, seconds(-1), false};
            }),
            "");
}

TEST(JobBoundsTest, ProductsDoNotOverflow) {
  // 2^32 CPUs of 2^32 MB each were no memory at all, and ended the daemon.
  EXPECT_NE(problem([](JobSpec& s) {
              s.tasks = kMost;
              s.cpus_per_task = kMost;
            }),
            "");
  EXPECT_NE(problem([](JobSpec& s) { s.memory = MemoryRequest{MemoryPer::kCpu, INT64_MAX}; }), "");
  EXPECT_EQ(problem([](JobSpec& s) {
              s.tasks = 1 << 30;
              s.cpus_per_task = 1;
              s.memory = MemoryRequest{MemoryPer::kCpu, std::int64_t{1} << 34};
            }).substr(0, 15),
            "memory in all: ");
  EXPECT_NE(problem([](JobSpec& s) {
              s.tasks.reset();
              s.min_nodes = 1 << 16;
              s.tasks_per_node = 1 << 16;
            }),
            "");
  EXPECT_NE(problem([](JobSpec& s) { s.gpus = {{GpusPer::kTask, "", kMost}}; }), "");
  EXPECT_NE(problem([](JobSpec& s) {
              s.gpus = {{GpusPer::kJob, "", 1 << 20}};
              s.cpus_per_gpu = 1 << 20;
            }),
            "");
  EXPECT_NE(problem([](JobSpec& s) {
              s.gpus = {{GpusPer::kJob, "", 1 << 20}};
              s.memory = MemoryRequest{MemoryPer::kGpu, std::int64_t{1} << 40};
            }),
            "");
}

TEST(JobBoundsTest, TextsHaveALengthAndNoByteZero) {
  EXPECT_EQ(problem([](JobSpec& s) { s.name.assign(1025, 'x'); }),
            "name: has 1025 bytes; at most 1024 are possible");
  EXPECT_NE(problem([](JobSpec& s) { s.comment.assign(1 << 20, 'x'); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.partitions.assign(100, "p"); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.require_nodes.assign(70'000, "n"); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.launch.stdout_path = "/" + std::string(4096, 'x'); }), "");
  EXPECT_EQ(problem([](JobSpec& s) { s.launch.stdout_path = std::string("/tmp/a\0b", 8); }),
            "stdout_path: has a byte 0 in it");
  EXPECT_NE(problem([](JobSpec& s) { s.launch.script.assign((4 << 20) + 1, 'x'); }), "");
}

TEST(JobBoundsTest, WhatExecTakesIsTheMost) {
  EXPECT_NE(problem([](JobSpec& s) {
              s.launch.environment = {{"A", std::string(17 << 20, 'x')}};
            }),
            "");
  EXPECT_NE(problem([](JobSpec& s) { s.launch.arguments = {std::string(128 << 10, 'x')}; }), "");
  EXPECT_EQ(problem([](JobSpec& s) { s.launch.arguments = {std::string((128 << 10) - 1, 'x')}; }),
            "");
  EXPECT_EQ(problem([](JobSpec& s) {
              s.launch.environment.assign(100, {"A", std::string(100'000, 'x')});
            }).substr(0, 26),
            "arguments and environment:");
  EXPECT_NE(problem([](JobSpec& s) { s.launch.environment.assign(10'001, {"A", ""}); }), "");
  EXPECT_NE(problem([](JobSpec& s) { s.launch.environment = {{"A", std::string(1, '\0')}}; }), "");
}

TEST(JobBoundsTest, AChangeHasTheSameBounds) {
  JobChange change;
  EXPECT_EQ(out_of_bounds(change), "");
  change.time_limit = Duration(-1);
  EXPECT_NE(out_of_bounds(change), "");
  change = {};
  change.memory = MemoryRequest{MemoryPer::kNode, -1};
  EXPECT_NE(out_of_bounds(change), "");
  change = {};
  change.comment = std::string(2000, 'x');
  EXPECT_NE(out_of_bounds(change), "");
  change = {};
  change.throttle = std::numeric_limits<std::uint32_t>::max();
  EXPECT_NE(out_of_bounds(change), "");
  change = {};
  change.working_directory = "rel";
  EXPECT_EQ(out_of_bounds(change), "working_directory: 'rel' is not a full path");
  change.working_directory = "/tmp";
  EXPECT_EQ(out_of_bounds(change), "");
}

}  // namespace
}  // namespace sluice
