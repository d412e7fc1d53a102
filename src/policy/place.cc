// Finds nodes for a job and deals out tasks, GPUs and memory on them.
#include <algorithm>
#include <bit>
#include <limits>

#include "policy/node_needs.h"
#include "policy/node_selection.h"
#include "policy/placement.h"
#include "policy/wanted_nodes.h"

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

// A node that gives GPUs is counted with no more CPUs than the tasks need that can be on it.
std::int32_t gpu_tasks_on_node(const Shape& shape) {
  if (shape.max_nodes == 1) return shape.tasks;
  if (shape.cpus_with_each_gpu > 0)
    return shape.request->tasks == 1 ? shape.tasks : std::numeric_limits<std::int32_t>::max();
  const bool one_each =
      shape.tasks == 1 || (shape.tasks == shape.min_nodes && shape.tasks == shape.max_nodes);
  return one_each ? 1 : std::numeric_limits<std::int32_t>::max();
}

class Placement {
 public:
  Placement(const Topology& topology, const Shape& shape, PartitionId partition,
            const std::vector<NodeFree>& free, std::span<const NodeId> nodes)
      : topology_(topology),
        shape_(shape),
        nodes_(nodes),
        free_(free),
        any_node_(takes_any_node(shape)),
        gpus_per_job_(asks_gpus_per_job(shape)),
        features_(&shape.request->constraint),
        prefers_(shape.prefers),
        wanted_(wanted_nodes(topology, shape, partition)) {
    if (!shape.gpus.empty()) most_tasks_on_node_ = gpu_tasks_on_node(shape);
  }

  // Plans for later are made without what the job prefers, and with bf_busy_nodes on nodes that are
  // in use now first.
  void plan_later(const std::vector<NodeFree>& now) {
    prefers_ = false;
    if (!topology_.policy().scheduler.backfill_busy_nodes || wanted_.contiguous ||
        wanted_.pick == Pick::kInOrder)
      return;
    wanted_.pick = Pick::kBusyFirst;
    now_ = &now;
  }

  std::optional<Allocation> find() {
    if (!prefers_) return find_with_features();
    features_ = &shape_.request->prefer;
    if (auto found = find_with_features()) return found;
    features_ = &shape_.request->constraint;
    fit_ = {};  // It was looked at with the others.
    return find_with_features();
  }

 private:
  using Features = const std::vector<std::string>*;

  std::optional<Allocation> find_with_features() {
    const Constraint& constraint = *features_;
    if (!constraint.counted.empty()) return find_counted();
    if (!constraint.same_for_all_nodes) return find_with(nullptr);
    for (const auto& alternative : constraint.any_of)
      if (auto found = find_with(&alternative)) return found;
    return std::nullopt;
  }

  std::optional<Allocation> find_with(Features alternative) {
    if (wanted_.most_nodes < wanted_.least_nodes) return std::nullopt;
    if (wanted_.most_nodes == 1 && !gpus_per_job_ && !shape_.names_nodes && !shape_.chooses_nodes &&
        wanted_.pick == Pick::kTightest)
      return find_one(alternative);
    if (!could_fit(alternative)) return std::nullopt;
    collect(alternative);
    if (!has_named()) return std::nullopt;
    return select();
  }

  // A constraint with counts: for each feature as many nodes as it says, as for a job of that many
  // CPUs; what they lack is then found beside them, on any nodes.
  std::optional<Allocation> find_counted() {
    if (wanted_.most_nodes < wanted_.least_nodes || !could_fit(nullptr)) return std::nullopt;
    collect(nullptr);
    if (!has_named()) return std::nullopt;
    const Constraint& constraint = *features_;
    std::vector<bool> counted(offers_.size(), false);
    for (const CountedFeature& feature : constraint.counted) {
      std::vector<Offer> some;
      std::vector<std::uint32_t> places;
      for (std::uint32_t i = 0; i < offers_.size(); ++i) {
        if (counted[i] && constraint.counted_apart) continue;
        if (!has_one_of(topology_, feature.any_of, offers_[i].node)) continue;
        some.push_back(offers_[i]);
        some.back().tasks *= wanted_.cpus_per_task;
        some.back().required = false;
        places.push_back(i);
      }
      Wanted wanted = wanted_;
      wanted.least_nodes = wanted.nodes = feature.nodes;
      wanted.tasks = feature.nodes;
      wanted.cpus_per_task = 1;
      NodeSelection selection(some, {}, wanted);
      if (!selection.find()) return std::nullopt;
      for (const std::uint32_t i : selection.chosen()) counted[places[i]] = true;
    }
    std::int32_t required = 0;
    for (std::uint32_t i = 0; i < offers_.size(); ++i) {
      offers_[i].required = offers_[i].required || counted[i];
      required += offers_[i].required ? 1 : 0;
    }
    if (required > wanted_.most_nodes) return std::nullopt;
    wanted_.least_nodes = std::max(wanted_.least_nodes, required);
    wanted_.nodes = std::max(wanted_.nodes, required);
    return select();
  }

