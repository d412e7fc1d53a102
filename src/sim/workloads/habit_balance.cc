// Capacities and what habits take of them; weights are cut until the limits fit.
#include "sim/workloads/habit_balance.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace sluice {
namespace {

constexpr int kRounds = 30;

struct Capacity {
  double amount = 0;
  bool machine = false;                                // Of nodes, not a limit.
  std::vector<std::pair<std::size_t, double>> takers;  // Habits, and what each draw takes.
};

// What some nodes have together.
struct Machine {
  double cpus = 0;
  double gpus = 0;
  double memory = 0;
  void add(const Node& node) {
    cpus += node.cpus;
    gpus += static_cast<double>(node.gpus.size());
    memory += static_cast<double>(node.memory_mb);
  }
};

class Capacities {
 public:
  Capacities(const Policy& policy, const Workload& names, const std::vector<Habit>& habits)
      : policy_(policy), names_(names) {
    for (const Node& node : policy.nodes) cluster_.add(node);
    for (const Partition& partition : policy.partitions) {
      partitions_.emplace_back();
      for (const NodeId id : partition.nodes) partitions_.back().add(policy.nodes[id.index()]);
    }
    for (std::size_t i = 0; i < habits.size(); ++i) add(i, habits[i].request);
  }

  // Weights under limits that are fuller than the machine are cut to its level.
  void balance(std::vector<Habit>& habits) const {
    for (int round = 0; round < kRounds; ++round) {
      double machine = 0;
      for (const auto& [key, capacity] : all_)
        if (capacity.machine) machine = std::max(machine, load(capacity, habits));
      bool changed = false;
      for (const auto& [key, capacity] : all_) {
        const double full = capacity.machine ? 0 : load(capacity, habits);
        if (full <= machine * 1.001) continue;
        changed = true;
        for (const auto& [habit, amount] : capacity.takers) habits[habit].weight *= machine / full;
      }
      if (!changed) return;
    }
  }

 private:
  static double load(const Capacity& capacity, const std::vector<Habit>& habits) {
    double sum = 0;
    for (const auto& [habit, amount] : capacity.takers) sum += habits[habit].weight * amount;
    return sum / capacity.amount;
  }

  void take(const std::string& key, std::size_t habit, double amount, double capacity,
            bool machine = false) {
    if (amount <= 0 || capacity <= 0) return;
    Capacity& entry = all_[key];
    entry.amount = capacity;
    entry.machine = machine;
    entry.takers.emplace_back(habit, amount * time_);
  }

  void tres(const std::string& key, std::size_t habit, const TresLimits& limits) {
    const std::pair<TresIndex, double> held[] = {
        {kTresCpu, cpus_}, {kTresGpu, gpus_}, {kTresMem, memory_}};
    for (const auto& [index, amount] : held)
      if (const auto most = limits.get(index))
        take(key + policy_.tres.name(index), habit, amount, static_cast<double>(*most));
  }

  void jobs(const std::string& key, std::size_t habit, const std::optional<std::int64_t>& most) {
    if (most) take(key + "jobs", habit, 1, static_cast<double>(*most));
  }

  void add(std::size_t habit, const WorkRequest& request) {
    cpus_ = request.cpus;
    gpus_ = request.gpus;
    memory_ = static_cast<double>(request.memory_mb) *
              (request.memory_per == MemoryPer::kCpu ? request.cpus : 1);
    time_ = static_cast<double>(to_seconds(request.limit));
    const std::string& user = names_.users[request.user];
    const std::string& account = names_.accounts[request.account];
    const Partition& partition = policy_.partitions[request.partition - 1];
    nodes(habit, "cluster ", cluster_);
    nodes(habit, "partition " + partition.name + " ", partitions_[request.partition - 1]);
    auto assoc = policy_.find_association(account, user, partition.name);
    if (request.qos > 0)
      qos(habit, policy_.find_qos(names_.qos[request.qos - 1]), user, account);
    else if (assoc)
      qos(habit, policy_.default_qos(*assoc), user, account);
    qos(habit, partition.qos, user, account);
    while (assoc) {
      const Association& each = policy_.associations[assoc->index()];
      const std::string key = "association " + std::to_string(assoc->index()) + " ";
      tres(key, habit, each.group.tres);
      jobs(key, habit, each.group.jobs);
      if (!each.user.empty()) jobs(key + "max ", habit, each.max_jobs);
      assoc = each.parent;
    }
  }

  void nodes(std::size_t habit, const std::string& key, const Machine& machine) {
    take(key + "cpu", habit, cpus_, machine.cpus, true);
    take(key + "gpu", habit, gpus_, machine.gpus, true);
    if (policy_.jobs.memory_is_consumable) take(key + "mem", habit, memory_, machine.memory, true);
  }

  void qos(std::size_t habit, std::optional<QosId> id, const std::string& user,
           const std::string& account) {
    if (!id) return;
    const Qos& qos = policy_.qos[id->index()];
    const std::string key = "qos " + qos.name + " ";
    tres(key, habit, qos.group.tres);
    jobs(key, habit, qos.group.jobs);
    tres(key + "user " + user + " ", habit, qos.user.max_tres);
    jobs(key + "user " + user + " ", habit, qos.user.max_jobs);
    tres(key + "account " + account + " ", habit, qos.account.max_tres);
    jobs(key + "account " + account + " ", habit, qos.account.max_jobs);
  }

  const Policy& policy_;
  const Workload& names_;
  Machine cluster_;
  std::vector<Machine> partitions_;
  std::map<std::string, Capacity> all_;
  double cpus_ = 0;
  double gpus_ = 0;
  double memory_ = 0;
  double time_ = 0;
};

}  // namespace

void balance_habits(const Policy& policy, const Workload& names, std::vector<Habit>& habits) {
  Capacities(policy, names, habits).balance(habits);
}

}  // namespace sluice
