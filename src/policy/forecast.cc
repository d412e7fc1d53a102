// Timelines of nodes, read as far as they are needed.
#include "policy/forecast.h"

#include <algorithm>

namespace sluice {

void Forecast::read(const State& state, const Topology& topology, const FreeNodes& free,
                    Instant now) {
  now_ = now;
  windows_ = nullptr;
  looks_.begin(now);
  class_nodes_.forget();
  state_ = &state;
  free_ = &free;
  if (topology_ != &topology || lines_.size() != free.all().size()) {
    topology_ = &topology;
    lines_.clear();
    lines_.resize(free.all().size());
    usable_at_.assign(lines_.size(), 0);
    scratch_.assign(lines_.size(), NodeFree{});
  }
  reserved_.clear(lines_.size());
  open_lists_.clear();
  reservations_.clear();
  reserved_nodes_.clear();
  reserved_runs_.clear();
  read_again();
}

void Forecast::read_again() {
  ++steps_number_;
  steps_.clear();
  horizon_ = Instant::min();
  anything_read_ = false;
  whole_filled_ = false;
  bounds_.clear();
}

std::vector<NodeStep>& Forecast::steps_of(NodeId node) {
  NodeLine& line = lines_[node.index()];
  if (line.steps_of != steps_number_) {
    line.steps_of = steps_number_;
    line.steps.assign(1, NodeStep{now_, (*free_)[node]});
  }
  return line.steps;
}

Instant Forecast::next_unread() const {
  const std::vector<ExpectedEnd>& ends = state_->expected_ends();
  const auto next = std::partition_point(
      ends.begin(), ends.end(), [&](const ExpectedEnd& end) { return end.at <= horizon_; });
  return next == ends.end() ? Instant::max() : std::max(next->at, now_);
}

void Forecast::read_until(Instant time) {
  anything_read_ = true;
  if (time <= horizon_) return;
  const std::vector<ExpectedEnd>& ends = state_->expected_ends();
  auto next = std::partition_point(ends.begin(), ends.end(),
                                   [&](const ExpectedEnd& end) { return end.at <= horizon_; });
  horizon_ = std::max(time, now_);
  // What should be gone already will be any moment.
  for (; next != ends.end() && next->at <= horizon_; ++next)
    read_end(*next, std::max(next->at, now_));
}

void Forecast::read_end(const ExpectedEnd& end, Instant from) {
  const Run& run = state_->run_of(state_->job(end.job));
  for (const NodeShare& share : run.allocation.shares()) {
    if (share.layer > 0) continue;
    std::vector<NodeStep>& steps = steps_of(share.node);
    if (steps.back().from < from || steps.size() == 1) {
      steps_.push_back({from, share.node});
      steps.push_back({from, steps.back().free});
    }
    NodeFree& later = steps.back().free;
    later.cpus += share.cpus;
    later.memory += share.memory_mb;
    later.gpus |= share.gpus;
    --later.jobs;
    // A node kept by one job for itself is open to all once that has gone.
    if (later.jobs == 0) later.one_alone = false;
  }
}

void Forecast::start(const Allocation& allocation, Instant end) {
  bounds_.clear();  // Ends are looked at in other groups from now on.
  if (whole_filled_)
    for (const NodeShare& share : allocation.shares())
      whole_.take(share.node, share.layer > 0 ? Instant::max() : end, reserved_.on(share.node));
  if (!anything_read_) return;
  // Layers are not read: what is given back there is known only from here.
  if (std::any_of(allocation.shares().begin(), allocation.shares().end(),
                  [](const NodeShare& share) { return share.layer > 0; }))
    read_until(Instant::max());
  const bool known = end <= horizon_;
  for (const NodeShare& share : allocation.shares()) {
    std::vector<NodeStep>& steps = steps_of(share.node);
    auto at = steps.end();
    if (known) {
      at = std::lower_bound(steps.begin(), steps.end(), end,
                            [](const NodeStep& step, Instant t) { return step.from < t; });
      if (at == steps.end() || at->from != end) {
        const NodeStep copy{end, std::prev(at)->free};
        at = steps.insert(at, copy);
        const auto place =
            std::upper_bound(steps_.begin(), steps_.end(), end,
                             [](Instant t, const StepAt& step) { return t < step.from; });
        steps_.insert(place, StepAt{end, share.node});
      }
    }
    for (auto step = steps.begin(); step != at; ++step) {
      step->free.cpus -= share.cpus;
      step->free.memory -= share.memory_mb;
      step->free.gpus &= ~share.gpus;
      ++step->free.jobs;
    }
  }
  // How many tasks have room there is not what it was.
  for (StepAt& step : steps_) step.kind = 0;
}

void Forecast::reserve(std::span<const NodeId> nodes, Instant from, Instant until) {
  const Reserved made{from, until};
  const auto first = static_cast<std::uint32_t>(reserved_nodes_.size());
  reserved_nodes_.insert(reserved_nodes_.end(), nodes.begin(), nodes.end());
  const auto first_run = static_cast<std::uint32_t>(reserved_runs_.size());
  RankRun run;
  for (NodeId node : nodes) {
    const std::uint32_t rank = topology_->rank(node);
    if (run.begin + run.count != rank || run.count == 0) {
      if (run.count > 0) reserved_runs_.push_back(run);
      run = {rank, 0};
    }
    ++run.count;
  }
  if (run.count > 0) reserved_runs_.push_back(run);
  if (whole_filled_) whole_.reserve(std::span(reserved_runs_).subspan(first_run), made, reserved_);
  reserved_.add(nodes, made);
  const auto place = std::upper_bound(reservations_.begin(), reservations_.end(), until,
                                      [](Instant t, const Reservation& r) { return t < r.until; });
  reservations_.insert(
      place, Reservation{from, until, first, static_cast<std::uint32_t>(nodes.size()), first_run,
                         static_cast<std::uint32_t>(reserved_runs_.size()) - first_run});
}

std::optional<Instant> Forecast::first_release(PartitionId partition) const {
  for (const Reservation& reservation : reservations_) {
    const auto nodes = std::span(reserved_nodes_).subspan(reservation.nodes, reservation.count);
    if (std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
          return topology_->places(partition)[node.index()] != Topology::kNowhere;
        }))
      return reservation.until;
  }
  return std::nullopt;
}

