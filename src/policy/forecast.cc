// Timelines of nodes, and the search for the earliest start.
#include "policy/forecast.h"

#include <algorithm>

namespace sluice {

void Forecast::read(const State& state, const std::vector<NodeFree>& free, Instant now) {
  now_ = now;
  state_ = &state;
  free_ = &free;
  lines_.resize(free.size());
  for (NodeLine& line : lines_) line.reserved.clear();
  as_read_ = true;
  steps_read_ = false;
  openings_filled_ = false;
}

void Forecast::read_again() {
  as_read_ = false;
  steps_read_ = false;
  openings_filled_ = false;
}

void Forecast::read_steps() {
  const State& state = *state_;
  const std::vector<NodeFree>& free = *free_;
  steps_read_ = true;
  read_.clear();
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
      if (steps.back().from < from || steps.size() == 1) {
        read_.push_back({from, share.node, static_cast<std::uint32_t>(steps.size())});
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
}

void Forecast::start(const Allocation& allocation, Instant end) {
  if (!steps_read_) return;
  as_read_ = false;
  for (const NodeShare& share : allocation.shares()) {
    std::vector<NodeStep>& steps = lines_[share.node.index()].steps;
    if (openings_filled_)
      each_opening(share.node, [&](const Opening& o) { openings_.erase(o.from, o.node); });
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
    if (openings_filled_) each_opening(share.node, [&](const Opening& o) { openings_.insert(o); });
  }
}

void Forecast::reserve(std::span<const NodeId> nodes, Instant from, Instant until) {
  as_read_ = false;
  for (NodeId node : nodes) {
    std::vector<Reserved>& reserved = lines_[node.index()].reserved;
    auto at = std::lower_bound(reserved.begin(), reserved.end(), from,
                               [](const Reserved& r, Instant t) { return r.from < t; });
    at = reserved.insert(at, Reserved{from, until});
    if (openings_filled_) split_opening(node, static_cast<std::size_t>(at - reserved.begin()));
  }
}

template <class Visit>
void Forecast::each_opening(NodeId node, Instant begin, Instant end, Visit visit) const {
  const std::vector<NodeStep>& steps = lines_[node.index()].steps;
  auto step = std::upper_bound(steps.begin(), steps.end(), begin,
                               [](Instant t, const NodeStep& s) { return t < s.from; });
  if (step != steps.begin()) --step;
  for (; step != steps.end() && step->from < end; ++step) {
    if (!step->free.usable || step->free.cpus <= 0) continue;
    const Instant from = std::max(step->from, begin);
    if (from < end)
      visit(Opening{from, end, node, static_cast<std::uint32_t>(step - steps.begin()), 0, 0});
  }
}

template <class Visit>
void Forecast::each_opening(NodeId node, Visit visit) const {
  Instant begin = now_;
  for (const Reserved& r : lines_[node.index()].reserved) {
    each_opening(node, begin, r.from, visit);
    begin = r.until;
  }
  each_opening(node, begin, Instant::max(), visit);
}

// A reservation was made where the node was open.
void Forecast::split_opening(NodeId node, std::size_t reservation) {
  const std::vector<Reserved>& reserved = lines_[node.index()].reserved;
  const Reserved& made = reserved[reservation];
  const Instant begin = reservation > 0 ? reserved[reservation - 1].until : now_;
  const Instant end =
      reservation + 1 < reserved.size() ? reserved[reservation + 1].from : Instant::max();
  CHECK(begin <= made.from && made.until <= end, "a node was reserved twice at one time");
  std::optional<Opening> after;  // What is left behind the reservation begins with this.
  std::optional<Instant> inside;
  each_opening(node, begin, end, [&](const Opening& opening) {
    if (opening.from > made.until) return;
    if (opening.from < made.until) {
      after = opening;
      after->from = made.until;
    } else {
      after.reset();  // It is there already.
    }
    if (opening.from < made.from) {
      openings_.shorten(opening.from, node, made.from);
    } else if (opening.from < made.until) {
      if (inside) openings_.erase(*inside, node);
      inside = opening.from;
    }
  });
  if (after && after->from >= end) after.reset();
  if (inside && after)
    openings_.move(*inside, *after);
  else if (inside)
    openings_.erase(*inside, node);
  else if (after)
    openings_.insert(*after);
}

// Every step is an opening then, and they were read in order of time.
void Forecast::fill_openings_as_read() {
  const auto append = [&](Instant from, NodeId node, std::uint32_t step) {
    const NodeFree& free = lines_[node.index()].steps[step].free;
    if (free.usable && free.cpus > 0) openings_.append({from, Instant::max(), node, step, 0, 0});
  };
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::vector<NodeStep>& steps = lines_[i].steps;
    // What should be gone already leaves a second step at this time.
    const bool has_later = steps.size() > 1 && steps[1].from <= now_;
    append(now_, NodeId(static_cast<std::uint32_t>(i)), has_later ? 1 : 0);
  }
  for (const StepAt& at : read_)
    if (at.from > now_) append(at.from, at.node, at.step);
  openings_.sort_nearly_sorted();
}

void Forecast::fill_openings() {
  openings_.clear();
  openings_filled_ = true;
  if (as_read_) return fill_openings_as_read();
  for (std::size_t i = 0; i < lines_.size(); ++i)
    each_opening(NodeId(static_cast<std::uint32_t>(i)),
                 [&](const Opening& opening) { openings_.append(opening); });
  openings_.sort();
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

void Forecast::free_at(Instant time, std::vector<NodeFree>& out) {
  if (!steps_read_) read_steps();
  out.resize(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) out[i] = at(lines_[i], time);
}

std::optional<Instant> Forecast::earliest_on(const Topology& topology, const Shape& shape,
                                             NodeId node, std::int32_t tasks,
                                             Duration limit) const {
  const NodeLine& line = lines_[node.index()];
  // Resources only grow along the steps, so the first that suffices is found by halving.
  auto step = std::partition_point(line.steps.begin(), line.steps.end(), [&](const NodeStep& s) {
    return !s.free.usable || s.free.one_alone ||
           tasks_that_fit(topology, shape, node, s.free) < tasks;
  });
  if (step == line.steps.end()) return std::nullopt;
  Instant start = step->from;
  for (const Reserved& r : line.reserved) {
    if (r.from >= start + limit) break;
    start = std::max(start, r.until);
  }
  return start;
}

const Earliest* Forecast::earliest(const Topology& topology, const Shape& shape, std::uint32_t kind,
                                   PartitionId partition, Duration limit, Instant latest) {
  if (!steps_read_) read_steps();
  return takes_any_node(shape)
             ? earliest_along_openings(topology, shape, kind, partition, limit, latest)
             : earliest_anywhere(topology, shape, partition, limit, latest);
}

namespace {

// Tasks go to any number of nodes, however many each has: then the first that have room will do.
bool takes_first_nodes(const Topology& topology, const Shape& shape, PartitionId partition) {
  return shape.tasks_per_node == 0 &&
         static_cast<std::size_t>(shape.max_nodes) >= topology.candidates(partition).size();
}

bool wants_one_node(const Shape& shape) {
  return shape.min_nodes == 1 && (shape.max_nodes == 1 || shape.tasks == 1) &&
         shape.request->require_nodes.empty();
}

}  // namespace

// Of those that could be used the first are taken, so one fewer that was not taken changes nothing.
bool Forecast::is_steady(const Topology& topology, const Shape& shape,
                         PartitionId partition) const {
  return takes_any_node(shape) &&
         (wants_one_node(shape) || takes_first_nodes(topology, shape, partition));
}

// Room only comes where a node opens, so those are the times to look at; and where any node will
// do, nothing can be found before there are enough of them with enough room.
const Earliest* Forecast::earliest_along_openings(const Topology& topology, const Shape& shape,
                                                  std::uint32_t kind, PartitionId partition,
                                                  Duration limit, Instant latest) {
  if (!openings_filled_) fill_openings();
  const bool one_node = wants_one_node(shape);
  const std::int32_t least = one_node ? std::max(shape.tasks, shape.tasks_per_node) : 1;
  const std::vector<std::uint32_t>& places = topology.places(partition);
  usable_.clear();
  usable_at_.assign(lines_.size(), 0);
  std::int64_t tasks = 0;
  Instant first_last = Instant::max();  // Of those usable, when the first stops being so.
  std::vector<Opening>& openings = openings_.all();
  first_behind_ = Instant::max();
  for (std::size_t i = 0; i < openings.size();) {
    const Instant time = openings[i].from;
    if (time > latest) {
      first_behind_ = time;
      break;
    }
    std::uint32_t best = Topology::kNowhere;
    bool more = false;
    for (; i < openings.size() && openings[i].from == time; ++i) {
      Opening& opening = openings[i];
      if (opening.until < time + limit) continue;
      const std::uint32_t place = places[opening.node.index()];
      if (place == Topology::kNowhere) continue;
      if (opening.kind != kind || kind == 0) {
        opening.kind = kind;
        opening.tasks = tasks_there(topology, shape, opening.node,
                                    lines_[opening.node.index()].steps[opening.step].free);
      }
      if (opening.tasks < least) continue;
      if (one_node) {
        best = std::min(best, place);
        continue;
      }
      std::uint32_t& at = usable_at_[opening.node.index()];
      if (at == 0) {
        usable_.emplace_back();
        at = static_cast<std::uint32_t>(usable_.size());
      }
      Usable& usable = usable_[at - 1];
      tasks += opening.tasks - usable.tasks;
      usable = Usable{opening.until - limit, opening.node, opening.tasks, opening.step};
      first_last = std::min(first_last, usable.last);
      more = true;
    }
    if (best != Topology::kNowhere) {
      found_.start = time;
      found_.nodes.assign(1, topology.candidates(partition)[best]);
      return &found_;
    }
    // Too few even with those that have been closed meanwhile.
    if (!more || tasks < shape.tasks) continue;
    if (first_last < time) tasks -= drop_closed(time, first_last);
    if (usable_.size() < static_cast<std::size_t>(shape.min_nodes) || tasks < shape.tasks) continue;
    if (const auto* found = place_on_usable(topology, shape, partition, time)) return found;
  }
  return nullptr;
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

const Earliest* Forecast::place_on_usable(const Topology& topology, const Shape& shape,
                                          PartitionId partition, Instant time) {
  if (takes_first_nodes(topology, shape, partition))
    return first_usable(topology, shape, partition, time);
  scratch_.assign(lines_.size(), NodeFree{.usable = false});
  for (const Usable& usable : usable_)
    scratch_[usable.node.index()] = lines_[usable.node.index()].steps[usable.step].free;
  const auto found = place(topology, shape, partition, scratch_);
  return found ? found_on(time, *found) : nullptr;
}

const Earliest* Forecast::found_on(Instant time, const Allocation& allocation) {
  found_.start = time;
  found_.nodes.clear();
  for (const NodeShare& share : allocation.shares()) found_.nodes.push_back(share.node);
  return &found_;
}

// What place() says, without what each node would give: as many of the first nodes as it takes.
const Earliest* Forecast::first_usable(const Topology& topology, const Shape& shape,
                                       PartitionId partition, Instant time) {
  found_.start = time;
  found_.nodes.clear();
  const auto least = static_cast<std::size_t>(shape.min_nodes);
  std::int64_t tasks = 0;
  for (NodeId node : topology.candidates(partition)) {
    const std::uint32_t at = usable_at_[node.index()];
    if (at == 0) continue;
    const Usable& usable = usable_[at - 1];
    if (lines_[node.index()].steps[usable.step].free.one_alone) continue;
    found_.nodes.push_back(node);
    tasks += usable.tasks;
    if (tasks < shape.tasks || found_.nodes.size() < least) continue;
    std::sort(found_.nodes.begin(), found_.nodes.end());
    return &found_;
  }
  return nullptr;
}

const Earliest* Forecast::earliest_anywhere(const Topology& topology, const Shape& shape,
                                            PartitionId partition, Duration limit, Instant latest) {
  if (!steps_read_) read_steps();
  first_behind_ = latest;
  const bool one_node = wants_one_node(shape);
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
  if (!best) return nullptr;
  if (one_node) {
    found_.start = *best;
    found_.nodes.assign(1, best_node);
    return &found_;
  }

  // Several nodes at once: none can start before enough nodes have room for a task; from then on
  // every change is a chance.
  if (times_.size() < static_cast<std::size_t>(shape.min_nodes)) return nullptr;
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
    if (const auto found = place(topology, shape, partition, scratch_))
      return found_on(time, *found);
  }
  return nullptr;
}

}  // namespace sluice
