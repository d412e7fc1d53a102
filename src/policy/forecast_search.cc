// The search for the earliest start: along the times at which nodes open.
#include <algorithm>

#include "policy/class_tasks.h"
#include "policy/cpu_cap.h"
#include "policy/forecast_request.h"

namespace sluice {

const Earliest* Forecast::earliest(const Shape& shape, std::uint32_t kind, PartitionId partition,
                                   Duration limit, Instant latest) {
  most_tasks_.reset();
  // What jobs of a partition with MaxCPUsPerNode leave is counted time by time.
  if (plain_ || topology_->policy().partitions[partition.index()].max_cpus_per_node)
    return earliest_anywhere(shape, partition, limit, latest);
  const bool one_node = takes_one_node(shape);
  const Request request{shape,
                        kind,
                        partition,
                        limit,
                        latest,
                        one_node,
                        one_node ? std::max(shape.tasks, shape.tasks_per_node) : 1,
                        looks_.of(*state_, *topology_, shape, partition)};
  first_behind_ = Instant::max();
  if (!one_node) most_tasks_ = 0;
  tasks_by_class(*state_, *topology_, shape, partition, class_tasks_);
  // Nodes of one class are not alike to a job that reservations leave some of.
  return goes_by_class(shape) && windows_ == nullptr ? earliest_of_whole_nodes(request)
                                                     : earliest_of_parts(request);
}

bool Forecast::may_use(const Request& request, NodeId node) const {
  if (class_tasks_[topology_->class_of(node)] < request.least) return false;
  if (windows_ != nullptr && !windows_->may_use(node)) return false;
  return request.shape.request->exclude_nodes.empty() ||
         sluice::may_use(*topology_, request.shape, node);
}

// Parts of nodes ---------------------------------------------------------------------------------

std::int32_t Forecast::tasks_on(const Request& request, NodeId node, const NodeFree& free) const {
  return free.one_alone ? 0 : tasks_there(*topology_, request.shape, node, free);
}

// What could be used at once. Where somebody should have gone already, as it will be then.
template <class Visit>
void Forecast::each_opening_now(const Request& request, Visit visit) {
  const auto look = [&](NodeId node) {
    visit(node, at(node, now_));
    return true;
  };
  free_->for_each_with_cpus(request.shape.cpus_per_task * request.least, look);
  for (const StepAt& step : steps_) {
    if (step.from > now_) break;
    look(step.node);
  }
}

// Room only comes where a node opens, so those are the times to look at; and nothing can be found
// before there are enough nodes with enough room.
const Earliest* Forecast::earliest_of_parts(const Request& request) {
  const Shape& shape = request.shape;
  const std::vector<std::uint32_t>& places = topology_->places(request.partition);
  read_until(now_);
  for (const Usable& usable : usable_) usable_at_[usable.node.index()] = 0;
  usable_.clear();
  std::int64_t tasks = 0;
  Instant first_last = Instant::max();  // Of those usable, when the first stops being so.
  Instant time = now_;
  bool more = false;
  const auto use = [&](NodeId node, Instant until, std::int32_t here) {
    if (here < request.least) return;
    std::uint32_t& at = usable_at_[node.index()];
    if (at == 0) {
      usable_.emplace_back();
      at = static_cast<std::uint32_t>(usable_.size());
    }
    Usable& usable = usable_[at - 1];
    tasks += here - usable.tasks;
    usable = Usable{until - request.limit, node, here};
    first_last = std::min(first_last, usable.last);
    more = true;
  };
  // Until when it is open; kNotAtAll where it is of no use. No optional: this is asked for every
  // opening on the way, and copying one takes longer than the answer.
  constexpr Instant kNotAtAll = Instant::min();
  // Nodes that were reserved together are open alike, so each list is read once for each time.
  open_lists_.resize(reserved_.count());
  const auto open_until_then = [&](NodeId node) {
    if (windows_ != nullptr) return open_until(node, time);
    OpenList& known = open_lists_[reserved_.list_of(node)];
    if (known.from != time) known = {time, open_until(node, time)};
    return known.until;
  };
  const auto open_for_it = [&](NodeId node) {
    if (places[node.index()] == Topology::kNowhere || !may_use(request, node)) return kNotAtAll;
    const Instant until = open_until_then(node);
    return until < time + request.limit ? kNotAtAll : until;
  };
  each_opening_now(request, [&](NodeId node, const NodeFree& free) {
    if (const Instant until = open_for_it(node); until != kNotAtAll)
      use(node, until, tasks_on(request, node, free));
  });
  std::size_t step = static_cast<std::size_t>(
      std::partition_point(steps_.begin(), steps_.end(),
                           [&](const StepAt& s) { return s.from <= now_; }) -
      steps_.begin());
  std::size_t release = static_cast<std::size_t>(
      std::partition_point(reservations_.begin(), reservations_.end(),
                           [&](const Reservation& r) { return r.until <= now_; }) -
      reservations_.begin());
  const std::span<const JobWindows::Bar> bars =
      windows_ == nullptr ? std::span<const JobWindows::Bar>() : windows_->bars();
  std::size_t bar = 0;
  while (bar < bars.size() && bars[bar].until <= now_) ++bar;
  while (true) {
    // Too few even with those that have been closed meanwhile.
    if (more && tasks >= shape.tasks && first_last < time) tasks -= drop_closed(time, first_last);
    note_tasks(tasks);
    if (more && tasks >= shape.tasks && std::ssize(usable_) >= shape.min_nodes)
      if (const auto* found = place_on_usable(request, time)) return found;
    more = false;
    const Instant next_release =
        std::min(release < reservations_.size() ? reservations_[release].until : Instant::max(),
                 bar < bars.size() ? bars[bar].until : Instant::max());
    if (step == steps_.size()) {
      const Instant unread = next_unread();
      if (unread <= std::min(next_release, request.latest) && unread != Instant::max()) {
        read_until(unread);
        if (step == steps_.size()) continue;  // Of layers alone.
      } else if (next_release == Instant::max()) {
        first_behind_ = unread;
        return nullptr;
      }
    }
    const Instant next_step =
        step < steps_.size() ? request.looks.of(steps_[step].from) : Instant::max();
    time = std::min(next_step, next_release);
    if (time > request.latest || time == Instant::max()) {
      first_behind_ = std::min(
          {time, next_unread(), step < steps_.size() ? steps_[step].from : Instant::max()});
      return nullptr;
    }
    if (time == next_step) read_until(time);
    for (; step < steps_.size() && steps_[step].from <= time && next_step == time; ++step) {
      StepAt& opening = steps_[step];
      const Instant until = open_for_it(opening.node);
      if (until == kNotAtAll) continue;
      if (opening.kind != request.kind || request.kind == 0) {
        opening.kind = request.kind;
        opening.tasks = tasks_on(request, opening.node, at(opening.node, opening.from));
      }
      use(opening.node, until, opening.tasks);
    }
    for (; release < reservations_.size() && reservations_[release].until == time; ++release) {
      const Reservation& over = reservations_[release];
      for (NodeId node : std::span(reserved_nodes_).subspan(over.nodes, over.count))
        if (const Instant until = open_for_it(node); until != kNotAtAll)
          use(node, until, tasks_on(request, node, at(node, request.looks.last(time))));
    }
    for (; bar < bars.size() && bars[bar].until == time; ++bar)
      for (NodeId node : bars[bar].by->nodes)
        if (const Instant until = open_for_it(node); until != kNotAtAll)
          use(node, until, tasks_on(request, node, at(node, request.looks.last(time))));
  }
}

// Those that a job which starts now would have to leave too early: how many tasks had room there.
std::int64_t Forecast::drop_closed(Instant now, Instant& first_last) {
  std::int64_t tasks = 0;
  first_last = Instant::max();
  for (std::size_t k = 0; k < usable_.size();) {
    if (usable_[k].last >= now) {
      first_last = std::min(first_last, usable_[k++].last);
      continue;
    }
    tasks += usable_[k].tasks;
    usable_at_[usable_[k].node.index()] = 0;
    if (k + 1 < usable_.size()) {
      usable_[k] = usable_.back();
      usable_at_[usable_[k].node.index()] = static_cast<std::uint32_t>(k + 1);
    }
    usable_.pop_back();
  }
  return tasks;
}

const Earliest* Forecast::place_on_usable(const Request& request, Instant time) {
  candidates_.clear();
  for (const Usable& usable : usable_) candidates_.push_back(usable.node);
  const std::vector<std::uint32_t>& places = topology_->places(request.partition);
  std::sort(candidates_.begin(), candidates_.end(),
            [&](NodeId a, NodeId b) { return places[a.index()] < places[b.index()]; });
  const Shape& shape = request.shape;
  const auto found = request.looks.at_first(
      time,
      [&](Instant look) {
        std::int32_t nodes = 0;
        std::int64_t tasks = 0;
        for (NodeId node : candidates_) {
          const std::int32_t here = tasks_on(request, node, at(node, look));
          if (here < request.least) continue;
          ++nodes;
          tasks += here;
          if (nodes >= shape.min_nodes && tasks >= shape.tasks) return true;
        }
        return false;
      },
      [&](Instant look) {
        for (NodeId node : candidates_) scratch_[node.index()] = at(node, look);
        return place_at(look, shape, request.partition, candidates_);
      });
  return found ? found_on(time, *found) : nullptr;
}

// What the nodes have then is in scratch_.
std::optional<Allocation> Forecast::place_at(Instant look, const Shape& shape,
                                             PartitionId partition,
                                             std::span<const NodeId> candidates) const {
  return look > now_ ? place_later(*topology_, shape, partition, scratch_, candidates, free_->all())
                     : place(*topology_, shape, partition, scratch_, candidates);
}

const Earliest* Forecast::found_on(Instant time, const Allocation& allocation) {
  found_.start = time;
  found_.nodes.clear();
  for (const NodeShare& share : allocation.shares()) found_.nodes.push_back(share.node);
  return &found_;
}

// The plain way ----------------------------------------------------------------------------------

std::optional<Instant> Forecast::earliest_on(const Shape& shape, NodeId node, std::int32_t tasks,
                                             Duration limit) const {
  const auto is_too_little = [&](const NodeStep& s) {
    return !s.free.usable || s.free.one_alone ||
           tasks_that_fit(*topology_, shape, node, s.free) < tasks;
  };
  // Resources only grow along the steps, so the first that suffices is found by halving.
  const NodeStep now{now_, (*free_)[node]};
  const NodeLine& known = lines_[node.index()];
  const std::span<const NodeStep> steps = known.steps_of == steps_number_
                                              ? std::span<const NodeStep>(known.steps)
                                              : std::span<const NodeStep>(&now, 1);
  const auto step = std::partition_point(steps.begin(), steps.end(), is_too_little);
  if (step == steps.end()) return std::nullopt;
  Instant start = step->from;
  if (windows_ == nullptr) {
    for (const Reserved& r : reserved_.on(node)) {
      if (r.from >= start + limit) break;
      start = std::max(start, r.until);
    }
    return start;
  }
  if (!windows_->may_use(node)) return std::nullopt;
  // Windows may lie over each other and over plans: from one end to the next until it is open.
  while (open_until(node, start) < start + limit) {
    Instant next = Instant::max();
    for (const Reserved& r : reserved_.on(node))
      if (r.until > start) next = std::min(next, r.until);
    for (const JobWindows::Bar& bar : windows_->bars())
      if (bar.until > start && bar.by->has(node)) next = std::min(next, bar.until);
    if (next == Instant::max()) return std::nullopt;
    start = next;
  }
  return start;
}

const Earliest* Forecast::earliest_anywhere(const Shape& shape, PartitionId partition,
                                            Duration limit, Instant latest) {
  read_until(Instant::max());
  first_behind_ = latest;
  const bool one_node = takes_one_node(shape);
  const Looks looks = looks_of(*state_, *topology_, shape, partition, now_);
  times_.clear();
  std::optional<Instant> best;
  for (NodeId node : topology_->candidates(partition)) {
    if (!shape.only_cpus && !sluice::may_use(*topology_, shape, node)) continue;
    const std::int32_t tasks =
        one_node ? std::max(shape.tasks, shape.tasks_per_node) : std::max(1, shape.tasks_per_node);
    const auto start = earliest_on(shape, node, tasks, limit);
    if (!start || *start > latest) continue;
    best = std::min(best.value_or(*start), *start);
    times_.push_back(*start);
  }
  if (!best) return nullptr;
  // None can start before enough nodes have room for a task; from then on
  // every change is a chance.
  if (times_.size() < static_cast<std::size_t>(shape.min_nodes)) return nullptr;
  std::nth_element(times_.begin(), times_.begin() + shape.min_nodes - 1, times_.end());
  const Instant bound = times_[static_cast<std::size_t>(shape.min_nodes - 1)];
  times_.assign(1, bound);
  for (NodeId node : topology_->candidates(partition)) {
    for (const NodeStep& step : steps_of(node))
      if (const Instant look = looks.of(step.from); look > bound && look <= latest)
        times_.push_back(look);
    for (const Reserved& r : reserved_.on(node))
      if (r.until > bound && r.until <= latest) times_.push_back(r.until);
  }
  if (windows_ != nullptr)
    for (const JobWindows::Bar& bar : windows_->bars())
      if (bar.until > bound && bar.until <= latest) times_.push_back(bar.until);
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  for (Instant time : times_) {
    const auto every_look = [](Instant) { return true; };
    const auto found = looks.at_first(time, every_look, [&](Instant look) {
      for (NodeId node : topology_->candidates(partition)) {
        scratch_[node.index()] = at(node, look);
        if (!is_open(node, time, time + limit)) scratch_[node.index()].usable = false;
      }
      cap_at(*state_, partition, look).apply(topology_->policy(), shape, scratch_);
      return place_at(look, shape, partition, topology_->candidates(partition));
    });
    if (found) return found_on(time, *found);
  }
  return nullptr;
}

}  // namespace sluice
