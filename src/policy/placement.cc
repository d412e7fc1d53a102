// Finds nodes for a job, in order, dealing out tasks.
#include "policy/placement.h"

#include <algorithm>
#include <bit>

namespace sluice {
namespace {

std::uint64_t lowest_bits(std::uint64_t mask, int count) {
  std::uint64_t out = 0;
  for (; count > 0 && mask != 0; --count) {
    const std::uint64_t bit = mask & (~mask + 1);
    out |= bit;
    mask ^= bit;
  }
  return out;
}

std::int32_t whole_cores(const Node& node, std::int32_t cpus) {
  const std::int32_t threads = std::max(1, node.threads_per_core);
  return (cpus + threads - 1) / threads * threads;
}

struct Candidate {
  NodeId node;
  std::int32_t tasks = 0;  // At most.
};

// The alternative of the constraint that this node satisfies, or -1.
bool satisfies(const Topology& topology, const Constraint& constraint, NodeId node) {
  if (constraint.any_of.empty()) return true;
  return std::any_of(constraint.any_of.begin(), constraint.any_of.end(),
                     [&](const auto& all) { return topology.has_features(node, all); });
}

class Placement {
 public:
  Placement(const Topology& topology, const Shape& shape, PartitionId partition,
            const std::vector<NodeFree>& free)
      : topology_(topology), shape_(shape), partition_(partition), free_(free) {}

  std::optional<Allocation> find() {
    const Constraint& constraint = shape_.request->constraint;
    if (!constraint.same_for_all_nodes) return find_with(nullptr);
    for (const auto& alternative : constraint.any_of)
      if (auto found = find_with(&alternative)) return found;
    return std::nullopt;
  }

 private:
  std::optional<Allocation> find_with(const std::vector<std::string>* alternative) {
    const std::int32_t per_job = gpus_per_job();
    // A job that fits one node, the common case, takes the first node with room.
    if (shape_.min_nodes == 1 && per_job == 0 && shape_.request->require_nodes.empty()) {
      bool several = shape_.max_nodes > 1 && shape_.tasks > 1;
      for (NodeId node : topology_.candidates(partition_)) {
        const std::int32_t tasks = fit(node, alternative);
        if (tasks >= shape_.tasks) return Allocation(share(node, shape_.tasks, 0));
        if (several && tasks > 0) break;  // Slurm fills nodes in order rather than skip one.
      }
      if (!several) return std::nullopt;
    }
    candidates_.clear();
    for (NodeId node : topology_.candidates(partition_)) {
      const std::int32_t tasks = fit(node, alternative);
      if (tasks > 0) candidates_.push_back({node, tasks});
    }
    if (!require_named()) return std::nullopt;
    return choose(per_job);
  }

  std::int32_t fit(NodeId node, const std::vector<std::string>* alternative) const {
    const NodeFree& free = free_[node.index()];
    if (!free.usable || free.cpus < shape_.cpus_per_task) return 0;
    if (!shape_.only_cpus) {
      if (!may_use(topology_, shape_, node)) return 0;
      if (alternative != nullptr && !topology_.has_features(node, *alternative)) return 0;
    }
    const std::int32_t tasks = tasks_that_fit(topology_, shape_, node, free);
    if (shape_.tasks_per_node > 0)
      return tasks >= shape_.tasks_per_node ? shape_.tasks_per_node : 0;
    return tasks;
  }

  // Nodes named with --nodelist must all be there, and come first.
  bool require_named() {
    std::size_t next = 0;
    for (const std::string& name : shape_.request->require_nodes) {
      auto it = std::find_if(candidates_.begin() + static_cast<std::ptrdiff_t>(next),
                             candidates_.end(), [&](const Candidate& c) {
                               return topology_.policy().nodes[c.node.index()].name == name;
                             });
      if (it == candidates_.end()) return false;
      std::rotate(candidates_.begin() + static_cast<std::ptrdiff_t>(next), it, it + 1);
      ++next;
    }
    required_ = next;
    return true;
  }

  std::int32_t gpus_per_job() const {
    std::int32_t count = 0;
    for (const GpuNeed& need : shape_.gpus)
      if (need.per == GpusPer::kJob) count += need.count;
    return count;
  }