bool Forecast::is_open(NodeId node, Instant from, Instant until) const {
  return (windows_ == nullptr || windows_->may_use(node)) && open_until(node, from) >= until;
}

Instant Forecast::open_until(NodeId node, Instant from) const {
  const std::span<const Reserved> reserved = reserved_.on(node);
  // Reservations of one node do not overlap, so they end in the order in which they begin.
  const auto next = std::partition_point(reserved.begin(), reserved.end(),
                                         [&](const Reserved& r) { return r.until <= from; });
  const Instant until = next == reserved.end() ? Instant::max() : std::max(next->from, from);
  return windows_ == nullptr ? until : std::min(until, windows_->open_until(node, from));
}

const NodeFree& Forecast::at(NodeId node, Instant time) const {
  const NodeLine& known = lines_[node.index()];
  if (known.steps_of != steps_number_) return (*free_)[node];
  auto after = std::upper_bound(known.steps.begin(), known.steps.end(), time,
                                [](Instant t, const NodeStep& step) { return t < step.from; });
  return after == known.steps.begin() ? known.steps.front().free : std::prev(after)->free;
}

void Forecast::free_at(Instant time, std::vector<NodeFree>& out) {
  read_until(time);
  out.resize(lines_.size());
  for (std::uint32_t i = 0; i < lines_.size(); ++i) out[i] = at(NodeId(i), time);
}

}  // namespace sluice