  std::optional<Allocation> select() {
    wanted_.gpus = job_gpus_;
    NodeSelection selection(offers_, gpus_, wanted_);
    if (!selection.find()) return std::nullopt;
    chosen_.clear();
    for (std::uint32_t i : selection.chosen()) chosen_.push_back(offers_[i]);
    return deal();
  }

  // The common case, with nothing allocated.
  std::optional<Allocation> find_one(Features alternative) {
    OneNodeSelection selection;
    for (NodeId node : nodes_) {
      const Fit& here = fit(node, alternative);
      const std::int32_t tasks = std::min(here.tasks, most_tasks_on_node_);
      if (tasks >= shape_.tasks) selection.offer(node, topology_.rank(node), here.weight, tasks);
    }
    const NodeId* node = selection.find();
    if (node == nullptr) return std::nullopt;
    const auto only = share(*node, shape_.tasks);
    if (!only) return std::nullopt;
    return Allocation(finished(*only, shape_.tasks));
  }

  // Whether enough nodes have room for enough tasks. Most that wait fail here, with nothing
  // allocated yet.
  bool could_fit(Features alternative) {
    std::size_t nodes = 0;
    std::int64_t tasks = 0;
    for (NodeId node : nodes_) {
      const std::int32_t here = fit(node, alternative).tasks;
      nodes += here > 0 ? 1 : 0;
      tasks += here;
    }
    if (nodes < static_cast<std::size_t>(wanted_.least_nodes) || tasks < shape_.tasks) return false;
    offers_.reserve(nodes);
    return true;
  }

  void collect(Features alternative) {
    offers_.clear();
    gpus_.clear();
    job_gpus_.clear();
    for (const GpuNeed& need : shape_.gpus)
      if (need.per == GpusPer::kJob) job_gpus_.push_back(need.count);
    const std::vector<std::string>& named = shape_.request->require_nodes;
    for (NodeId node : nodes_) {
      const Fit& here = fit(node, alternative);
      const std::int32_t tasks = std::min(here.tasks, most_tasks_on_node_);
      if (tasks == 0) continue;
      const bool required =
          !named.empty() && std::find(named.begin(), named.end(), name_of(node)) != named.end();
      offers_.push_back({node, topology_.rank(node), here.weight, tasks,
                         std::max(1, here.like->threads_per_core), required, 0,
                         free_[node.index()].cpus, here.like->cpus,
                         now_ != nullptr && (*now_)[node.index()].jobs > 0});
      for (const GpuNeed& need : shape_.gpus)
        if (need.per == GpusPer::kJob) gpus_.push_back(free_gpus(node, need));
    }
  }

  std::int32_t free_gpus(NodeId node, const GpuNeed& need) const {
    return std::popcount(free_[node.index()].gpus & topology_.gpus(node, need.tres));
  }

  // Of nodes that weigh the same those come first that have more of the GPUs it could use.
  std::int64_t weight(NodeId node) const {
    const std::int64_t own = std::int64_t{topology_.policy().nodes[node.index()].weight} << 8;
    if (shape_.gpus.empty()) return own;
    constexpr std::int64_t kMost = 0xff;
    std::int64_t useful = 0;
    for (const GpuNeed& need : shape_.gpus) {
      const std::int64_t has = free_gpus(node, need);
      const bool of_job = need.per == GpusPer::kJob || need.per == GpusPer::kNode;
      const std::int64_t most = of_job ? need.count
                                : need.per == GpusPer::kTask
                                    ? std::int64_t{need.count} * shape_.tasks
                                    : has;
      useful += shape_.exclusive ? has : std::min(has, most);
    }
    return own + kMost - std::min(useful, kMost);
  }

