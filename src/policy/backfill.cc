// Backfill with reservations: everybody in turn gets the earliest time that is left.
#include <algorithm>

#include "policy/limits.h"
#include "policy/schedule.h"

namespace sluice {
namespace {

// A request that found no place in this pass. Resources only shrink during a pass, so whatever
// asks for at least as much in the same partition will find none either.
struct Hopeless {
  PartitionId partition;
  std::int32_t cpus = 0;
  std::int32_t nodes = 0;
  Duration limit{0};
};

Hopeless asks_for(const QueueEntry& entry) {
  return {entry.partition, entry.cpus, entry.min_nodes, entry.limit};
}

class HopelessShapes {
 public:
  bool covers(const Hopeless& asked) const {
    return std::any_of(shapes_.begin(), shapes_.end(), [&](const Hopeless& h) {
      return h.partition == asked.partition && h.cpus <= asked.cpus && h.nodes <= asked.nodes &&
             h.limit <= asked.limit;
    });
  }
  void add(const Hopeless& shape) {
    std::erase_if(shapes_, [&](const Hopeless& h) {
      return h.partition == shape.partition && shape.cpus <= h.cpus && shape.nodes <= h.nodes &&
             shape.limit <= h.limit;
    });
    shapes_.push_back(shape);
  }

 private:
  std::vector<Hopeless> shapes_;
};

}  // namespace

void Scheduler::backfill_pass(const State& state, const Queue& queue, Instant now, Decisions& out) {
  if (queue.empty()) return;
  const SchedulerSettings& settings = state.policy().scheduler;
  read_free(state, free_);
  std::fill(closed_.begin(), closed_.end(), false);
  forecast_.read(state, free_, now);
  const Instant latest = now + settings.backfill_window;
  HopelessShapes hopeless;
  std::int32_t tested = 0;
  JobId last_job{};
  for (std::size_t i = queue.head(); i < queue.entries().size(); ++i) {
    if (queue.entries()[i].gone) continue;
    const Hopeless wanted = asks_for(queue.entries()[i]);
    if (queue.entries()[i].plain && hopeless.covers(wanted)) {
      if (queue.entries()[i].job != last_job && tested++ >= settings.backfill_max_job_test) break;
      last_job = queue.entries()[i].job;
      continue;
    }
    const QueueEntry entry = queue.entries()[i];
    if (entry.job != last_job && tested++ >= settings.backfill_max_job_test) break;
    last_job = entry.job;
    while (true) {
      const Job& job = state.job(entry.job);
      const Shape& shape = state.shape_of_job(job);
      const bool single = !job.is_array || state.find_array(job.array)->waiting.size() == 1;
      if (auto reason = gate(state, entry, job, shape, now)) {
        out.wait(entry.job, entry.partition, *reason);
        break;
      }
      if (has_limits_)
        if (auto reason =
                limit_after_placement(state, shape, entry.partition, job.limit, shape.asked, now)) {
          out.wait(entry.job, entry.partition, *reason);
          break;
        }
      auto found = forecast_.earliest(topology_, shape, entry.partition, job.limit, latest);
      if (!found) {
        if (entry.plain) hopeless.add(wanted);
        break;
      }
      std::optional<Allocation> allocation;
      if (found->start == now)
        allocation = place_now(state, shape, entry.partition, now + job.limit);
      if (allocation) {
        if (auto reason = limit_gate(state, job, shape, entry.partition, *allocation, now)) {
          out.wait(entry.job, entry.partition, *reason);
          break;
        }
        take(free_, *allocation);
        forecast_.start(*allocation, now + job.limit);
        out.start(entry.job, entry.partition, *allocation);
        if (single) break;
        continue;
      }
      if (preempts_ && push_out_for(state, entry, shape, now, out)) {
        if (queue.entries()[i].gone) {
          forecast_.read_again(state, free_);
          break;
        }
        forecast_.read_again(state, free_);
        found = forecast_.earliest(topology_, shape, entry.partition, job.limit, latest);
        if (!found) break;
      }
      const bool keeps_nothing =
          shape.qos && state.policy().qos[shape.qos->index()].flags.no_reserve;
      if (!keeps_nothing) forecast_.reserve(found->nodes, found->start, found->start + job.limit);
      out.plan(entry.job, found->start, found->nodes);
      break;
    }
  }
}

std::optional<Allocation> Scheduler::place_now(const State& state, const Shape& shape,
                                               PartitionId partition, Instant end) {
  open_.assign(free_.begin(), free_.end());
  for (NodeId node : topology_.candidates(partition))
    if (!forecast_.is_open(node, forecast_.now(), end)) open_[node.index()].usable = false;
  return place_somewhere(state, shape, partition, open_);
}

}  // namespace sluice
