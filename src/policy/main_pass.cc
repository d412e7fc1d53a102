// Goes through the queue, and keeps nodes for the first of each partition that lacks room.
#include "policy/main_pass.h"

#include <algorithm>

#include "policy/feasibility.h"
#include "policy/idle_node.h"

namespace sluice {
namespace {

// Whether reservations keep any of the partition's nodes from the job during that time.
bool is_barred(const JobWindows& windows, const Topology& topology, PartitionId partition,
               Instant from, Instant until) {
  return windows.any_reservation() &&
         std::any_of(topology.candidates(partition).begin(), topology.candidates(partition).end(),
                     [&](NodeId node) { return !windows.is_unreserved(node, from, until); });
}

}  // namespace

bool MainPass::run(const PassInput& input) {
  const State& state = input.state;
  Queue& queue = input.queue;
  const Instant now = input.now;
  Decisions& out = input.out;
  Shortcuts& shortcuts = kit_.shortcuts;
  kit_.room.heed_reservations(state);
  if (input.since == SincePass::kAnything || kit_.room.reserves()) shortcuts.forget_blocker();
  if (queue.empty()) return false;
  full_.clear();
  kit_.room.read(state);
  closed_.assign(state.policy().partitions.size(), false);
  open_ = closed_.size();
  // Where nobody is told why it waits, a pass in which no job can start leaves no trace.
  if (!shortcuts.any_may_start(input, kit_.room.free(), [&](const QueueEntry& entry) {
        return !kit_.gates.asks_for_least(entry) || kit_.gates.are_open(state, entry, now);
      }))
    return false;
  queue.tidy();
  if (shortcuts.is_still_blocked(state, queue)) return true;
  shortcuts.forget_blocker();
  const SchedulerSettings& settings = state.policy().scheduler;
  std::int32_t depth = settings.default_queue_depth;
  const bool builtin = settings.type == SchedulerType::kBuiltin;
  std::vector<std::int32_t> looked_at(closed_.size(), 0);  // By partition.
  JobId last{};
  for (std::size_t i = queue.head(); i < queue.entries().size(); ++i) {
    if (queue.entries()[i].gone) continue;
    // Copied: a job that starts may bring others into the queue.
    const QueueEntry entry = queue.entries()[i];
    // What is closed to it in its next partition is said of the last one too.
    if (open_ == 0 && entry.job != last) {
      if (!kit_.room.reserves()) break;
      // Jobs of reservations do not wait for partitions.
      if (!state.shape_of_job(state.job(entry.job)).in_reservation) continue;
    }
    last = entry.job;
    // Backfill looks at the whole queue; this pass is the quick reaction.
    if (!builtin && depth-- <= 0) break;
    if (settings.partition_job_depth &&
        looked_at[entry.partition.index()]++ >= *settings.partition_job_depth)
      continue;
    Reason why;
    const Stop stop = start_now(input, entry, why);
    if (stop == Stop::kStarted) continue;
    // What a limit stops for its size holds up others as what lacks room does.
    if (stop == Stop::kLimit && kit_.traits.limits_stop &&
        may_reserve(input, entry, state.job(entry.job)))
      keep_for(state, entry);
    if (stop == Stop::kNoRoom) {
      if (const auto lacks = lacks_nodes(input, entry)) {
        // Not room but nodes are missing: nobody behind it has to wait for that. Nodes that it
        // names are kept for it all the same, unless they are down.
        if (lacks->rule == Rule::kNodeReserved) keep_named(state, entry);
        out.wait(entry.job, entry.partition, *lacks);
        continue;
      }
      const Job& job = state.job(entry.job);
      if (kit_.traits.preempts && push_out_for(input, entry, state.shape_of_job(job)) &&
          queue.entries()[i].gone)
        continue;
      if (may_reserve(input, entry, state.job(entry.job))) keep_for(state, entry);
      // slurmctld looks at it twice, with what it prefers and without; the first look closes the
      // partition to the second.
      if (state.shape_of_job(job).prefers) why = Reason{.rule = Rule::kPriority};
      if (may_block_again(state, entry)) shortcuts.blocked_by(entry.job, state.starts());
    }
    out.wait(entry.job, entry.partition, why);
  }
  return true;
}

// A job that waits for room in a reservation closes that, and not the partition.
bool MainPass::is_closed_to(const QueueEntry& entry, const Shape& shape) const {
  if (!shape.in_reservation) return closed_[entry.partition.index()];
  return std::find(full_.begin(), full_.end(), kit_.room.windows().own()) != full_.end();
}

// Where reservations leave it too little for as long as it may run, it is one of them that is
// named.
std::optional<Reason> MainPass::lacks_nodes(const PassInput& input, const QueueEntry& entry) {
  const State& state = input.state;
  const Instant now = input.now;
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  const JobWindows& windows = kit_.room.windows();
  const std::vector<std::string>& named = shape.request->require_nodes;
  if (named.empty() && kit_.room.has_too_few_nodes(shape, entry.partition)) return std::nullopt;
  if (is_barred(windows, kit_.topology, entry.partition, now, now + job.limit) &&
      !would_fit_idle(input, shape, entry.partition, &windows, job.limit) &&
      would_fit_idle(input, shape, entry.partition, nullptr, job.limit)) {
    Reason reason{.rule = Rule::kNodeReserved, .asked = to_seconds(job.limit)};
    for (const JobWindows::Bar& bar : windows.bars())
      if (bar.until > now && bar.from < now + job.limit) {
        reason.limit = to_seconds(bar.from);
        reason.holder_id = static_cast<std::uint32_t>(bar.by - state.reservations().data());
        break;
      }
    return reason;
  }
  // A job that was held, or that a limit stopped, when it was submitted may fit nowhere. One of
  // several partitions is only passed over there.
  const auto ever_fits = [&] {
    return shape.partitions.size() > 1 || could_ever_hold(state.policy(), shape, entry.partition);
  };
  if (kit_.shortcuts.would_fit_idle(state, job.spec, entry.partition, [&] {
        return would_fit_idle(input, shape, entry.partition, nullptr, job.limit) && ever_fits();
      }))
    return std::nullopt;
  return Reason{.rule = ever_fits() ? Rule::kNodeNotAvailable : Rule::kBadConstraints};
}

bool MainPass::would_fit_idle(const PassInput& input, const Shape& shape, PartitionId partition,
                              const JobWindows* windows, Duration limit) const {
  const State& state = input.state;
  const Instant now = input.now;
  if (windows == nullptr && kit_.shortcuts.knows_all_nodes_up(state)) return true;
  // Nodes that this pass keeps for others do not count beside those that reservations leave.
  const auto is_kept = [&](std::size_t node) {
    if (!kit_.room.free().all()[node].usable) return true;
    for (std::size_t p = 0; p < closed_.size(); ++p)
      if (closed_[p] && kit_.topology.places(PartitionId(static_cast<std::uint32_t>(p)))[node] !=
                            Topology::kNowhere)
        return true;
    return false;
  };
  bool all_up = true;
  std::vector<NodeFree> idle(state.nodes().size());
  for (std::size_t i = 0; i < idle.size(); ++i) {
    idle[i] = idle_node(state, i, partition, shape);
    if (windows != nullptr &&
        (is_kept(i) ||
         !windows->is_unreserved(NodeId(static_cast<std::uint32_t>(i)), now, now + limit)))
      idle[i].usable = false;
    all_up = all_up && idle[i].usable;
  }
  if (all_up) return true;
  if (shape.most_switches == 0) return place(kit_.topology, shape, partition, idle).has_value();
  // slurmctld asks only a job that is to start now on how many switches it is.
  Shape on_any_switches = shape;
  on_any_switches.most_switches = 0;
  return place(kit_.topology, on_any_switches, partition, idle).has_value();
}

// No other job of the partition starts in this pass, nor any on its nodes; of a job for certain
// nodes, only none on these.
bool MainPass::keep_named(const State& state, const QueueEntry& entry) {
  const Shape& shape = state.shape_of_job(state.job(entry.job));
  const std::vector<std::string>& named = shape.request->require_nodes;
  if (named.empty() || std::ssize(named) < shape.min_nodes) return false;
  for (const std::string& name : named)
    if (const auto node = state.policy().find_node(name)) kit_.room.close(*node);
  return true;
}

void MainPass::keep_for(const State& state, const QueueEntry& entry) {
  if (keep_named(state, entry)) return;
  if (kit_.room.windows().own() != nullptr) {
    full_.push_back(kit_.room.windows().own());
    return;
  }
  closed_[entry.partition.index()] = true;
  --open_;
  kit_.room.close(entry.partition);
}

bool MainPass::may_block_again(const State& state, const QueueEntry& entry) const {
  const Job& job = state.job(entry.job);
  const Shape& shape = state.shape_of_job(job);
  return closed_.size() == 1 && closed_.front() && !entry.pushes_out && job.array == JobId{} &&
         !shape.has_licenses;
}

}  // namespace sluice
