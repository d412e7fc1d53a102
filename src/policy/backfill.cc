// Backfill with reservations: everybody in turn gets the earliest time that is left.
#include <algorithm>
#include <map>

#include "policy/last_chance.h"
#include "policy/schedule.h"

namespace sluice {
namespace {

// Requests that found no place in this pass. Resources only shrink during a pass, so whatever asks
// for at least as much of the same kind in the same partition will find none either.
class HopelessRequests {
 public:
  bool covers(const QueueEntry& asked) {
    if (asked.kind == 0 || groups_.empty()) return false;
    const std::vector<Size>& sizes = group(asked);
    return std::any_of(sizes.begin(), sizes.end(), [&](const Size& size) {
      return size.cpus <= asked.cpus && size.limit <= asked.limit && size.nodes <= asked.min_nodes;
    });
  }
  void add(const QueueEntry& entry) {
    if (entry.kind == 0) return;
    const Size size{entry.cpus, entry.min_nodes, entry.limit};
    std::vector<Size>& sizes = group(entry);
    std::erase_if(sizes, [&](const Size& other) {
      return size.cpus <= other.cpus && size.limit <= other.limit && size.nodes <= other.nodes;
    });
    sizes.push_back(size);
  }
  // After somebody was pushed out there may be room again.
  void clear() {
    groups_.clear();
    last_ = nullptr;
  }

 private:
  struct Size {
    std::int32_t cpus = 0;
    std::int32_t nodes = 0;
    Duration limit{0};
  };
  using Key = std::pair<PartitionId, std::uint32_t>;

  std::vector<Size>& group(const QueueEntry& entry) {
    const Key key{entry.partition, entry.kind};
    if (last_ == nullptr || key != last_key_) {
      last_key_ = key;
      last_ = &groups_[key];
    }
    return *last_;
  }

  std::map<Key, std::vector<Size>> groups_;
  Key last_key_;
  std::vector<Size>* last_ = nullptr;
};

}  // namespace

void Scheduler::backfill_pass(const State& state, const Queue& queue, Instant now, Decisions& out) {
  if (queue.empty()) return;
  const SchedulerSettings& settings = state.policy().scheduler;
  read_free(state, free_);
  std::fill(usable_.begin(), usable_.end(), -1);
  std::fill(closed_.begin(), closed_.end(), false);
  const Instant latest = now + settings.backfill_window;
  const bool looks_at_all = tells_limits_ || shares_;
  LastChance chance(state, queue, free_, now);
  const auto may_start = [&](const QueueEntry& entry) {
    const Job& job = state.job(entry.job);
    const Shape& shape = state.shape_of_job(job);
    return !gate(state, entry, job, shape, now) &&
           !limit_of_request(state, job, shape, entry.partition, now);
  };
  if (!looks_at_all) chance.shrink(queue.head(), may_start);
  if (chance.end() <= queue.head()) return;
  const bool shrinks = !looks_at_all && !suspends_;
  forecast_.read(state, free_, now);
  HopelessRequests hopeless;
  std::int32_t tested = 0;
  JobId last_job{};
  for (std::size_t i = queue.head(); i < chance.end(); ++i) {
    if (queue.entries()[i].gone) continue;
    const bool covered = hopeless.covers(queue.entries()[i]);
    const QueueEntry entry = queue.entries()[i];
    if (entry.job != last_job && tested++ >= settings.backfill_max_job_test) break;
    last_job = entry.job;
    // Without a place nobody starts; what else stops it matters only to who is told.
    if (covered && !tells_limits_) continue;
    while (true) {
      const Job& job = state.job(entry.job);
      const Shape& shape = state.shape_of_job(job);
      const bool single = !job.is_array || state.find_array(job.array)->waiting.size() == 1;
      // Where there are no nodes for it slurmctld gets neither to licenses nor to these limits.
      const bool nowhere =
          shape.request->require_nodes.empty() && has_too_few_nodes(shape, entry.partition);
      if (auto reason = gate(state, entry, job, shape, now)) {
        const bool unseen = nowhere && reason->rule == Rule::kLicenses;
        out.wait(entry.job, entry.partition, unseen ? Reason{} : *reason);
        break;
      }
      if (auto reason = limit_of_request(state, job, shape, entry.partition, now)) {
        out.wait(entry.job, entry.partition, nowhere ? Reason{} : *reason);
        break;
      }
      if (covered) break;
      auto found = forecast_.earliest(topology_, shape, entry.partition, job.limit, latest);
      if (!found) {
        hopeless.add(entry);
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
        if (shrinks) chance.shrink(i + 1, may_start);
        if (single) break;
        continue;
      }
      if (preempts_ && push_out_for(state, entry, shape, now, out)) {
        hopeless.clear();
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
      if (!keeps_nothing) {
        forecast_.reserve(found->nodes, found->start, found->start + job.limit);
        chance.reserve(found->nodes, found->start);
        if (shrinks) chance.shrink(i + 1, may_start);
      }
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
