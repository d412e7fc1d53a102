// Time slices, as slurmctld's gang module takes turns.
#include "policy/gang.h"

#include <algorithm>

namespace sluice {
namespace {

struct Taken {
  std::int32_t from;
  std::int32_t until;
};

// CPUs of the node that jobs of the layer have.
std::vector<Taken> taken_in(const State& state, NodeId node, std::uint8_t layer) {
  std::vector<Taken> out;
  state.for_each_job([&](const Job& job) {
    if (!holds_nodes(job.state)) return;
    for (const NodeShare& share : state.run_of(job).allocation.shares())
      if (share.node == node && share.layer == layer)
        out.push_back({share.first_cpu, share.first_cpu + share.cpus});
  });
  std::sort(out.begin(), out.end(), [](const Taken& a, const Taken& b) { return a.from < b.from; });
  return out;
}

}  // namespace

std::int32_t layers_for(const Partition& partition, const Shape& shape) {
  if (shape.exclusive) return 1;
  if (partition.oversubscribe == OverSubscribe::kForce) return partition.oversubscribe_jobs;
  if (partition.oversubscribe == OverSubscribe::kYes && shape.oversubscribe)
    return partition.oversubscribe_jobs;
  return 1;
}

std::optional<Allocation> place_in_layers(const State& state, const Topology& topology,
                                          const Shape& shape, PartitionId partition,
                                          const std::vector<NodeFree>& free) {
  const std::int32_t layers = layers_for(state.policy().partitions[partition.index()], shape);
  std::vector<NodeFree> layer_free = free;
  for (std::int32_t layer = 1; layer < layers; ++layer) {
    for (std::size_t i = 0; i < layer_free.size(); ++i) {
      const NodeUse& use = state.nodes()[i];
      const std::size_t index = static_cast<std::size_t>(layer - 1);
      layer_free[i].cpus = use.cpus - (index < use.layers.size() ? use.layers[index] : 0);
      layer_free[i].usable = free[i].usable;
      layer_free[i].one_alone = use.exclusive > 0;
    }
    if (auto found = place(topology, shape, partition, layer_free)) {
      Allocation out;
      for (NodeShare share : found->shares()) {
        share.layer = static_cast<std::uint8_t>(layer);
        out.add(share);
      }
      return out;
    }
  }
  return std::nullopt;
}

void assign_cpus(const State& state, Allocation& allocation) {
  Allocation out;
  for (NodeShare share : allocation.shares()) {
    std::int32_t at = 0;
    for (const Taken& taken : taken_in(state, share.node, share.layer)) {
      if (taken.from - at >= share.cpus) break;
      at = std::max(at, taken.until);
    }
    // Enough CPUs, but not in one piece: overlap with whoever is lowest.
    if (at + share.cpus > state.nodes()[share.node.index()].cpus) at = 0;
    share.first_cpu = at;
    out.add(share);
  }
  allocation = out;
}

bool collide(const Allocation& a, const Allocation& b) {
  for (const NodeShare& x : a.shares())
    for (const NodeShare& y : b.shares())
      if (x.node == y.node && x.layer != y.layer && x.first_cpu < y.first_cpu + y.cpus &&
          y.first_cpu < x.first_cpu + x.cpus)
        return true;
  return false;
}

GangTurn Gang::next(const State& state, PartitionId partition, Rotate rotate) {
  if (members_.size() <= partition.index()) members_.resize(partition.index() + 1);
  std::vector<Member>& members = members_[partition.index()];
  const auto takes_part = [&](const Job& job) {
    if (job.state != JobState::kRunning && job.state != JobState::kSuspended) return false;
    const Run& run = state.run_of(job);
    return run.partition == partition &&
           (job.state == JobState::kRunning || run.suspended_by == SuspendedBy::kGang);
  };
  std::erase_if(members, [&](const Member& member) {
    const Job* job = state.find_job(member.job);
    return job == nullptr || !takes_part(*job);
  });
  std::vector<std::pair<std::uint64_t, JobId>> newcomers;
  state.for_each_job([&](const Job& job) {
    if (!takes_part(job)) return;
    if (std::any_of(members.begin(), members.end(),
                    [&](const Member& m) { return m.job == job.id; }))
      return;
    newcomers.emplace_back(state.run_of(job).order, job.id);
  });
  std::sort(newcomers.begin(), newcomers.end());
  for (const auto& [order, id] : newcomers) members.push_back({id, false, true});
  if (rotate == Rotate::kYes)
    std::stable_partition(members.begin(), members.end(),
                          [](const Member& m) { return !m.had_turn; });

  GangTurn turn;
  std::vector<const Allocation*> active;
  const auto fits = [&](const Allocation& allocation) {
    return std::none_of(active.begin(), active.end(),
                        [&](const Allocation* other) { return collide(allocation, *other); });
  };
  // Between slices those who run go on, and gaps are filled.
  std::vector<Member*> in_turn;
  for (Member& member : members) in_turn.push_back(&member);
  if (rotate == Rotate::kNo)
    std::stable_partition(in_turn.begin(), in_turn.end(), [&](const Member* m) {
      return state.job(m->job).state == JobState::kRunning;
    });
  bool before_the_tired = true;
  for (Member* member : in_turn) {
    const Job& job = state.job(member->job);
    const Allocation& allocation = state.run_of(job).allocation;
    const bool runs = job.state == JobState::kRunning;
    if (fits(allocation)) {
      active.push_back(&allocation);
      if (!runs) turn.resume.push_back(job.id);
      if (rotate == Rotate::kYes) {
        // Those who just had their turn only fill what is left over.
        if (member->had_turn) before_the_tired = false;
        member->had_turn = before_the_tired;
      } else if (!runs || member->is_new) {
        member->had_turn = true;
      }
    } else {
      if (runs) turn.suspend.push_back(job.id);
      if (rotate == Rotate::kYes) member->had_turn = false;
    }
    member->is_new = false;
  }
  return turn;
}

bool Gang::anybody_waits(const State& state) {
  return std::any_of(state.suspended().begin(), state.suspended().end(), [&](JobId id) {
    return state.run_of(state.job(id)).suspended_by == SuspendedBy::kGang;
  });
}

}  // namespace sluice
