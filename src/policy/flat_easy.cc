// Numbers of CPUs, and what the last pass knows of those that still wait.
#include "policy/flat_easy.h"

#include <algorithm>
#include <limits>

#include "policy/decisions.h"
#include "policy/queue.h"
#include "state/state.h"

namespace sluice {

void FlatEasy::run(const PassInput& input, Tells tells) {
  const State& state = input.state;
  const Queue& queue = input.queue;
  const Instant now = input.now;
  const SincePass since = input.since;
  Decisions& out = input.out;
  const bool explain = tells == Tells::kReasons;
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
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  // Of those the last pass looked at some may have left since.
  const bool knows_least = since != SincePass::kAnything && !explain && layout_ == queue.layout();
  const std::int32_t known_least = knows_least ? least_ : 0;
  // Behind these are only newcomers.
  const std::size_t newcomers = static_cast<std::size_t>(
      std::min<std::uint64_t>(queue.arrivals() - arrivals_, entries.size()));
  const std::size_t known = knows_least ? entries.size() - newcomers : 0;
  std::int32_t least = kMost;
  const auto remember = [&](std::int32_t least_of_all) {
    least_ = least_of_all;
    arrivals_ = queue.arrivals();
    layout_ = queue.layout();
  };
  // A job that waits since the last pass still does where others were only added: what is free and
  // the head's reservation are as they were, and there is less time before it.
  const bool only_newcomers =
      since == SincePass::kSubmissions && reserved_ && !explain && layout_ == queue.layout();
  std::size_t i = only_newcomers ? known : queue.head();
  if (only_newcomers) {
    least = known_least;
  } else {
    reserved_ = false;
    // The head starts while it fits. Nobody waits for one that never will.
    const std::int64_t all = node.state == NodeState::kUp ? node.cpus - node.cpus_suspended : kMost;
    for (; i < entries.size(); ++i) {
      if (entries[i].gone) continue;
      if (entries[i].cpus <= free) {
        start(entries[i].job, entries[i].cpus);
        continue;
      }
      if (entries[i].cpus <= all) break;
      if (explain) out.wait(entries[i].job, partition, Reason{.rule = Rule::kResources});
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
    shadow_ = now + kForever;
    for (const ExpectedEnd& end : state.expected_ends()) {
      if (then >= head.cpus && end.at != shadow_) break;
      then += end.cpus;
      shadow_ = end.at;
    }
    extra_ = then - head.cpus;
    reserved_ = extra_ >= 0;
    static constexpr NodeId kOnlyNode[] = {NodeId{0}};
    if (explain) {
      out.plan(head.job, shadow_, kOnlyNode);
      out.wait(head.job, partition, Reason{.rule = Rule::kResources});
    }
    i = behind;
  }
  // The others start in order if they end by then or fit into what is left over.
  for (; i < entries.size() && (free > 0 || explain); ++i) {
    const QueueEntry& entry = entries[i];
    if (entry.cpus > free && !explain) {
      least = std::min(least, entry.cpus);
      continue;
    }
    if (entry.gone) continue;
    const bool ends_by_then = now + entry.limit <= shadow_;
    if (entry.cpus <= free && (ends_by_then || entry.cpus <= extra_)) {
      if (!ends_by_then) extra_ -= entry.cpus;
      start(entry.job, entry.cpus);
    } else {
      least = std::min(least, entry.cpus);
      if (explain) out.wait(entry.job, partition, Reason{.rule = Rule::kPriority});
    }
  }
  // Nobody looks at the rest when nothing is free; all of them ask for something.
  if (i < entries.size()) least = known == entries.size() ? std::min(least, known_least) : 1;
  remember(least);
}

}  // namespace sluice
