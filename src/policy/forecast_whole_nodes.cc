// The search for whole nodes: counted by class, and chosen where there are enough.
#include <algorithm>

#include "policy/class_tasks.h"
#include "policy/forecast_request.h"
#include "policy/wanted_nodes.h"

namespace sluice {

void Forecast::fill_whole_nodes() {
  if (whole_filled_) return;
  whole_filled_ = true;
  whole_.read(*state_, *topology_);
  bits_.resize(lines_.size());
  for (NodeId node : reserved_nodes_) {
    if (!bits_.test(node)) whole_.add_reserved(node, reserved_.on(node));
    bits_.set(node);
  }
}

const Earliest* Forecast::earliest_of_whole_nodes(const Request& request) {
  fill_whole_nodes();
  const Shape& shape = request.shape;
  const std::vector<FreeStretch>& runs = whole_.from_runs();
  const std::vector<FreeStretch>& changes = whole_.changes_of_runs();
  const std::vector<FreeStretch>& reservations = whole_.from_reservations();
  const StartBounds::Request asked{request.partition, request.kind, shape.min_nodes, shape.tasks,
                                   request.limit};
  const StartBounds::Bound bound = bounds_.find(asked);
  note_tasks(bound.most_tasks);
  bool bound_is_known = false;
  std::int64_t nodes = 0;
  std::int64_t tasks = 0;
  bool more = false;
  Instant time = now_;
  bool time_is_set = false;
  const auto add = [&](const FreeStretch& stretch) {
    if (stretch.until < time + request.limit) return;
    const std::int32_t each = class_tasks_[stretch.node_class];
    if (each < request.least) return;
    more = more || stretch.count > 0;
    nodes += stretch.count;
    tasks += std::int64_t{each} * stretch.count;
    if (stretch.until == Instant::max()) return;
    closings_.push_back(
        {stretch.until - request.limit, stretch.count, std::int64_t{each} * stretch.count});
    std::push_heap(closings_.begin(), closings_.end());
  };
  const auto add_until = [&](const std::vector<FreeStretch>& stretches, std::size_t& next,
                             Instant last) {
    for (; next < stretches.size() && stretches[next].from <= last; ++next) add(stretches[next]);
  };
  closings_.clear();
  for (std::size_t run = 0, change = 0, reservation = 0;;) {
    Instant next = run < runs.size() ? runs[run].from : Instant::max();
    if (request.looks.are_grouped()) next = time_is_set ? request.looks.after(time) : now_;
    if (reservation < reservations.size()) next = std::min(next, reservations[reservation].from);
    if (!time_is_set) next = std::max(next, bound.time);
    if (next > request.latest || next == Instant::max()) {
      first_behind_ = next;
      return nullptr;
    }
    // What should be gone already will be any moment.
    time = std::max(next, now_);
    time_is_set = true;
    more = false;
    // Nodes that jobs leave between two looks are seen at the second.
    const Instant left_by = request.looks.done_by(time);
    add_until(runs, run, left_by);
    add_until(changes, change, left_by);
    add_until(reservations, reservation, time);
    if (!more) continue;
    while (!closings_.empty() && closings_.front().last < time) {
      nodes -= closings_.front().nodes;
      tasks -= closings_.front().tasks;
      std::pop_heap(closings_.begin(), closings_.end());
      closings_.pop_back();
    }
    note_tasks(tasks);
    if (request.one_node ? nodes == 0 : nodes < shape.min_nodes || tasks < shape.tasks) continue;
    if (!bound_is_known) bounds_.add(asked, {time, most_tasks_.value_or(0)});
    bound_is_known = true;
    if (const Earliest* found = place_on_whole_nodes(request, time)) return found;
  }
}

// Nodes with room for so many tasks, that nobody is on from then on and that are not reserved.
void Forecast::find_usable(const Request& request, std::int32_t least, Instant time) {
  const Instant end = time + request.limit;
  const RankBits& empty = whole_.empty_by(request.looks.done_by(time));
  usable_ranks_.set_common(class_nodes_.find(*topology_, class_tasks_, least), empty);
  // Only what ends later than that can be in the way.
  for (auto r = std::upper_bound(reservations_.begin(), reservations_.end(), time,
                                 [](Instant t, const Reservation&a) { return t < a.until; });
       r != reservations_.end(); ++r)
    if (r->from < end)
      for (const RankRun& run : std::span(reserved_runs_).subspan(r->runs, r->run_count))
        usable_ranks_.reset(run);
}

const Earliest* Forecast::place_on_whole_nodes(const Request& request, Instant time) {
  const Shape& shape = request.shape;
  const Wanted wanted = wanted_nodes(*topology_, shape, request.partition);
  // Where the whole job must be on one node, the others are of no use.
  const std::int32_t least =
      wanted.most_nodes == 1 ? std::max(request.least, shape.tasks) : request.least;
  find_usable(request, least, time);
  const bool busy_first = topology_->policy().scheduler.backfill_busy_nodes;
  if (!classes_decide(shape, wanted)) return place_at_looks(request, time, nullptr);
  const std::int32_t each = tasks_of_all(class_tasks_, least);
  if (!busy_first && each > 0 && any_nodes_suffice(wanted))
    return place_by_count(request, time, wanted, each);
  return place_at_looks(request, time, &wanted);
}

// Enough nodes are all it takes, so the look at which there are enough is found by counting.
const Earliest* Forecast::place_by_count(const Request& request, Instant time, const Wanted& wanted,
                                         std::int32_t tasks_each) {
  const std::int32_t for_tasks = (request.shape.tasks + tasks_each - 1) / tasks_each;
  const auto enough = static_cast<std::uint32_t>(std::max(wanted.least_nodes, for_tasks));
  const Instant look = request.looks.first_with(
      time, [&](Instant at) { return usable_ranks_.count_common(whole_.empty_by(at)) >= enough; });
  // At the last look they are all empty.
  if (look < request.looks.last(time)) usable_ranks_.keep(whole_.empty_by(look));
  return found_on(time, choice_.find(*topology_, usable_ranks_, class_tasks_, wanted));
}

// `by_class`: what is wanted, where classes decide.
const Earliest* Forecast::place_at_looks(const Request& request, Instant time,
                                         const Wanted* by_class) {
  const Shape& shape = request.shape;
  const bool busy_first = topology_->policy().scheduler.backfill_busy_nodes;
  const auto place_on_ranks = [&](Instant look) -> const Earliest* {
    if (by_class != nullptr && !(look > now_ && busy_first))
      if (const auto* nodes = choice_.find(*topology_, usable_ranks_, class_tasks_, *by_class))
        return found_on(time, nodes);
    candidates_.clear();
    usable_ranks_.for_each_run([&](RankRun run) {
      for (std::uint32_t i = 0; i < run.count; ++i)
        candidates_.push_back(topology_->at_rank(run.begin + i));
    });
    for (NodeId node : candidates_) {
      const NodeUse& use = state_->nodes()[node.index()];
      scratch_[node.index()] = NodeFree{use.cpus, 0, use.memory, use.gpus, true, false};
    }
    const auto found = place_at(look, shape, request.partition, candidates_);
    return found ? found_on(time, *found) : nullptr;
  };
  // Nodes only become empty, so of the looks before those count at which there are enough of them.
  const std::int64_t most_tasks = *std::max_element(class_tasks_.begin(), class_tasks_.end());
  const auto enough = static_cast<std::uint32_t>(std::max(1, shape.min_nodes));
  open_then_ = usable_ranks_;
  std::uint32_t before = 0;
  return request.looks.at_first(
      time,
      [&](Instant look) {
        const std::uint32_t nodes = open_then_.count_common(whole_.empty_by(look));
        return nodes >= enough && nodes * most_tasks >= shape.tasks;
      },
      [&](Instant look) -> const Earliest* {
        // At the last look they are all empty.
        if (look >= request.looks.last(time)) return place_on_ranks(look);
        usable_ranks_.set_common(open_then_, whole_.empty_by(look));
        // As at the look before, where they did not suffice.
        const std::uint32_t nodes = usable_ranks_.count_common(usable_ranks_);
        if (nodes == before) return nullptr;
        before = nodes;
        return place_on_ranks(look);
      });
}

const Earliest* Forecast::found_on(Instant time, const std::vector<NodeId>* nodes) {
  if (nodes == nullptr) return nullptr;
  found_.start = time;
  found_.nodes = *nodes;
  return &found_;
}

}  // namespace sluice
