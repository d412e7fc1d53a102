// For tests: an engine with a small cluster, driven by hand.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "engine/engine.h"
#include "model/event.h"

namespace sluice {

// Two nodes of four CPUs in partition "all"; ann and bob in account "lab"; requeued at once.
inline Policy small_policy() {
  Policy policy;
  for (const char* name : {"n1", "n2"}) {
    Node& node = policy.nodes.emplace_back();
    node.name = name;
    node.cpus = 4;
    node.memory_mb = 4000;
  }
  Partition& partition = policy.partitions.emplace_back();
  partition.name = "all";
  partition.is_default = true;
  partition.nodes = {NodeId(0), NodeId(1)};
  policy.associations.emplace_back().account = "root";
  const auto add = [&](const std::string& account, const std::string& user, std::uint32_t parent) {
    Association& assoc = policy.associations.emplace_back();
    assoc.account = account;
    assoc.user = user;
    assoc.parent = AssocId(parent);
  };
  add("lab", "", 0);
  for (const char* name : {"ann", "bob"}) {
    add("lab", name, 1);
    User& user = policy.users.emplace_back();
    user.name = name;
    user.default_account = "lab";
  }
  policy.jobs.default_mem_per_cpu_mb = 10;
  policy.scheduler.requeue_delay = Duration(0);
  return policy;
}

// One job of so many CPUs on one node, ten minutes.
inline JobSpec cpus(std::int32_t count, const std::string& user = "ann") {
  JobSpec spec;
  spec.user = user;
  spec.cpus_per_task = count;
  spec.time_limit = minutes(10);
  return spec;
}

class Lab {
 public:
  explicit Lab(Policy policy = small_policy()) {
    give(AdoptPolicy{std::make_shared<const Policy>(std::move(policy))});
  }
  Reply give(const Input& input) {
    engine_.handle(input, now_, turn_);
    return turn_.replies.front();
  }
  JobId submit(JobSpec spec) {
    const Reply reply = give(SubmitJob{std::move(spec)});
    return std::holds_alternative<Submitted>(reply) ? std::get<Submitted>(reply).job : JobId{};
  }
  void pass(Duration time) { now_ += time; }
  // Time passes and the timers go off, one after the other.
  void wait(Duration time) {
    const Instant until = now_ + time;
    while (turn_.wake_at && *turn_.wake_at <= until) {
      now_ = *turn_.wake_at;
      give(Tick{});
    }
    now_ = until;
  }
  void end(JobId job, JobState as = JobState::kCompleted) {
    give(RunEnded{job, this->job(job).attempt, Outcome{.state = as}});
  }
  // Every run that was told to end does.
  void obey() {
    const std::vector<Order> orders = turn_.orders;
    for (const Order& order : orders)
      if (const auto* end = std::get_if<EndJob>(&order))
        give(
            RunEnded{end->job, end->attempt, Outcome{.state = JobState::kCancelled, .signal = 15}});
  }

  Engine& engine() { return engine_; }
  const State& state() const { return engine_.state(); }
  const Turn& turn() const { return turn_; }
  Instant now() const { return now_; }
  const Job& job(JobId id) const { return state().job(id); }
  JobState state_of(JobId id) const { return job(id).state; }
  Rule why(JobId id) const { return engine_.explanation(id).reason.rule; }
  NodeId node_of(JobId id) const {
    return state().run_of(job(id)).allocation.shares().front().node;
  }

 private:
  Engine engine_;
  Turn turn_;
  Instant now_ = instant_at(seconds(1000));
};

inline const Actor kRoot{"root", true};
inline std::string message_of(const Reply& reply) {
  const auto* refused = std::get_if<Refused>(&reply);
  return refused == nullptr ? "" : refused->refusal.message;
}

}  // namespace sluice
