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

// What the tasks take there. A node that a job has for itself gives no more memory than was asked.
std::int64_t memory_for(const Shape& shape, const Node& node, std::int32_t tasks,
                        std::int64_t gpus) {
  const std::int32_t cpus = tasks * shape.cpus_per_task;
  return shape.memory_per_node +
         shape.memory_per_cpu * (shape.exclusive ? cpus : whole_cores(node, cpus)) +
         shape.memory_per_gpu * gpus;
}

// GPUs that so many tasks need on one node; those of the whole job are dealt out later.
std::int32_t gpus_for(const GpuNeed& need, const Node& node, std::int32_t tasks) {
  switch (need.per) {
    case GpusPer::kNode:
      return need.count;
    case GpusPer::kSocket:
      return need.count * std::max(1, node.sockets);
    case GpusPer::kTask:
      return need.count * tasks;
    case GpusPer::kJob:
      return 0;
  }
  return 0;
}

struct Candidate {
  NodeId node;
  std::int32_t tasks = 0;  // At most.
  std::int32_t given = 0;
};

// The alternative of the constraint that this node satisfies, or -1.
bool satisfies(const Topology& topology, const Constraint& constraint, NodeId node) {
  if (constraint.any_of.empty()) return true;
  return std::any_of(constraint.any_of.begin(), constraint.any_of.end(),
                     [&](const auto& all) { return topology.has_features(node, all); });
}

class Placement {
 public:
  Placement(const Topology& topology, const Shape& shape, const std::vector<NodeFree>& free,
            std::span<const NodeId> nodes)
      : topology_(topology),
        shape_(shape),
        nodes_(nodes),
        free_(free),
        any_node_(takes_any_node(shape)) {}

  std::optional<Allocation> find() {
    const Constraint& constraint = shape_.request->constraint;
    if (!constraint.same_for_all_nodes) return find_with(nullptr);
    for (const auto& alternative : constraint.any_of)
      if (auto found = find_with(&alternative)) return found;
    return std::nullopt;
  }

 private:
  std::optional<Allocation> find_with(const std::vector<std::string>* alternative) {
    // A job that fits one node, the common case, takes the first node with room.
    if (shape_.min_nodes == 1 && !asks_gpus_per_job() && shape_.request->require_nodes.empty()) {
      bool several = shape_.max_nodes > 1 && shape_.tasks > 1;
      for (NodeId node : nodes_) {
        const std::int32_t tasks = fit(node, alternative);
        if (tasks >= shape_.tasks)
          if (auto only = share(node, shape_.tasks))
            return Allocation(finished(*only, shape_.tasks));
        if (several && tasks > 0) break;  // Slurm fills nodes in order rather than skip one.
      }
      if (!several) return std::nullopt;
    }
    candidates_.clear();
    if (!could_fit(alternative)) return std::nullopt;
    for (NodeId node : nodes_) {
      const std::int32_t tasks = fit(node, alternative);
      if (tasks > 0) candidates_.push_back({node, tasks});
    }
    if (!require_named()) return std::nullopt;
    return choose();
  }

  // Whether enough nodes have room for enough tasks. Most that wait fail here, with nothing
  // allocated yet.
  bool could_fit(const std::vector<std::string>* alternative) {
    std::size_t nodes = 0;
    std::int64_t tasks = 0;
    for (NodeId node : nodes_) {
      const std::int32_t here = fit(node, alternative);
      nodes += here > 0 ? 1 : 0;
      tasks += here;
    }
    if (nodes < static_cast<std::size_t>(shape_.min_nodes) || tasks < shape_.tasks) return false;
    candidates_.reserve(nodes);
    return true;
  }