  // What a node is to the job.
  struct Fit {
    std::uint32_t node_class = 0;
    NodeFree free;
    std::int32_t tasks = 0;  // That have room there.
    std::int64_t weight = 0;
    const Node* like = nullptr;  // A node of its class.
  };

  // Neighbours are mostly alike, and as empty as each other: then it is what the last one was.
  const Fit& fit(NodeId node, Features alternative) {
    const NodeFree& free = free_[node.index()];
    const std::uint32_t node_class = topology_.class_of(node);
    const bool same = fit_.like != nullptr && fit_for_ == alternative &&
                      fit_.node_class == node_class && fit_.free == free;
    if (same && shape_.request->exclude_nodes.empty()) return fit_;
    fit_for_ = alternative;
    fit_ = Fit{node_class, free, tasks_on(node, alternative), weight(node),
               &topology_.policy().nodes[node.index()]};
    return fit_;
  }

  const std::string& name_of(NodeId node) const {
    return topology_.policy().nodes[node.index()].name;
  }

  std::int32_t tasks_on(NodeId node, Features alternative) const {
    const NodeFree& free = free_[node.index()];
    if (!free.usable || free.one_alone || free.cpus < shape_.cpus_per_task) return 0;
    if (!any_node_) {
      if (!may_use(topology_, shape_, node, *features_)) return 0;
      if (alternative != nullptr && !topology_.has_features(node, *alternative)) return 0;
    }
    return tasks_there(topology_, shape_, node, free);
  }