  std::optional<Allocation> choose(std::int32_t per_job) {
    const std::size_t least = static_cast<std::size_t>(shape_.min_nodes);
    const std::size_t most =
        std::min<std::size_t>(static_cast<std::size_t>(shape_.max_nodes), candidates_.size());
    if (candidates_.size() < least || most < least) return std::nullopt;
    // In order; where that takes too many nodes, the roomiest first.
    if (auto chosen = greedy(least, most, per_job)) return chosen;
    std::stable_sort(candidates_.begin() + static_cast<std::ptrdiff_t>(required_),
                     candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.tasks > b.tasks; });
    return greedy(least, most, per_job);
  }

  std::optional<Allocation> greedy(std::size_t least, std::size_t most, std::int32_t per_job) {
    std::vector<Candidate> chosen;
    std::int64_t tasks = 0;
    std::int32_t gpus = 0;
    for (const Candidate& candidate : candidates_) {
      if (chosen.size() >= std::max(least, required_) && tasks >= shape_.tasks && gpus >= per_job)
        break;
      if (chosen.size() == most) return std::nullopt;
      chosen.push_back(candidate);
      tasks += candidate.tasks;
      gpus += free_gpus_for_job(candidate.node);
    }
    if (chosen.size() < least || tasks < shape_.tasks || gpus < per_job) return std::nullopt;
    return deal(chosen, per_job);
  }

  std::int32_t free_gpus_for_job(NodeId node) const {
    std::uint64_t mask = 0;
    for (const GpuNeed& need : shape_.gpus)
      if (need.per == GpusPer::kJob) mask |= topology_.gpus(node, need.tres);
    return std::popcount(mask & free_[node.index()].gpus);
  }

  // Every node gets a task, then one after the other in turn while they have room.
  std::optional<Allocation> deal(std::vector<Candidate>& chosen, std::int32_t per_job) {
    std::sort(chosen.begin(), chosen.end(),
              [](const Candidate& a, const Candidate& b) { return a.node < b.node; });
    std::vector<std::int32_t> given(chosen.size(), 0);
    std::int32_t left =
        std::max<std::int32_t>(shape_.tasks, static_cast<std::int32_t>(chosen.size()));
    if (shape_.tasks_per_node > 0) {
      std::fill(given.begin(), given.end(), shape_.tasks_per_node);
      left = 0;
    }
    while (left > 0) {
      bool moved = false;
      for (std::size_t i = 0; i < chosen.size() && left > 0; ++i)
        if (given[i] < chosen[i].tasks) {
          ++given[i];
          --left;
          moved = true;
        }
      if (!moved) return std::nullopt;
    }
    Allocation out;
    std::int32_t gpus_left = per_job;
    std::size_t nodes_left = chosen.size();
    for (std::size_t i = 0; i < chosen.size(); ++i, --nodes_left) {
      // What remains is spread so that the nodes after this one can hold the rest.
      std::int32_t here = 0;
      if (per_job > 0) {
        std::int32_t later = 0;
        for (std::size_t k = i + 1; k < chosen.size(); ++k)
          later += free_gpus_for_job(chosen[k].node);
        const std::int32_t fair = (gpus_left + static_cast<std::int32_t>(nodes_left) - 1) /
                                  static_cast<std::int32_t>(nodes_left);
        here = std::clamp(fair, std::max(0, gpus_left - later), free_gpus_for_job(chosen[i].node));
        gpus_left -= here;
      }
      out.add(share(chosen[i].node, given[i], here));
    }
    return out;
  }