  std::int32_t fit(NodeId node, const std::vector<std::string>* alternative) const {
    const NodeFree& free = free_[node.index()];
    if (!free.usable || free.one_alone || free.cpus < shape_.cpus_per_task) return 0;
    if (!any_node_) {
      if (!may_use(topology_, shape_, node)) return 0;
      if (alternative != nullptr && !topology_.has_features(node, *alternative)) return 0;
    }
    return tasks_there(topology_, shape_, node, free);
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

  bool asks_gpus_per_job() const {
    return std::any_of(shape_.gpus.begin(), shape_.gpus.end(),
                       [](const GpuNeed& need) { return need.per == GpusPer::kJob; });
  }

  std::optional<Allocation> choose() {
    const std::size_t least = static_cast<std::size_t>(shape_.min_nodes);
    const std::size_t most =
        std::min<std::size_t>(static_cast<std::size_t>(shape_.max_nodes), candidates_.size());
    if (candidates_.size() < least || most < least) return std::nullopt;
    // In order; where that takes too many nodes, the roomiest first.
    if (auto chosen = greedy(least, most)) return chosen;
    std::stable_sort(candidates_.begin() + static_cast<std::ptrdiff_t>(required_),
                     candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.tasks > b.tasks; });
    return greedy(least, most);
  }

  std::optional<Allocation> greedy(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    std::int64_t tasks = 0;
    for (const Candidate& candidate : candidates_) {
      if (count >= std::max(least, required_) && tasks >= shape_.tasks && have_gpus_of_job(count))
        break;
      if (count == most) return std::nullopt;
      ++count;
      tasks += candidate.tasks;
    }
    if (count < least || tasks < shape_.tasks || !have_gpus_of_job(count)) return std::nullopt;
    chosen_.assign(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count));
    return deal();
  }

  bool have_gpus_of_job(std::size_t chosen) const {
    return std::all_of(shape_.gpus.begin(), shape_.gpus.end(), [&](const GpuNeed& need) {
      if (need.per != GpusPer::kJob) return true;
      std::int32_t gpus = 0;
      for (std::size_t i = 0; i < chosen; ++i)
        gpus += std::popcount(free_[candidates_[i].node.index()].gpus &
                              topology_.gpus(candidates_[i].node, need.tres));
      return gpus >= need.count;
    });
  }

  // Every node gets a task, then one after the other in turn while they have room.
  std::optional<Allocation> deal() {
    std::sort(chosen_.begin(), chosen_.end(),
              [](const Candidate& a, const Candidate& b) { return a.node < b.node; });
    if (!deal_tasks()) return std::nullopt;
    std::vector<NodeShare> shares;
    shares.reserve(chosen_.size());
    for (const Candidate& candidate : chosen_) {
      const auto one = share(candidate.node, candidate.given);
      if (!one) return std::nullopt;
      shares.push_back(*one);
    }
    for (const GpuKind kind : {GpuKind::kTyped, GpuKind::kAny})
      for (const GpuNeed& need : shape_.gpus)
        if (need.per == GpusPer::kJob && kind_of(need) == kind && !deal_gpus(shares, need))
          return std::nullopt;
    Allocation out;
    out.reserve(shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      out.add(finished(shares[i], chosen_[i].given));
      if (topology_.policy().jobs.memory_is_consumable &&
          out.shares().back().memory_mb > free_[shares[i].node.index()].memory)
        return std::nullopt;
    }
    return out;
  }

  bool deal_tasks() {
    if (shape_.tasks_per_node > 0) {
      for (Candidate& candidate : chosen_) candidate.given = shape_.tasks_per_node;
      return true;
    }
    std::int32_t left =
        std::max<std::int32_t>(shape_.tasks, static_cast<std::int32_t>(chosen_.size()));
    while (left > 0) {
      // As many whole rounds at once as everybody who still has room can take.
      std::int32_t open = 0;
      std::int32_t rounds = left;
      for (const Candidate& candidate : chosen_) {
        if (candidate.given >= candidate.tasks) continue;
        ++open;
        rounds = std::min(rounds, candidate.tasks - candidate.given);
      }
      if (open == 0) return false;
      rounds = std::max(1, std::min(rounds, left / open));
      for (Candidate& candidate : chosen_) {
        if (candidate.given >= candidate.tasks || left == 0) continue;
        const std::int32_t more = std::min(rounds, left);
        candidate.given += more;
        left -= more;
      }
    }
    return true;
  }

  // Typed GPUs are given first, so that those who take any do not take them away.
  enum class GpuKind : std::uint8_t { kTyped, kAny };
  static GpuKind kind_of(const GpuNeed& need) {
    return need.tres == kTresGpu ? GpuKind::kAny : GpuKind::kTyped;
  }

  // Spread evenly, but so that the nodes after each can hold the rest.
  bool deal_gpus(std::vector<NodeShare>& shares, const GpuNeed& need) const {
    const auto on = [&](const NodeShare& share) {
      return free_[share.node.index()].gpus & ~share.gpus & topology_.gpus(share.node, need.tres);
    };
    int left = need.count;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const int here = std::popcount(on(shares[i]));
      int later = 0;
      for (std::size_t k = i + 1; k < shares.size(); ++k) later += std::popcount(on(shares[k]));
      const int nodes_left = static_cast<int>(shares.size() - i);
      const int least = std::max(0, left - later);
      if (least > here) return false;
      const int count = std::clamp((left + nodes_left - 1) / nodes_left, least, here);
      shares[i].gpus |= lowest_bits(on(shares[i]), count);
      left -= count;
    }
    return left == 0;
  }

  // CPUs, and the GPUs that these tasks and the node itself need.
  std::optional<NodeShare> share(NodeId id, std::int32_t tasks) const {
    const Node& node = topology_.policy().nodes[id.index()];
    NodeShare out;
    out.node = id;
    out.cpus = shape_.exclusive ? node.cpus : whole_cores(node, tasks * shape_.cpus_per_task);
    if (shape_.gpus.empty()) return out;
    std::uint64_t available = free_[id.index()].gpus;
    for (const GpuKind kind : {GpuKind::kTyped, GpuKind::kAny})
      for (const GpuNeed& need : shape_.gpus) {
        if (kind_of(need) != kind) continue;
        const int count = gpus_for(need, node, tasks);
        const std::uint64_t got = lowest_bits(available & topology_.gpus(id, need.tres), count);
        if (std::popcount(got) < count) return std::nullopt;
        out.gpus |= got;
        available &= ~got;
      }
    return out;
  }

  // With its memory, and all that a node has where the job has it for itself.
  NodeShare finished(NodeShare out, std::int32_t tasks) const {
    const Node& node = topology_.policy().nodes[out.node.index()];
    if (topology_.policy().jobs.memory_is_consumable)
      out.memory_mb = shape_.whole_memory
                          ? node.memory_mb
                          : memory_for(shape_, node, tasks, std::popcount(out.gpus));
    if (shape_.exclusive) out.gpus = free_[out.node.index()].gpus;
    return out;
  }

  const Topology& topology_;
  const Shape& shape_;
  std::span<const NodeId> nodes_;  // In order of trying.
  const std::vector<NodeFree>& free_;
  bool any_node_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> chosen_;
  std::size_t required_ = 0;
};

}  // namespace

