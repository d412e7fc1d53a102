// Clusters and queues for the benches: as large as wanted, always the same.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "bench/measure.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "sim/workloads/splitmix.h"

namespace sluice::bench {

struct ClusterSize {
  std::int32_t nodes = 1;
  std::int32_t cpus = 256;
  std::int32_t accounts = 10;
  std::int32_t users_each = 10;
  Duration backfill_interval = minutes(1);
};

// Accounts in groups of ten below a parent, limits on parents, accounts, users and the QoS,
// multifactor priority with fairshare.
inline Policy make_cluster(const ClusterSize& size) {
  Policy policy;
  policy.cluster = "bench";
  for (std::int32_t i = 0; i < size.nodes; ++i) {
    Node node;
    node.name = fmt::format("n{}", i + 1);
    node.cpus = size.cpus;
    node.memory_mb = 4'000 * size.cpus;
    policy.nodes.push_back(node);
  }
  Partition partition;
  partition.name = "main";
  partition.is_default = true;
  for (std::int32_t i = 0; i < size.nodes; ++i)
    partition.nodes.emplace_back(static_cast<std::uint32_t>(i));
  policy.partitions.push_back(partition);
  // Limits that are looked at and never reached: a job that a limit stops is not planned.
  const std::int64_t all = std::int64_t{size.nodes} * size.cpus * 10;
  Qos normal;
  normal.name = "normal";
  normal.user.max_tres.put(kTresCpu, all);
  normal.user.max_jobs = 100'000;
  policy.qos.push_back(normal);

  const auto add = [&](const std::string& account, const std::string& user,
                       std::optional<AssocId> parent) {
    Association assoc;
    assoc.account = account;
    assoc.user = user;
    assoc.parent = parent;
    assoc.qos = {QosId(0)};
    assoc.default_qos = QosId(0);
    policy.associations.push_back(assoc);
    return AssocId(static_cast<std::uint32_t>(policy.associations.size() - 1));
  };
  const AssocId root = add("root", "", std::nullopt);
  AssocId parent = root;
  for (std::int32_t i = 0; i < size.accounts; ++i) {
    if (i % 10 == 0) {
      parent = add(fmt::format("p{}", i / 10 + 1), "", root);
      policy.associations.back().group.tres.put(kTresCpu, all);
    }
    const std::string name = fmt::format("a{}", i + 1);
    const AssocId account = add(name, "", parent);
    policy.associations.back().shares = 1 + i % 7;
    policy.associations.back().group.tres.put(kTresCpu, all);
    policy.associations.back().group.jobs = 1'000'000;
    for (std::int32_t k = 0; k < size.users_each; ++k) {
      User user;
      user.name = fmt::format("u{}", i * size.users_each + k + 1);
      user.default_account = name;
      add(name, user.name, account);
      policy.associations.back().max_jobs = 1'000'000;
      policy.users.push_back(user);
    }
  }
  policy.priority.type = PriorityType::kMultifactor;
  policy.priority.weight_age = 1000;
  policy.priority.weight_fairshare = 100'000;
  policy.priority.weight_job_size = 1000;
  policy.priority.weight_qos = 1000;
  // Priorities are a bench of their own.
  policy.priority.calc_period = std::chrono::hours(24 * 365);
  policy.scheduler.type = SchedulerType::kBackfill;
  policy.scheduler.backfill_interval = size.backfill_interval;
  policy.scheduler.backfill_max_job_test = 1'000'000'000;
  policy.jobs.max_job_count = 100'000'000;
  policy.jobs.default_mem_per_cpu_mb = 1000;
  return policy;
}

// An engine that is told things at rising times.
class Queueing {
 public:
  explicit Queueing(Policy policy)
      : engine_(std::make_unique<Engine>()),
        policy_(std::make_shared<const Policy>(std::move(policy))) {
    tell(AdoptPolicy{policy_});
  }

  Reply tell(const Input& input) {
    engine_->handle(input, now_, turn_);
    return turn_.replies.front();
  }
  JobSpec request(std::int32_t user, std::int32_t cpus, std::int32_t limit_minutes) const {
    JobSpec spec;
    spec.user = policy_->users[static_cast<std::size_t>(user) % policy_->users.size()].name;
    spec.tasks = cpus;
    spec.time_limit = minutes(limit_minutes);
    return spec;
  }
  // Jobs of 1 to `most_cpus` CPUs and 5 to 504 minutes, a thousand a turn. Gives up when it would
  // take longer than `budget` seconds; returns what it took, or nothing.
  std::optional<double> submit_many(std::size_t count, std::int32_t most_cpus, double budget = 60) {
    constexpr std::size_t kTurn = 1000;
    const double begin = cpu_seconds();
    std::vector<Input> inputs;
    for (std::size_t done = 0; done < count; done += inputs.size()) {
      inputs.clear();
      while (inputs.size() < std::min(kTurn, count - done)) inputs.push_back(draw(most_cpus));
      engine_->handle(inputs, now_, turn_);
      if (cpu_seconds() - begin > budget) return std::nullopt;
    }
    return cpu_seconds() - begin;
  }
  void pass(Duration time) { now_ += time; }
  Engine& engine() { return *engine_; }
  const Turn& turn() const { return turn_; }
  Instant now() const { return now_; }

 private:
  Input draw(std::int32_t most_cpus) {
    return SubmitJob{
        request(static_cast<std::int32_t>(draws_.below(policy_->users.size())),
                1 + static_cast<std::int32_t>(draws_.below(static_cast<std::uint64_t>(most_cpus))),
                5 + static_cast<std::int32_t>(draws_.below(500)))};
  }

  Draws draws_{42, 1};
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const Policy> policy_;
  Turn turn_;
  Instant now_ = instant_at(seconds(1'000'000));
};

}  // namespace sluice::bench