  NodeShare share(NodeId id, std::int32_t tasks, std::int32_t job_gpus) const {
    const Node& node = topology_.policy().nodes[id.index()];
    const NodeFree& free = free_[id.index()];
    NodeShare out;
    out.node = id;
    out.cpus = shape_.exclusive ? node.cpus : whole_cores(node, tasks * shape_.cpus_per_task);
    std::uint64_t available = free.gpus;
    for (const GpuNeed& need : shape_.gpus) {
      int count = need.count;
      if (need.per == GpusPer::kTask) count *= tasks;
      if (need.per == GpusPer::kSocket) count *= std::max(1, node.sockets);
      if (need.per == GpusPer::kJob) count = std::min(job_gpus, need.count);
      const std::uint64_t got = lowest_bits(available & topology_.gpus(id, need.tres), count);
      out.gpus |= got;
      available &= ~got;
    }
    if (shape_.exclusive) out.gpus = free.gpus;
    if (topology_.policy().jobs.memory_is_consumable) {
      if (shape_.whole_memory)
        out.memory_mb = node.memory_mb;
      else
        out.memory_mb = shape_.memory_per_node +
                        shape_.memory_per_cpu * std::max(out.cpus, tasks * shape_.cpus_per_task) +
                        shape_.memory_per_gpu * std::popcount(out.gpus);
    }
    return out;
  }

  const Topology& topology_;
  const Shape& shape_;
  PartitionId partition_;
  const std::vector<NodeFree>& free_;
  std::vector<Candidate> candidates_;
  std::size_t required_ = 0;
};

}  // namespace

void read_free(const State& state, std::vector<NodeFree>& out) {
  out.resize(state.nodes().size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const NodeUse& use = state.nodes()[i];
    out[i] = NodeFree{use.cpus - use.cpus_taken - use.cpus_suspended, use.jobs,
                      use.memory - use.memory_taken, use.gpus & ~use.gpus_taken,
                      use.state == NodeState::kUp && use.exclusive == 0};
  }
}

void take(std::vector<NodeFree>& free, const Allocation& allocation) {
  for (const NodeShare& share : allocation.shares()) {
    NodeFree& node = free[share.node.index()];
    if (share.layer == 0) node.cpus -= share.cpus;
    node.memory -= share.memory_mb;
    node.gpus &= ~share.gpus;
    ++node.jobs;
  }
}

void give(std::vector<NodeFree>& free, const Allocation& allocation) {
  for (const NodeShare& share : allocation.shares()) {
    NodeFree& node = free[share.node.index()];
    if (share.layer == 0) node.cpus += share.cpus;
    node.memory += share.memory_mb;
    node.gpus |= share.gpus;
    --node.jobs;
  }
}

bool may_use(const Topology& topology, const Shape& shape, NodeId node) {
  const JobSpec& request = *shape.request;
  const std::string& name = topology.policy().nodes[node.index()].name;
  const auto& excluded = request.exclude_nodes;
  if (std::find(excluded.begin(), excluded.end(), name) != excluded.end()) return false;
  return satisfies(topology, request.constraint, node);
}

std::int32_t tasks_that_fit(const Topology& topology, const Shape& shape, NodeId id,
                            const NodeFree& free) {
  const Node& node = topology.policy().nodes[id.index()];
  if (shape.exclusive && free.jobs > 0) return 0;
  const std::int32_t threads = std::max(1, node.threads_per_core);
  std::int32_t tasks = free.cpus / threads * threads / shape.cpus_per_task;
  if (topology.policy().jobs.memory_is_consumable) {
    if (shape.whole_memory && free.memory < node.memory_mb) return 0;
    if (free.memory < shape.memory_per_node) return 0;
    if (shape.memory_per_cpu > 0)
      tasks = static_cast<std::int32_t>(std::min<std::int64_t>(
          tasks, free.memory / (shape.memory_per_cpu * shape.cpus_per_task)));
  }
  for (const GpuNeed& need : shape.gpus) {
    const int has = std::popcount(free.gpus & topology.gpus(id, need.tres));
    if (need.per == GpusPer::kNode && has < need.count) return 0;
    if (need.per == GpusPer::kSocket && has < need.count * std::max(1, node.sockets)) return 0;
    if (need.per == GpusPer::kTask) tasks = std::min(tasks, has / need.count);
    if (need.per == GpusPer::kJob && has == 0) return 0;
    if (need.per == GpusPer::kNode && shape.memory_per_gpu > 0 &&
        free.memory < shape.memory_per_gpu * need.count)
      return 0;
  }
  return tasks;
}

std::optional<Allocation> place(const Topology& topology, const Shape& shape, PartitionId partition,
                                const std::vector<NodeFree>& free) {
  return Placement(topology, shape, partition, free).find();
}

}  // namespace sluice