namespace {

std::int32_t tasks_with_gpus(const Topology& topology, const Shape& shape, NodeId id,
                             const NodeFree& free, std::int32_t tasks) {
  const Node& node = topology.policy().nodes[id.index()];
  const bool memory_counts = topology.policy().jobs.memory_is_consumable && !shape.whole_memory;
  bool asks_per_job = false;
  bool has_some_for_job = false;
  for (const GpuNeed& need : shape.gpus) {
    const int has = std::popcount(free.gpus & topology.gpus(id, need.tres));
    if (need.per == GpusPer::kTask) tasks = std::min(tasks, has / need.count);
    if (gpus_for(need, node, 0) > has) return 0;
    if (need.per != GpusPer::kJob) continue;
    asks_per_job = true;
    has_some_for_job |= has > 0;
  }
  if (asks_per_job && !has_some_for_job) return 0;
  for (; tasks > 0; --tasks) {
    std::int32_t gpus = 0;
    for (const GpuNeed& need : shape.gpus) gpus += gpus_for(need, node, tasks);
    if (gpus <= std::popcount(free.gpus) &&
        (!memory_counts || memory_for(shape, node, tasks, gpus) <= free.memory))
      break;
  }
  return tasks;
}

}  // namespace

NodeFree free_of(const NodeUse& use) {
  return NodeFree{use.cpus - use.cpus_taken - use.cpus_suspended,
                  use.jobs,
                  use.memory - use.memory_taken,
                  use.gpus & ~use.gpus_taken,
                  use.state == NodeState::kUp,
                  use.exclusive > 0};
}

