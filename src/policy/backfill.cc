// Backfill with reservations: everybody in turn gets the earliest time that is left.
#include <algorithm>
#include <map>

#include "policy/schedule.h"

namespace sluice {
namespace {

// Requests that found no place in this pass. Resources only shrink during a pass, so whatever asks
// for at least as much of the same kind in the same partition will find none either.
class HopelessRequests {
 public:
  bool covers(const QueueEntry& asked) {
    if (asked.kind == 0 || groups_.empty()) return false;
    const Group& stairs = group(asked);
    return std::any_of(stairs.begin(), stairs.end(), [&](const Stair& stair) {
      return stair.nodes <= asked.min_nodes && covers(stair.steps, asked.cpus, asked.limit);
    });
  }
  void add(const QueueEntry& entry) {
    if (entry.kind == 0) return;
    Group& stairs = group(entry);
    auto stair = std::find_if(stairs.begin(), stairs.end(),
                              [&](const Stair& s) { return s.nodes == entry.min_nodes; });
    if (stair == stairs.end()) stair = stairs.insert(stairs.end(), Stair{entry.min_nodes, {}});
    add(stair->steps, entry.cpus, entry.limit);
  }
  // After somebody was pushed out there may be room again.
  void clear() {
    groups_.clear();
    last_ = nullptr;
  }

 private:
  // With more CPUs come shorter limits: a longer one would be covered by the step before it.
  struct Step {
    std::int32_t cpus = 0;
    Duration limit{0};
  };
  struct Stair {
    std::int32_t nodes = 0;
    std::vector<Step> steps;
  };
  using Group = std::vector<Stair>;
  using Key = std::pair<PartitionId, std::uint32_t>;

  static std::vector<Step>::const_iterator first_beyond(const std::vector<Step>& steps,
                                                        std::int32_t cpus) {
    return std::partition_point(steps.begin(), steps.end(),
                                [&](const Step& step) { return step.cpus <= cpus; });
  }
  // Of those with no more CPUs the last is the shortest.
  static bool covers(const std::vector<Step>& steps, std::int32_t cpus, Duration limit) {
    const auto beyond = first_beyond(steps, cpus);
    return beyond != steps.begin() && std::prev(beyond)->limit <= limit;
  }
  static void add(std::vector<Step>& steps, std::int32_t cpus, Duration limit) {
    if (covers(steps, cpus, limit)) return;
    auto first = first_beyond(steps, cpus);
    if (first != steps.begin() && std::prev(first)->cpus == cpus) --first;
    const auto end =
        std::find_if(first, steps.cend(), [&](const Step& step) { return step.limit < limit; });
    steps.insert(steps.erase(first, end), Step{cpus, limit});
  }
  Group& group(const QueueEntry& entry) {
    const Key key{entry.partition, entry.kind};
    if (last_ == nullptr || key != last_key_) {
      last_key_ = key;
      last_ = &groups_[key];
    }
    return *last_;
  }

  std::map<Key, Group> groups_;
  Key last_key_;
  Group* last_ = nullptr;
};

// Those who come after this one: their memory is on its way when it is their turn.
void look_ahead(const State& state, const Queue& queue, std::size_t i) {
  constexpr std::size_t kJobs = 16;
  constexpr std::size_t kShapes = 8;
  const std::vector<QueueEntry>& entries = queue.entries();
  if (i + kJobs >= entries.size()) return;
  if (!entries[i + kJobs].gone) state.prefetch_job(entries[i + kJobs].job);
  if (!entries[i + kShapes].gone) state.prefetch_shape(entries[i + kShapes].job);
}

}  // namespace

void Scheduler::backfill_pass(const State& state, const Queue& queue, Instant now, Decisions& out) {
  if (queue.empty()) return;
  const SchedulerSettings& settings = state.policy().scheduler;
  read_free(state, free_);
  std::fill(usable_.begin(), usable_.end(), -1);
  std::fill(closed_.begin(), closed_.end(), false);
  const Instant latest = now + settings.backfill_window;
  const bool looks_at_all = tells_limits_ || shares_;
  LastChance& chance = chance_;
  chance.begin(state, queue, free_, now);
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
  const bool long_queue = queue.size() > kLongQueue;
  for (std::size_t i = queue.head(); i < chance.end(); ++i) {
    if (long_queue) look_ahead(state, queue, i);
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
      const bool nowhere = !shape.names_nodes && has_too_few_nodes(shape, entry.partition);
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
      // Of the last only whether it starts matters, not when it would.
      const bool now_or_never = shrinks && i + 1 == chance.end() && !entry.pushes_out &&
                                state.suspended().empty() && takes_any_node(shape);
      auto found = now_or_never
                       ? Earliest{now, {}}
                       : forecast_.earliest(topology_, shape, entry.partition, job.limit, latest);
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
      if (now_or_never) break;
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
        chance.reserve(found->nodes, found->start);
        if (shrinks) chance.shrink(i + 1, may_start);
        // Nobody looks at what is kept behind the last.
        if (i + 1 < chance.end())
          forecast_.reserve(found->nodes, found->start, found->start + job.limit);
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