  // Nodes named with --nodelist must all be there.
  bool has_named() const {
    const std::vector<std::string>& names = shape_.request->require_nodes;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::any_of(offers_.begin(), offers_.end(), [&](const Offer& offer) {
        return offer.required && name_of(offer.node) == name;
      });
    });
  }

  // In order of their names, whichever was chosen first.
  std::optional<Allocation> deal() {
    std::sort(chosen_.begin(), chosen_.end(),
              [](const Offer& a, const Offer& b) { return a.rank < b.rank; });
    if (!deal_tasks()) return std::nullopt;
    std::vector<NodeShare> shares;
    shares.reserve(chosen_.size());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const auto one = share(chosen_[i].node, given_[i]);
      if (!one) return std::nullopt;
      shares.push_back(*one);
    }
    for (const GpuKind kind : {GpuKind::kTyped, GpuKind::kAny})
      for (const GpuNeed& need : shape_.gpus)
        if (need.per == GpusPer::kJob && kind_of(need) == kind && !deal_gpus(shares, need))
          return std::nullopt;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      shares[i] = finished(shares[i], given_[i]);
      if (topology_.policy().jobs.memory_is_consumable &&
          shares[i].memory_mb > free_[shares[i].node.index()].memory)
        return std::nullopt;
    }
    std::sort(shares.begin(), shares.end(),
              [](const NodeShare& a, const NodeShare& b) { return a.node < b.node; });
    Allocation out;
    out.reserve(shares.size());
    for (const NodeShare& one : shares) out.add(one);
    return out;
  }

  // Every node gets a task, then one after the other in turn up to its share.
  bool deal_tasks() {
    given_.assign(chosen_.size(), shape_.tasks_per_node);
    if (shape_.tasks_per_node > 0) return true;
    std::int32_t left =
        std::max<std::int32_t>(shape_.tasks, static_cast<std::int32_t>(chosen_.size()));
    if (topology_.policy().scheduler.pack_nodes) return pack_tasks(left);
    while (left > 0) {
      // As many whole rounds at once as every node that still has room can take.
      std::int32_t open = 0;
      std::int32_t rounds = left;
      for (std::size_t i = 0; i < chosen_.size(); ++i) {
        if (given_[i] >= chosen_[i].share) continue;
        ++open;
        rounds = std::min(rounds, chosen_[i].share - given_[i]);
      }
      if (open == 0) return false;
      rounds = std::max(1, std::min(rounds, left / open));
      for (std::size_t i = 0; i < chosen_.size(); ++i) {
        if (given_[i] >= chosen_[i].share || left == 0) continue;
        const std::int32_t more = std::min(rounds, left);
        given_[i] += more;
        left -= more;
      }
    }
    return true;
  }

  // CR_Pack_Nodes: every node gets a task, then one after the other its share.
  bool pack_tasks(std::int32_t left) {
    for (std::int32_t& tasks : given_) tasks = 1;
    left -= static_cast<std::int32_t>(given_.size());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const std::int32_t more = std::clamp(chosen_[i].share - given_[i], 0, std::max(0, left));
      given_[i] += more;
      left -= more;
    }
    return left <= 0;
  }

  // Typed GPUs are given first, so that needs for any type do not take them away.
  enum class GpuKind : std::uint8_t { kTyped, kAny };
  static GpuKind kind_of(const GpuNeed& need) {
    return need.tres == kTresGpu ? GpuKind::kAny : GpuKind::kTyped;
  }

  // Each node gives all that it has, but for one for every node behind it.
  bool deal_gpus(std::vector<NodeShare>& shares, const GpuNeed& need) const {
    int left = need.count;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      NodeShare& share = shares[i];
      const std::uint64_t here =
          free_[share.node.index()].gpus & ~share.gpus & topology_.gpus(share.node, need.tres);
      const int behind = static_cast<int>(shares.size() - i) - 1;
      const int count = std::min({std::popcount(here), std::max(1, left - behind), left});
      share.gpus |= lowest_bits(here, count);
      left -= count;
    }
    return left == 0;
  }

  // CPUs, and the GPUs that these tasks and the node itself need.
  std::optional<NodeShare> share(NodeId id, std::int32_t tasks) const {
    const Node& node = topology_.policy().nodes[id.index()];
    NodeShare out;
    out.node = id;
    out.cpus = shape_.exclusive ? node.cpus : cpus_for(shape_, node, tasks, free_[id.index()].cpus);
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
      out.memory_mb = shape_.whole_memory ? node.memory_mb
                                          : memory_for(shape_, node, tasks, std::popcount(out.gpus),
                                                       free_[out.node.index()].cpus);
    if (shape_.exclusive) out.gpus = free_[out.node.index()].gpus;
    return out;
  }

  const Topology& topology_;
  const Shape& shape_;
  std::span<const NodeId> nodes_;  // In order of their names.
  const std::vector<NodeFree>& free_;
  bool any_node_;
  bool gpus_per_job_;
  std::int32_t most_tasks_on_node_ = std::numeric_limits<std::int32_t>::max();
  const Constraint* features_;                  // Of the nodes it is looked for on.
  bool prefers_;                                // Nodes with what it prefers are tried first.
  const std::vector<NodeFree>* now_ = nullptr;  // Where nodes in use come first: as they are now.
  Wanted wanted_;
  Fit fit_;                     // Of the node that was looked at last,
  Features fit_for_ = nullptr;  // and with which features.
  std::vector<Offer> offers_;
  std::vector<std::int32_t> gpus_;      // Of each offer, for each need of the whole job.
  std::vector<std::int32_t> job_gpus_;  // What those needs are.
  std::vector<Offer> chosen_;
  std::vector<std::int32_t> given_;  // Tasks, by chosen node.
};

}  // namespace

std::optional<Allocation> place(const Topology& topology, const Shape& shape, PartitionId partition,
                                const std::vector<NodeFree>& free) {
  return Placement(topology, shape, partition, free, topology.candidates(partition)).find();
}

std::optional<Allocation> place(const Topology& topology, const Shape& shape, PartitionId partition,
                                const std::vector<NodeFree>& free,
                                std::span<const NodeId> candidates) {
  return Placement(topology, shape, partition, free, candidates).find();
}

std::optional<Allocation> place_later(const Topology& topology, const Shape& shape,
                                      PartitionId partition, const std::vector<NodeFree>& free,
                                      std::span<const NodeId> candidates,
                                      const std::vector<NodeFree>& now) {
  Placement placement(topology, shape, partition, free, candidates);
  placement.plan_later(now);
  return placement.find();
}

}  // namespace sluice