void read_free(const State& state, std::vector<NodeFree>& out) {
  out.resize(state.nodes().size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = free_of(state.nodes()[i]);
}

void take(NodeFree& free, const NodeShare& share) {
  if (share.layer == 0) free.cpus -= share.cpus;
  free.memory -= share.memory_mb;
  free.gpus &= ~share.gpus;
  ++free.jobs;
}

void take(std::vector<NodeFree>& free, const Allocation& allocation) {
  for (const NodeShare& share : allocation.shares()) take(free[share.node.index()], share);
}

void give(std::vector<NodeFree>& free, const Allocation& allocation) {
  for (const NodeShare& share : allocation.shares()) {
    NodeFree& node = free[share.node.index()];
    if (share.layer == 0) node.cpus += share.cpus;
    node.memory += share.memory_mb;
    node.gpus |= share.gpus;
    if (--node.jobs == 0) node.one_alone = false;
  }
}

bool may_use(const Topology& topology, const Shape& shape, NodeId node) {
  const JobSpec& request = *shape.request;
  const std::string& name = topology.policy().nodes[node.index()].name;
  const auto& excluded = request.exclude_nodes;
  if (std::find(excluded.begin(), excluded.end(), name) != excluded.end()) return false;
  return satisfies(topology, request.constraint, node);
}

bool takes_any_node(const Shape& shape) {
  if (shape.only_cpus) return true;
  const JobSpec& request = *shape.request;
  return shape.gpus.empty() && request.constraint.any_of.empty() && request.require_nodes.empty() &&
         request.exclude_nodes.empty();
}

bool takes_first_nodes(const Topology& topology, const Shape& shape, PartitionId partition) {
  return shape.tasks_per_node == 0 &&
         static_cast<std::size_t>(shape.max_nodes) >= topology.candidates(partition).size() &&
         takes_any_node(shape);
}

std::int32_t tasks_there(const Topology& topology, const Shape& shape, NodeId node,
                         const NodeFree& free) {
  if (!free.usable || free.cpus < shape.cpus_per_task) return 0;
  const std::int32_t tasks = tasks_that_fit(topology, shape, node, free);
  if (shape.tasks_per_node > 0) return tasks >= shape.tasks_per_node ? shape.tasks_per_node : 0;
  return tasks;
}

std::int32_t tasks_that_fit(const Topology& topology, const Shape& shape, NodeId id,
                            const NodeFree& free) {
  const Node& node = topology.policy().nodes[id.index()];
  if (shape.exclusive && free.jobs > 0) return 0;
  const std::int32_t threads = std::max(1, node.threads_per_core);
  // Dividing takes longer than everything else here, and is mostly by one.
  std::int32_t tasks = free.cpus;
  if (threads > 1) tasks = tasks / threads * threads;
  if (shape.cpus_per_task > 1) tasks /= shape.cpus_per_task;
  if (topology.policy().jobs.memory_is_consumable) {
    if (shape.whole_memory && free.memory < node.memory_mb) return 0;
    if (free.memory < shape.memory_per_node) return 0;
    const std::int64_t each = shape.memory_per_cpu * shape.cpus_per_task;
    if (each > 0 && each * tasks > free.memory)
      tasks = static_cast<std::int32_t>(free.memory / each);
  }
  if (!shape.gpus.empty()) {
    tasks = tasks_with_gpus(topology, shape, id, free, tasks);
  } else if (shape.memory_per_cpu > 0 && threads > 1) {
    while (tasks > 0 && memory_for(shape, node, tasks, 0) > free.memory) --tasks;
  }
  return tasks;
}

std::optional<Allocation> place(const Topology& topology, const Shape& shape, PartitionId partition,
                                const std::vector<NodeFree>& free) {
  return Placement(topology, shape, free, topology.candidates(partition)).find();
}

std::optional<Allocation> place(const Topology& topology, const Shape& shape, PartitionId,
                                const std::vector<NodeFree>& free,
                                std::span<const NodeId> candidates) {
  return Placement(topology, shape, free, candidates).find();
}

}  // namespace sluice
