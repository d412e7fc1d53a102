// For tests: a policy built line by line, and a state in which its users have used what a test
// says.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "model/event.h"
#include "state/state.h"

namespace sluice {

class PolicyBuilder {
 public:
  PolicyBuilder() {
    policy_.priority.type = PriorityType::kMultifactor;
    policy_.priority.half_life = Duration(0);  // Usage stays what the test made it.
    node("n1", 4, 1000);
    partition("all", {NodeId(0)});
    policy_.associations.emplace_back().account = "root";
  }
  Node& node(const std::string& name, std::int32_t cpus, std::int64_t memory_mb) {
    Node& node = policy_.nodes.emplace_back();
    node.name = name;
    node.cpus = cpus;
    node.memory_mb = memory_mb;
    return node;
  }
  Partition& partition(const std::string& name, const std::vector<NodeId>& nodes) {
    Partition& partition = policy_.partitions.emplace_back();
    partition.name = name;
    partition.nodes = nodes;
    return partition;
  }
  PolicyBuilder& qos(const std::string& name, std::int64_t priority) {
    Qos& qos = policy_.qos.emplace_back();
    qos.name = name;
    qos.priority = priority;
    return *this;
  }
  PolicyBuilder& account(const std::string& name, const std::string& parent, std::int64_t shares) {
    add(name, "", parent, shares);
    return *this;
  }
  PolicyBuilder& user(const std::string& name, const std::string& account, std::int64_t shares) {
    add(account, name, account, shares);
    return *this;
  }
  // The association added last has FairShare=parent.
  PolicyBuilder& with_shares_of_parent() {
    policy_.associations.back().shares_of_parent = true;
    return *this;
  }
  Policy& policy() { return policy_; }

 private:
  void add(const std::string& account, const std::string& user, const std::string& parent,
           std::int64_t shares) {
    Association assoc;
    assoc.account = account;
    assoc.user = user;
    assoc.parent = policy_.find_account(parent);
    assoc.shares = shares;
    CHECK(assoc.parent.has_value(), "the parent comes first");
    policy_.associations.push_back(std::move(assoc));
  }
  Policy policy_;
};

class Past {
 public:
  explicit Past(Policy policy) {
    apply(PolicyAdopted{std::make_shared<const Policy>(std::move(policy))});
  }
  static JobSpec request(const std::string& user, const std::string& account) {
    JobSpec spec;
    spec.user = user;
    spec.account = account;
    return spec;
  }
  JobId submit(JobSpec spec) {
    if (spec.partitions.empty()) spec.partitions = {state_.policy().partitions[0].name};
    const SpecId id = state_.next_spec_id();
    apply(SpecDefined{id, std::make_shared<const JobSpec>(std::move(spec)), false});
    return submit_again(id);
  }
  JobId submit_again(SpecId spec) {
    const JobId job = state_.next_job_id();
    apply(JobSubmitted{job, spec, std::nullopt});
    return job;
  }
  // One CPU for so many seconds.
  void use(const std::string& user, const std::string& account, std::int64_t cpu_seconds) {
    const JobId job = submit(request(user, account));
    NodeShare share;
    share.cpus = 1;
    apply(JobStarted{job, 1, PartitionId(0), Allocation(share)});
    pass(seconds(cpu_seconds));
    apply(JobEnded{job, 1, {}});
  }
  void pass(Duration time) { now_ += time; }
  template <class Body>
  void apply(Body body) {
    state_.apply(Event{now_, std::move(body)});
  }
  const State& state() const { return state_; }
  Instant now() const { return now_; }

 private:
  State state_;
  Instant now_{};
};

// The cluster on which sprio and sshare of slurmctld 22.05.8 were recorded (November 2026): two
// nodes of 16 CPUs, 10,000 MB and 4 GPUs; billing-seconds as sshare's NormUsage had them, times a
// million. The numbers that tests compare with are those that it printed.
inline PolicyBuilder recorded_cluster() {
  PolicyBuilder b;
  Policy& policy = b.policy();
  policy.nodes.clear();
  b.node("n1", 16, 10'000).gpus.resize(4);
  b.node("n2", 16, 10'000).gpus.resize(4);
  policy.partitions.clear();
  b.partition("main", {NodeId(0), NodeId(1)}).priority_job_factor = 10;
  b.partition("fast", {NodeId(0), NodeId(1)}).priority_job_factor = 40;
  b.partition("two", {NodeId(1)});
  b.qos("normal", 0).qos("q10", 10).qos("q50", 50).qos("q100", 100);
  b.user("root", "root", 1).account("phys", "root", 40).account("chem", "root", 60);
  policy.associations.back().priority = 20;
  b.user("alice", "phys", 10).user("bob", "phys", 30);
  policy.associations.back().priority = 7;
  b.account("sub", "phys", 20).user("charlie", "sub", 1);
  b.user("dave", "chem", 1).user("eve", "chem", 1);
  PrioritySettings& settings = policy.priority;
  settings.weight_age = 1000;
  settings.max_age = std::chrono::hours(1);
  settings.weight_fairshare = 10'000;
  settings.weight_job_size = 1000;
  settings.weight_partition = 1000;
  settings.weight_qos = 1000;
  settings.weight_assoc = 1000;
  settings.weight_tres = {
      {kTresCpu, 1'000'000'000, 1}, {kTresMem, 2'000'000'000, 1}, {kTresGpu, 3'000'000'000, 1}};
  return b;
}

inline void use_as_recorded(Past& past) {
  past.use("alice", "phys", 143'838);
  past.use("dave", "chem", 71'919);
  past.use("charlie", "sub", 35'960);
  past.use("eve", "chem", 748'283);
}

}  // namespace sluice
