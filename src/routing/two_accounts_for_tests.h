// The cluster of the stories about routing: two accounts, each with a QoS of its own.
#pragma once

#include <memory>
#include <string>

#include "cluster/description.h"
#include "routing/settings.h"

namespace sluice {

struct TwoAccounts {
  Policy policy;
  Description description;

  TwoAccounts() {
    policy.associations.emplace_back().account = "root";
    Partition gpu;
    gpu.name = "hpg-b200";
    Partition cpu;
    cpu.name = "hpg-default";
    cpu.is_default = true;
    for (int i = 0; i < 4; ++i) {
      Node node;
      node.name = (i < 2 ? "g" : "c") + std::to_string(i);
      node.cpus = 192;
      node.memory_mb = 2'000'000;
      if (i < 2) node.gpus.assign(8, Gpu{"b200", {}});
      (i < 2 ? gpu : cpu).nodes.emplace_back(static_cast<std::uint32_t>(i));
      description.nodes.push_back({true, node.cpus, node.memory_mb, node.gpus});
      policy.nodes.push_back(std::move(node));
    }
    policy.partitions = {gpu, cpu};
    description.associations.emplace_back();
    description.user = "alice";
  }

  // An account with a QoS of the same name, and alice in it.
  void add(const std::string& name, std::int64_t cpus, std::int64_t memory_mb, std::int64_t gpus) {
    Qos qos;
    qos.name = name;
    qos.group.tres.put(kTresCpu, cpus);
    qos.group.tres.put(kTresMem, memory_mb);
    qos.group.tres.put(kTresGpu, gpus);
    const QosId qos_id(static_cast<std::uint32_t>(policy.qos.size()));
    policy.qos.push_back(qos);
    description.qos.emplace_back();
    Association account;
    account.account = name;
    account.parent = AssocId(0);
    account.qos = {qos_id};
    account.default_qos = qos_id;
    const AssocId id(static_cast<std::uint32_t>(policy.associations.size()));
    policy.associations.push_back(account);
    account.user = "alice";
    account.parent = id;
    policy.associations.push_back(account);
    description.associations.resize(policy.associations.size());
  }

  // Another user's running job.
  void hold(const std::string& user, const std::string& name, std::int64_t cpus,
            std::int64_t memory_mb, std::int64_t gpus, JobState state = JobState::kRunning,
            std::uint32_t tasks = 1, const std::string& reason = {}) {
    HeldJob job;
    job.job = JobId(static_cast<std::uint32_t>(description.jobs.size() + 1));
    job.user = user;
    job.account = name;
    job.qos = name;
    job.partition = "hpg-default";
    job.state = state;
    job.tasks = tasks;
    job.reason = reason;
    job.tres[kTresCpu] = cpus;
    job.tres[kTresMem] = memory_mb;
    job.tres[kTresGpu] = gpus;
    job.tres[kTresNode] = 1;
    job.ends_by = instant_at(seconds(3600 * (1 + static_cast<int>(description.jobs.size()))));
    const std::size_t qos = policy.find_qos(name)->index();
    const std::size_t account = policy.find_account(name)->index();
    for (Use* use : {&description.qos[qos], &description.associations[account],
                     &description.associations[0]}) {
      use->submitted += tasks;
      if (state != JobState::kRunning) continue;
      use->tres += job.tres;
      ++use->jobs;
    }
    description.jobs.push_back(job);
  }

  const Description& seen() {
    description.policy = std::make_shared<const Policy>(policy);
    return description;
  }
};

// A task of the seed: on a GPU 8 CPUs and 180 GB, on CPUs 8 CPUs and 48 GB.
inline RoutingSettings seed_settings() {
  RoutingSettings out;
  out.gpu.partitions = {"hpg-b200"};
  out.gpu.cpus = 8;
  out.gpu.memory_mb = std::int64_t{180} * 1024;
  out.gpu.gpus = 1;
  out.cpu.partitions = {"hpg-default"};
  out.cpu.cpus = 8;
  out.cpu.memory_mb = std::int64_t{48} * 1024;
  return out;
}

}  // namespace sluice
