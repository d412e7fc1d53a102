// EASY backfill: one reservation, for the first that waits.
#include <algorithm>
#include <limits>

#include "policy/cpu_cap.h"
#include "policy/forecast.h"
#include "policy/schedule.h"

namespace sluice {

void Scheduler::easy_pass(const State& state, const Queue& queue, Instant now, SincePass since,
                          Decisions& out) {
  if (queue.empty()) {
    last_flat_.reserved = false;
    return;
  }
  if (flat_ && queue.only_cpus()) return easy_pass_flat(state, queue, now, since, out);
  last_flat_.reserved = false;
  easy_pass_anywhere(state, queue, now, out);
}

void Scheduler::conservative_pass(const State& state, const Queue& queue, Instant now,
                                  SincePass since, Decisions& out) {
  if (!flat_ || !queue.only_cpus()) return easy_pass(state, queue, now, since, out);
  conservative_.pass(state, queue, now, since != SincePass::kSubmissions, out);
}

void Scheduler::easy_pass_anywhere(const State& state, const Queue& queue, Instant now,
                                   Decisions& out) {
  free_.read(state);
  std::fill(closed_.begin(), closed_.end(), false);

  std::optional<QueueEntry> head;
  Instant head_start{};
  std::vector<NodeFree> then;  // What the nodes have when the head starts.
  CpuCap cap;                  // Of the head's partition, then.
  const Shape* head_shape = nullptr;
  for (std::size_t i = queue.head(); i < queue.entries().size(); ++i) {
    if (queue.entries()[i].gone) continue;
    const QueueEntry entry = queue.entries()[i];
    Reason why;
    if (!head) {
      const Stop stop = start_now(state, entry, now, out, why);
      if (stop == Stop::kStarted) continue;
      if (stop == Stop::kNoRoom) {
        const Shape& shape = state.shape_of_job(state.job(entry.job));
        if (preempts_ && push_out_for(state, entry, shape, now, out) && queue.entries()[i].gone)
          continue;
        forecast_.read(state, topology_, free_, now);
        if (const Earliest* found =
                forecast_.earliest(shape, entry.kind, entry.partition, entry.limit)) {
          head = entry;
          head_shape = &shape;
          head_start = found->start;
          forecast_.free_at(head_start, then);
          cap = cap_at(state, entry.partition, head_start);
          out.plan(entry.job, found->start, found->nodes);
        }
      }
      out.wait(entry.job, entry.partition, why);
      continue;
    }
    // May overtake where the head starts no later for that.
    while (true) {
      const Job& job = state.job(entry.job);
      const Shape& shape = state.shape_of_job(job);
      if (auto reason = gate(state, entry, job, shape, now)) {
        why = *reason;
        break;
      }
      auto allocation = place_somewhere(state, shape, entry.partition, now, job.limit);
      why = Reason{.rule = Rule::kPriority};
      if (!allocation) break;
      if (auto reason = limit_gate(state, job, shape, entry.partition, *allocation, now)) {
        why = *reason;
        break;
      }
      const bool past = now + job.limit > head_start;
      if (past) {
        std::vector<NodeFree> after = then;
        CpuCap cap_after = cap;
        take(after, *allocation);
        if (entry.partition == head->partition) cap_after.join(*allocation);
        std::vector<NodeFree> for_head = after;
        cap_after.apply(state.policy(), *head_shape, for_head);
        if (!place(topology_, *head_shape, head->partition, for_head)) break;
        then = std::move(after);
        cap = std::move(cap_after);
      }
      const std::size_t left = job.is_array ? state.find_array(job.array)->waiting.size() : 1;
      free_.take(*allocation);
      out.start(entry.job, entry.partition, *allocation);
      if (left == 1) break;
    }
    if (!queue.entries()[i].gone) out.wait(entry.job, entry.partition, why);
  }
}

void Scheduler::easy_pass_flat(const State& state, const Queue& queue, Instant now, SincePass since,
                               Decisions& out) {
  const std::vector<QueueEntry>& entries = queue.entries();
  const PartitionId partition{0};
  const NodeUse& node = state.nodes().front();
  std::int64_t free =
      node.state == NodeState::kUp ? node.cpus - state.cpus_taken() - node.cpus_suspended : 0;
  auto start = [&](JobId job, std::int32_t cpus) {
    NodeShare share;
    share.cpus = cpus;
    out.start(job, partition, Allocation(share));
    free -= cpus;
  };
  FlatPass& pass = last_flat_;
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  // Of those the last pass looked at some may have left since.
  const bool knows_least =
      since != SincePass::kAnything && !explain_ && pass.layout == queue.layout();
  const std::int32_t known_least = knows_least ? pass.least : 0;
  // Behind these are only newcomers.
  const std::size_t newcomers = static_cast<std::size_t>(
      std::min<std::uint64_t>(queue.arrivals() - pass.arrivals, entries.size()));
  const std::size_t known = knows_least ? entries.size() - newcomers : 0;
  std::int32_t least = kMost;
  const auto remember = [&](std::int32_t least_of_all) {
    pass.least = least_of_all;
    pass.arrivals = queue.arrivals();
    pass.layout = queue.layout();
  };
  // Whoever waits since the last pass still does where others were only added: what is free and
  // the head's reservation are as they were, and there is less time before it.
  const bool only_newcomers = since == SincePass::kSubmissions && pass.reserved && !explain_ &&
                              pass.layout == queue.layout();
  std::size_t i = only_newcomers ? known : queue.head();
  if (only_newcomers) {
    least = known_least;
  } else {
    pass.reserved = false;
    // The head starts while it fits. Nobody waits for one that never will.
    const std::int64_t all = node.state == NodeState::kUp ? node.cpus - node.cpus_suspended : kMost;
    for (; i < entries.size(); ++i) {
      if (entries[i].gone) continue;
      if (entries[i].cpus <= free) {
        start(entries[i].job, entries[i].cpus);
        continue;
      }
      if (entries[i].cpus <= all) break;
      if (explain_) out.wait(entries[i].job, partition, Reason{.rule = Rule::kResources});
    }
    if (i == entries.size()) return remember(kMost);
    // All behind it that were looked at ask for more than is free: that leaves the newcomers.
    std::size_t behind = i + 1;
    if (knows_least && free < known_least) {
      behind = std::max(behind, known);
      least = known_least;
      if (behind == entries.size()) return remember(least);
    }
    // The first that does not fit has the reservation.
    const QueueEntry& head = entries[i];
    std::int64_t then = free;
    pass.shadow = now + kForever;
    for (const ExpectedEnd& end : state.expected_ends()) {
      if (then >= head.cpus && end.at != pass.shadow) break;
      then += end.cpus;
      pass.shadow = end.at;
    }
    pass.extra = then - head.cpus;
    pass.reserved = pass.extra >= 0;
    static constexpr NodeId kOnlyNode[] = {NodeId{0}};
    if (explain_) {
      out.plan(head.job, pass.shadow, kOnlyNode);
      out.wait(head.job, partition, Reason{.rule = Rule::kResources});
    }
    i = behind;
  }
  // The others start in order if they end by then or fit into what is left over.
  for (; i < entries.size() && (free > 0 || explain_); ++i) {
    const QueueEntry& entry = entries[i];
    if (entry.cpus > free && !explain_) {
      least = std::min(least, entry.cpus);
      continue;
    }
    if (entry.gone) continue;
    const bool ends_by_then = now + entry.limit <= pass.shadow;
    if (entry.cpus <= free && (ends_by_then || entry.cpus <= pass.extra)) {
      if (!ends_by_then) pass.extra -= entry.cpus;
      start(entry.job, entry.cpus);
    } else {
      least = std::min(least, entry.cpus);
      if (explain_) out.wait(entry.job, partition, Reason{.rule = Rule::kPriority});
    }
  }
  // Nobody looks at the rest when nothing is free; all of them ask for something.
  if (i < entries.size()) least = known == entries.size() ? std::min(least, known_least) : 1;
  remember(least);
}

}  // namespace sluice
