// Tasks that move by another job: the new one is there, held, before the old one is touched, and
// the old tasks are gone before the new ones may run.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cluster/departure.h"
#include "escalation/advance.h"
#include "escalation/spread.h"

namespace sluice {
namespace {

IndexSet shifted_up(const IndexSet& tasks, std::uint32_t offset) {
  IndexSet out;
  for (const std::uint32_t task : tasks.to_vector()) out.insert(task + offset);
  return out;
}

Departure departure_from(Cluster& cluster, const Chain& chain, const Batch& batch) {
  return {cluster, batch.move->job,
          chain.array ? Departure::Kind::kArray : Departure::Kind::kOneJob};
}

// Its tasks wait in the old job, and no user has held them for good.
bool is_still_there(const Chain& chain, const Batch& batch) {
  const auto tasks = batch.tasks.to_vector();
  return std::none_of(tasks.begin(), tasks.end(),
                      [&](std::uint32_t index) { return chain.task(index).batch == batch.number; });
}

// So many may still run beside those of its batch that do. That the account they leave gets room
// for more at the same time cannot be told beforehand.
std::optional<std::uint32_t> throttle_beside(const Chain& chain, const Batch& from) {
  if (!from.throttle) return std::nullopt;
  const auto tasks = from.tasks.to_vector();
  const auto running = static_cast<std::uint32_t>(
      std::count_if(tasks.begin(), tasks.end(), [&](std::uint32_t index) {
        const Task& task = chain.task(index);
        return task.batch == from.number && task.state == TaskState::kSubmitted && task.running;
      }));
  return std::max(1U, *from.throttle - std::min(*from.throttle, running));
}

}  // namespace

// By batch: parts of one array that were resized ask for different things.
Result<Progress> Advance::move(std::span<const ChainMove> moves, Instant now) {
  progress_ = {};
  if (chain_.state != ChainState::kActive) return progress_;
  TRY(const Description description, cluster_.describe());
  PackingLimits limits;
  limits.max_array_size = description.capabilities.max_array_size;
  for (const ChainMove& move : moves) {
    const Batch* carried = chain_.carried_by(move.job);
    if (carried == nullptr) continue;
    std::map<std::uint32_t, IndexSet> by_batch;
    IndexSet wanted;
    if (move.tasks)
      wanted = shifted_up(*move.tasks, carried->offset);
    else
      wanted.insert(0);
    for (const std::uint32_t index : wanted.to_vector()) {
      const Task* task = chain_.find_task(index);
      if (task == nullptr || task->state != TaskState::kSubmitted || chain_.is_moving(index))
        continue;
      const Batch& batch = chain_.batch(task->batch);
      if (batch.job == move.job && batch.state == BatchState::kReleased)
        by_batch[task->batch].insert(index);
    }
    for (const auto& [number, tasks] : by_batch) {
      for (Pack& pack : pack(tasks, limits)) {
        const Batch& from = chain_.batch(number);
        Batch next = from;
        next.number = static_cast<std::uint32_t>(chain_.batches.size() + 1);
        next.key = fmt::format("{}.b{}", chain_.id, next.number);
        next.state = BatchState::kIntended;
        next.intended = now;
        next.attempts = 1;
        next.offset = pack.offset;
        next.tasks = std::move(pack.tasks);
        next.throttle = throttle_beside(chain_, from);
        if (!move.partitions.empty()) next.request.partitions = move.partitions;
        if (next.placement) {
          move_placement(*next.placement, move.account, move.qos, move.partitions);
          if (move.memory) next.placement->shape.memory = move.memory;
          if (move.time) next.placement->shape.time_limit = move.time;
        }
        next.missed.reset();
        next.move = BatchMove{number, *from.job, move.account, move.qos, {}};
        next.job.reset();
        const std::uint32_t made = next.number;
        TRY_VOID(record(MoveIntended{std::move(next)}));
        TRY_VOID(submit(made));
        TRY_VOID(take_over(made));
      }
    }
  }
  TRY_VOID(clear_withdrawn());
  TRY_VOID(attend(now));
  TRY_VOID(release_all());
  return progress_;
}

Result<void> Advance::recover_move(std::uint32_t number, Instant now) {
  TRY(const bool adopted, adopt(number));
  if (adopted) return {};
  TRY(const bool lost, never_arrived(number, now));
  // There may be room where they are by now.
  return lost ? stay(number, "the new job never arrived") : Result<void>{};
}

Result<void> Advance::take_over_all() {
  // Facts may be recorded on the way, but no batch is added.
  for (std::size_t i = 0; i < chain_.batches.size(); ++i)
    TRY_VOID(take_over(static_cast<std::uint32_t>(i + 1)));
  return clear_withdrawn();
}

Result<void> Advance::take_over(std::uint32_t number) {
  Batch& batch = chain_.batch(number);
  if (batch.state != BatchState::kTaking) return {};
  const std::uint32_t offset = chain_.batch(batch.move->from).offset;
  Departure old = departure_from(cluster_, chain_, batch);
  if (is_still_there(chain_, batch)) {
    IndexSet waiting;
    for (const std::uint32_t index : batch.tasks.to_vector()) {
      const Task& task = chain_.task(index);
      if (task.state == TaskState::kSubmitted && task.batch == batch.move->from)
        waiting.insert(index);
    }
    if (waiting.empty()) return stay(number, "they have ended meanwhile");
    TRY(const Departure::Held held, old.hold(shifted_down(waiting, offset)));
    if (!held.refused.empty()) return stay(number, held.refused);
    if (!held.seen) {
      progress_.unseen = true;
      return {};
    }
    if (held.tasks.empty()) return stay(number, "they have started meanwhile");
    TRY_VOID(record(TasksTaken{number, shifted_up(held.tasks, offset)}));
  } else {
    TRY_VOID(old.hold_again(shifted_down(batch.tasks, offset)));
  }
  TRY(const auto cancelled, old.cancel(shifted_down(batch.tasks, offset)));
  if (!cancelled) {
    progress_.unseen = true;
    return {};
  }
  IndexSet back = batch.tasks;
  back.erase_all(shifted_up(*cancelled, offset));
  TRY_VOID(record(MoveEnded{number, std::move(back)}));
  progress_.moved += batch.tasks.size();
  if (batch.state == BatchState::kAccepted)
    progress_.notes.push_back(fmt::format(
        "{} tasks of job {} moved to {} as job {}: the site does not let a job be changed",
        batch.tasks.size(), batch.move->job.job.value(), batch.move->account,
        batch.job->job.value()));
  return {};
}

// The old job is as it was.
Result<void> Advance::stay(std::uint32_t number, const std::string& why) {
  const Batch& batch = chain_.batch(number);
  progress_.notes.push_back(fmt::format("{} tasks of job {} stay where they wait: {}",
                                        batch.tasks.size(), batch.move->job.job.value(), why));
  return record(BatchWithdrawn{number, GivenUp::kNo, {}});
}

// The chain is cancelled. What was on its way is ended where it waited and where it was to go.
Result<void> Advance::forgo_moves() {
  for (std::size_t i = 0; i < chain_.batches.size(); ++i) {
    const Batch& batch = chain_.batches[i];
    if (batch.state != BatchState::kTaking) continue;
    if (is_still_there(chain_, batch)) {
      TRY_VOID(record(BatchWithdrawn{batch.number, GivenUp::kNo, {}}));
      continue;
    }
    const std::uint32_t offset = chain_.batch(batch.move->from).offset;
    TRY_VOID(chain_.array
                 ? cluster_.cancel_tasks(batch.move->job, shifted_down(batch.tasks, offset))
                 : cluster_.cancel({batch.move->job, std::nullopt}));
    TRY_VOID(record(MoveEnded{batch.number, {}}));
  }
  return {};
}

}  // namespace sluice
