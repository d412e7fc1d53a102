#include "views/priority_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/priority.h"

namespace sluice {

std::vector<PriorityLine> priority_lines(const Engine& engine, Instant now,
                                         const QueueFilter& filter) {
  std::vector<PriorityLine> out;
  const State& state = engine.state();
  QueueFilter waiting = filter;
  waiting.arrays = ArrayLines::kRecords;
  waiting.states = {JobState::kPending};
  if (state.policy().priority.calculate_running) {
    waiting.states.push_back(JobState::kRunning);
    waiting.states.push_back(JobState::kSuspended);
  }
  for_each_queue_line(engine, now, waiting, [&](const QueueLine& row, LineBefore) {
    const Job& job = state.job(row.job);
    const Shape& shape = state.shape_of_job(job);
    if (shape.partitions.empty()) return;
    const PartitionId partition =
        holds_nodes(job.state) ? state.run_of(job).partition : shape.partitions.front();
    const PriorityParts parts = priority_of(state, engine.queue().context(),
                                            engine.queue().fairshare(), job, partition, now);
    const auto whole = [](double part) { return static_cast<std::int64_t>(part); };
    PriorityLine line;
    line.id = row.id;
    line.user = row.user;
    line.account = row.account;
    line.partition = row.partition;
    line.qos = row.qos;
    // What the queue goes by: the parts may have moved on since it was last calculated.
    line.priority = engine.queue().running_priority(state, job).value_or(row.priority);
    line.age = whole(parts.age);
    line.assoc = whole(parts.assoc);
    line.fairshare = whole(parts.fairshare);
    line.job_size = whole(parts.job_size);
    line.partition_part = whole(parts.partition);
    line.qos_part = whole(parts.qos);
    line.tres = whole(parts.tres);
    line.nice = parts.nice;
    line.reason = row.reason;
    const PriorityContext& context = engine.queue().context();
    const std::size_t place = partition.index();
    if (place < context.tres_factors.size())
      for (const auto& factor : context.tres_factors[place]) {
        const double share = static_cast<double>(shape.asked[factor.tres]) / factor.total;
        if (const std::int64_t part = whole(factor.weight * share); shape.asked[factor.tres] > 0)
          line.tres_parts += fmt::format("{}{}={}", line.tres_parts.empty() ? "" : ",",
                                         state.policy().tres.name(factor.tres), part);
      }
    out.push_back(std::move(line));
  });
  return out;
}

}  // namespace sluice
