// The first that waits has a reservation; the others must not delay it.
#include "policy/easy_pass.h"

#include <optional>
#include <utility>
#include <vector>

#include "policy/cpu_cap.h"

namespace sluice {

void EasyPass::run(const PassInput& input) {
  const State& state = input.state;
  const Queue& queue = input.queue;
  const Instant now = input.now;
  Decisions& out = input.out;
  if (kit_.shortcuts.goes_flat(queue) && !queue.empty())
    return flat_.run(input, kit_.shortcuts.explains() ? Tells::kReasons : Tells::kNothing);
  flat_.forget();
  if (queue.empty()) return;
  kit_.room.read(state);

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
      const Stop stop = start_now(input, entry, why);
      if (stop == Stop::kStarted) continue;
      if (stop == Stop::kNoRoom) {
        const Shape& shape = state.shape_of_job(state.job(entry.job));
        if (kit_.traits.preempts && push_out_for(input, entry, shape) && queue.entries()[i].gone)
          continue;
        kit_.forecast.read(state, kit_.topology, kit_.room.free(), now);
        kit_.forecast.look_through(kit_.room.windows().any() ? &kit_.room.windows() : nullptr);
        if (const Earliest* found =
                kit_.forecast.earliest(shape, entry.kind, entry.partition, entry.limit)) {
          head = entry;
          head_shape = &shape;
          head_start = found->start;
          kit_.forecast.free_at(head_start, then);
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
      kit_.room.look_through(state, shape, now);
      if (auto reason = kit_.gates.before_nodes(state, entry, job, shape, now)) {
        why = *reason;
        break;
      }
      auto allocation = kit_.room.place(state, shape, entry.partition, now, job.limit);
      why = Reason{.rule = Rule::kPriority};
      if (!allocation) break;
      if (auto reason =
              kit_.gates.limit_of_given(state, job, shape, entry.partition, *allocation, now)) {
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
        if (!place(kit_.topology, *head_shape, head->partition, for_head)) break;
        then = std::move(after);
        cap = std::move(cap_after);
      }
      const bool last = is_last_task(state, job);
      start(input, entry, *allocation);
      if (last) break;
    }
    if (!queue.entries()[i].gone) out.wait(entry.job, entry.partition, why);
  }
}

}  // namespace sluice
