// Timelines of nodes, and the search for the earliest start.
#include "policy/forecast.h"

#include <algorithm>

namespace sluice {

void Forecast::read(const State& state, const std::vector<NodeFree>& free, Instant now) {
  now_ = now;
  lines_.resize(free.size());
  for (NodeLine& line : lines_) line.reserved.clear();
  read_steps(state, free);
}

void Forecast::read_again(const State& state, const std::vector<NodeFree>& free) {
  read_steps(state, free);
}

void Forecast::read_steps(const State& state, const std::vector<NodeFree>& free) {
  for (std::size_t i = 0; i < free.size(); ++i) {
    lines_[i].steps.clear();
    lines_[i].steps.push_back({now_, free[i]});
  }
  for (const ExpectedEnd& end : state.expected_ends()) {
    const Run& run = state.run_of(state.job(end.job));
    // What should be gone already will be any moment.
    const Instant from = std::max(end.at, now_);
    for (const NodeShare& share : run.allocation.shares()) {
      if (share.layer > 0) continue;
      std::vector<NodeStep>& steps = lines_[share.node.index()].steps;
      if (steps.back().from < from || steps.size() == 1) steps.push_back({from, steps.back().free});
      NodeFree& later = steps.back().free;
      later.cpus += share.cpus;
      later.memory += share.memory_mb;
      later.gpus |= share.gpus;
      --later.jobs;
      // A node kept by one job for itself is open to all once that has gone.
      if (later.jobs == 0 && state.nodes()[share.node.index()].state == NodeState::kUp)
        later.usable = true;
    }
  }
}

void Forecast::start(const Allocation& allocation, Instant end) {
  for (const NodeShare& share : allocation.shares()) {
    std::vector<NodeStep>& steps = lines_[share.node.index()].steps;
    auto at = std::lower_bound(steps.begin(), steps.end(), end,
                               [](const NodeStep& step, Instant t) { return step.from < t; });
    if (at == steps.end() || at->from != end) {
      NodeStep copy{end, std::prev(at)->free};
      at = steps.insert(at, copy);
    }
    for (auto step = steps.begin(); step != at; ++step) {
      step->free.cpus -= share.cpus;
      step->free.memory -= share.memory_mb;
      step->free.gpus &= ~share.gpus;
      ++step->free.jobs;
    }
  }
}

void Forecast::reserve(const std::vector<NodeId>& nodes, Instant from, Instant until) {
  for (NodeId node : nodes) {
    std::vector<Reserved>& reserved = lines_[node.index()].reserved;
    auto at = std::lower_bound(reserved.begin(), reserved.end(), from,
                               [](const Reserved& r, Instant t) { return r.from < t; });
    reserved.insert(at, Reserved{from, until});
  }
}

bool Forecast::is_open(NodeId node, Instant from, Instant until) const {
  for (const Reserved& r : lines_[node.index()].reserved) {
    if (r.from >= until) return true;
    if (r.until > from) return false;
  }
  return true;
}

const NodeFree& Forecast::at(const NodeLine& line, Instant time) const {
  auto after = std::upper_bound(line.steps.begin(), line.steps.end(), time,
                                [](Instant t, const NodeStep& step) { return t < step.from; });
  return after == line.steps.begin() ? line.steps.front().free : std::prev(after)->free;
}

void Forecast::free_at(Instant time, std::vector<NodeFree>& out) const {
  out.resize(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) out[i] = at(lines_[i], time);
}

std::optional<Instant> Forecast::earliest_on(const Topology& topology, const Shape& shape,
                                             NodeId node, std::int32_t tasks,
                                             Duration limit) const {
  const NodeLine& line = lines_[node.index()];
  // Resources only grow along the steps, so the first that suffices is found by halving.
  auto step = std::partition_point(line.steps.begin(), line.steps.end(), [&](const NodeStep& s) {
    return !s.free.usable || tasks_that_fit(topology, shape, node, s.free) < tasks;
  });
  if (step == line.steps.end()) return std::nullopt;
  Instant start = step->from;
  for (const Reserved& r : line.reserved) {
    if (r.from >= start + limit) break;
    start = std::max(start, r.until);
  }
  return start;
}

std::optional<Earliest> Forecast::earliest(const Topology& topology, const Shape& shape,
                                           PartitionId partition, Duration limit, Instant latest) {
  const bool one_node = shape.min_nodes == 1 && (shape.max_nodes == 1 || shape.tasks == 1) &&
                        shape.request->require_nodes.empty();
  times_.clear();
  std::optional<Instant> best;
  NodeId best_node;
  for (NodeId node : topology.candidates(partition)) {
    if (!shape.only_cpus && !may_use(topology, shape, node)) continue;
    const std::int32_t tasks =
        one_node ? std::max(shape.tasks, shape.tasks_per_node) : std::max(1, shape.tasks_per_node);
    const auto start = earliest_on(topology, shape, node, tasks, limit);
    if (!start || *start > latest) continue;
    if (!best || *start < *best) {
      best = start;
      best_node = node;
    }
    if (!one_node) times_.push_back(*start);
    if (one_node && *best == now_) break;
  }
  if (!best) return std::nullopt;
  if (one_node) return Earliest{*best, {best_node}};

  // Several nodes at once: none can start before enough nodes have room for a task; from then on
  // every change is a chance.
  if (times_.size() < static_cast<std::size_t>(shape.min_nodes)) return std::nullopt;
  std::nth_element(times_.begin(), times_.begin() + shape.min_nodes - 1, times_.end());
  const Instant bound = times_[static_cast<std::size_t>(shape.min_nodes - 1)];
  times_.assign(1, bound);
  for (NodeId node : topology.candidates(partition)) {
    const NodeLine& line = lines_[node.index()];
    for (const NodeStep& step : line.steps)
      if (step.from > bound && step.from <= latest) times_.push_back(step.from);
    for (const Reserved& r : line.reserved)
      if (r.until > bound && r.until <= latest) times_.push_back(r.until);
  }
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  for (Instant time : times_) {
    scratch_.resize(lines_.size());
    for (NodeId node : topology.candidates(partition)) {
      scratch_[node.index()] = at(lines_[node.index()], time);
      if (!is_open(node, time, time + limit)) scratch_[node.index()].usable = false;
    }
    if (auto found = place(topology, shape, partition, scratch_)) {
      Earliest out{time, {}};
      for (const NodeShare& share : found->shares()) out.nodes.push_back(share.node);
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace sluice
