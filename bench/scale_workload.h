// A national machine and its users: as many nodes, jobs and kinds of nodes as wanted, made up.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/policy.h"
#include "policyfile/read/policy_reader.h"
#include "sim/workloads/splitmix.h"

namespace sluice::bench {

// kWhole: nodes are given away whole. kCores: jobs share them, by cores and memory. kGpus: the same
// with GPUs of two types.
enum class Sharing : std::uint8_t { kWhole, kCores, kGpus };

struct Scale {
  std::int64_t nodes = 5860;
  std::int64_t jobs = 600'000;
  std::int64_t most_nodes = 1024;  // Of one job; 1 up to this, each power of two as likely.
  std::int64_t users = 1000;
  std::int64_t accounts = 40;
  double load = 0.95;
  Sharing sharing = Sharing::kWhole;
  // The first jobs take the whole machine, as if they had come before and were still running.
  bool begins_full = false;
};

inline constexpr std::int32_t kNodeCpus = 128;

// Nine nodes in ten have 256 GB, the others 512; with GPUs every other has four of one type or the
// other.
inline Policy scale_policy(const Scale& scale) {
  const std::int64_t large = std::max<std::int64_t>(1, scale.nodes / 10);
  const std::int64_t gpus = scale.sharing == Sharing::kGpus ? scale.nodes / 2 : 0;
  const std::int64_t plain = scale.nodes - large - gpus;
  std::string text = "cluster: scale\nnodes:\n";
  const auto nodes = [&](const char* name, std::int64_t count, const char* memory,
                         const std::string& more) {
    if (count > 0)
      text += fmt::format("  - {{name: '{}[1-{}]', cpus: {}, memory: {}{}}}\n", name, count,
                          kNodeCpus, memory, more);
  };
  nodes("n", plain, "256G", "");
  nodes("m", large, "512G", "");
  nodes("a", gpus / 2, "256G", ", gpus: {a100: 4}");
  nodes("h", gpus - gpus / 2, "256G", ", gpus: {h100: 4}");
  text += fmt::format(
      "partitions:\n  main: {{nodes: all, default: yes{}}}\n"
      "qos:\n  normal: {{Priority: 100}}\n"
      "priority: {{type: multifactor, weight_age: 1000, weight_fairshare: 100000, "
      "weight_job_size: 500, weight_qos: 5000, half_life: 7d}}\n"
      "scheduler: {{backfill_interval: 30s}}\n"
      "jobs: {{def_mem_per_cpu: 1G, min_job_age: 0s, max_job_count: 10000000}}\n"
      "accounts:\n",
      scale.sharing == Sharing::kWhole ? ", oversubscribe: exclusive" : "");
  for (std::int64_t account = 0; account < scale.accounts; ++account) {
    text += fmt::format("  g{}:\n    shares: {}\n    qos: [normal]\n    users: [", account + 1,
                        1 + account % 9);
    for (std::int64_t user = account; user < scale.users; user += scale.accounts)
      text += fmt::format("{}u{}", user == account ? "" : ", ", user + 1);
    text += "]\n";
  }
  return read_policy(text, "scale.yaml").value();
}

struct ScaleJob {
  Instant submit;
  Duration run{0};
  std::uint32_t request = 0;
};

struct ScaleWorkload {
  std::vector<std::shared_ptr<const JobSpec>> requests;
  std::vector<ScaleJob> jobs;  // In order of submission.
};

// Each user asks for the same few things over and over; limits are round and mostly too long. More
// is submitted by day than by night, so that by day some hundreds wait.
inline ScaleWorkload scale_workload(const Scale& scale) {
  constexpr std::uint64_t kHabits = 6;
  constexpr std::array<std::int64_t, 10> kMinutes = {10,  20,  30,  60,   120,
                                                     180, 360, 720, 1440, 2880};
  ScaleWorkload out;
  Draws draws(7, 1);
  const auto sizes = static_cast<std::uint64_t>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(scale.most_nodes, 1))));
  std::vector<double> node_share;
  for (std::int64_t user = 0; user < scale.users; ++user)
    for (std::uint64_t habit = 0; habit < kHabits; ++habit) {
      auto spec = std::make_shared<JobSpec>();
      spec->user = fmt::format("u{}", user + 1);
      spec->account = fmt::format("g{}", user % scale.accounts + 1);
      spec->time_limit = minutes(kMinutes[draws.below(kMinutes.size())]);
      const std::int64_t size = std::int64_t{1} << draws.below(sizes);
      if (scale.sharing == Sharing::kWhole) {
        spec->tasks = static_cast<std::int32_t>(size * kNodeCpus);
        node_share.push_back(static_cast<double>(size));
      } else {
        // A part of one node: 1 to 64 cores, with memory; some with a GPU or two.
        const std::int32_t cores = 1 << draws.below(7);
        spec->tasks = 1;
        spec->cpus_per_task = cores;
        spec->memory = MemoryRequest{MemoryPer::kCpu, 500 << draws.below(3)};
        double part = static_cast<double>(cores) / kNodeCpus;
        if (scale.sharing == Sharing::kGpus && draws.below(4) == 0) {
          spec->cpus_per_task = std::min(cores, 16);
          GpuRequest gpu;
          gpu.per = GpusPer::kNode;
          gpu.count = 1 + static_cast<std::int32_t>(draws.below(2));
          gpu.type = draws.below(2) == 0 ? "a100" : "h100";
          spec->gpus.push_back(gpu);
          part = static_cast<double>(gpu.count) / 4;
        }
        node_share.push_back(part);
      }
      out.requests.push_back(std::move(spec));
    }
  const auto limit_of = [&](const ScaleJob& job) {
    return to_seconds(*out.requests[job.request]->time_limit);
  };
  const auto draw = [&] {
    ScaleJob job;
    const std::uint64_t user =
        draws.below(1 + draws.below(static_cast<std::uint64_t>(scale.users)));
    job.request = static_cast<std::uint32_t>(user * kHabits + draws.below(kHabits));
    const std::int64_t limit = limit_of(job);
    // Every eighth runs into its limit; the others need from all of it down to a hundredth.
    std::int64_t run = limit + 60;
    if (draws.below(8) != 0)
      run = std::max<std::int64_t>(
          1, (limit >> draws.below(7)) * static_cast<std::int64_t>(512 + draws.below(512)) / 1024);
    job.run = seconds(run);
    return job;
  };
  // Of jobs that run at one moment the long ones are the most, each somewhere on its way.
  const std::int64_t longest = kMinutes.back() * 60;
  double taken = scale.begins_full ? 0 : static_cast<double>(scale.nodes);
  while (taken < static_cast<double>(scale.nodes)) {
    ScaleJob job = draw();
    const std::int64_t run = std::min(to_seconds(job.run), limit_of(job));
    if (draws.unit() * static_cast<double>(longest) > static_cast<double>(run)) continue;
    job.run = seconds(1 + static_cast<std::int64_t>(draws.unit() * static_cast<double>(run)));
    taken += node_share[job.request];
    out.jobs.push_back(job);
  }
  const std::size_t first = out.jobs.size();
  double work = 0;
  for (std::int64_t i = 0; i < scale.jobs; ++i) {
    const ScaleJob& job = out.jobs.emplace_back(draw());
    work +=
        static_cast<double>(std::min(to_seconds(job.run), limit_of(job))) * node_share[job.request];
  }
  // Half as many submissions at night as by day.
  const double span = work / static_cast<double>(scale.nodes) / scale.load;
  std::vector<std::int64_t> submits(first, 0);
  submits.reserve(out.jobs.size());
  while (submits.size() < out.jobs.size()) {
    const auto at = static_cast<std::int64_t>(draws.unit() * span);
    const bool night = at % 86'400 < 43'200;
    if (!night || draws.below(2) == 0) submits.push_back(at);
  }
  std::sort(submits.begin(), submits.end());
  for (std::size_t i = 0; i < submits.size(); ++i)
    out.jobs[i].submit = instant_at(seconds(1'000'000 + submits[i]));
  return out;
}

}  // namespace sluice::bench
