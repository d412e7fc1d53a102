// Folds facts into a chain, and counts it through.
#include "escalation/chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace sluice {
namespace {

void fold(Chain& chain, const BatchesIntended& event) {
  for (const Batch& batch : event.batches) {
    CHECK(batch.number == chain.batches.size() + 1, "batches are numbered in order");
    for (const std::uint32_t index : batch.tasks.to_vector()) {
      Task& task = chain.task(index);
      CHECK(task.state == TaskState::kWaiting, "only a waiting task is handed in");
      task.state = TaskState::kSubmitted;
      task.batch = batch.number;
      task.rung = batch.rung;
      task.round = static_cast<std::uint16_t>(task.round + 1);
      task.running = false;
    }
    chain.batches.push_back(batch);
  }
}

void fold(Chain& chain, const BatchTriedAgain& event) {
  Batch& batch = chain.batch(event.batch);
  batch.intended = event.at;
  batch.missed.reset();
  ++batch.attempts;
}

void fold(Chain& chain, const BatchMissed& event) { chain.batch(event.batch).missed = event.at; }

void fold(Chain& chain, const BatchAccepted& event) {
  Batch& batch = chain.batch(event.batch);
  batch.state = batch.move ? BatchState::kTaking : BatchState::kAccepted;
  batch.job = event.job;
}

void fold(Chain& chain, const BatchReleased& event) {
  chain.batch(event.batch).state = BatchState::kReleased;
}

void fold(Chain& chain, const BatchWithdrawn& event) {
  Batch& batch = chain.batch(event.batch);
  batch.state = BatchState::kWithdrawn;
  batch.refusal = event.refusal;
  for (const std::uint32_t index : batch.tasks.to_vector()) {
    Task& task = chain.task(index);
    if (task.state != TaskState::kSubmitted || task.batch != event.batch) continue;
    task.round = static_cast<std::uint16_t>(task.round - 1);
    task.running = false;
    task.given_up = event.given_up;
    task.state = event.given_up == GivenUp::kNo ? TaskState::kWaiting : TaskState::kGivenUp;
  }
}

void fold(Chain& chain, const BatchCleared& event) { chain.batch(event.batch).job.reset(); }

// A batch is closed with its last task.
void close_batches(Chain& chain, const IndexSet& touched) {
  for (const std::uint32_t number : touched.to_vector()) {
    Batch& batch = chain.batch(number);
    const auto indices = batch.tasks.to_vector();
    const bool open = std::any_of(indices.begin(), indices.end(), [&](std::uint32_t index) {
      const Task& task = chain.task(index);
      return task.state == TaskState::kSubmitted && task.batch == number;
    });
    if (!open) batch.state = BatchState::kClosed;
  }
}

void fold(Chain& chain, const TasksSettled& event) {
  IndexSet touched;
  for (const Settlement& one : event.settlements) {
    Task& task = chain.task(one.run.index);
    CHECK(task.state == TaskState::kSubmitted && task.batch == one.run.batch,
          "a run ends once, in the batch the task is in");
    task = one.after;
    touched.insert(one.run.batch);
  }
  close_batches(chain, touched);
}

void fold(Chain& chain, const TasksSeen& event) {
  for (const std::uint32_t index : event.running) chain.task(index).running = true;
  for (const std::uint32_t index : event.pending) chain.task(index).running = false;
}

void fold(Chain& chain, const TasksWithdrawn& event) {
  for (const std::uint32_t index : event.tasks.to_vector()) {
    Task& task = chain.task(index);
    CHECK(task.state == TaskState::kWaiting);
    task.state = TaskState::kGivenUp;
    task.given_up = GivenUp::kWithdrawn;
  }
}

void fold(Chain& chain, const TasksRenewed& event) {
  IndexSet batches;
  for (const std::uint32_t index : event.tasks.to_vector()) {
    Task& task = chain.task(index);
    CHECK(task.state == TaskState::kGivenUp || task.state == TaskState::kSubmitted);
    if (task.state == TaskState::kSubmitted) batches.insert(task.batch);
    task.state = TaskState::kWaiting;
    task.given_up = GivenUp::kNo;
    task.running = false;
    task.again = 0;
    task.rung = event.rung;
  }
  close_batches(chain, batches);
  chain.state = ChainState::kActive;
}

void fold(Chain& chain, const HandlerIntended& event) {
  CHECK(event.handler.number == chain.handlers.size() + 1, "handlers are numbered in order");
  chain.handlers.push_back(event.handler);
}

void fold(Chain& chain, const HandlerAccepted& event) {
  chain.handlers[event.handler - 1].job = event.job;
}

void fold(Chain& chain, const HandlerTurned& event) {
  chain.handlers[event.handler - 1].batches = event.batches;
}

void fold(Chain& chain, const HandlerGone& event) { chain.handlers[event.handler - 1].gone = true; }

void fold(Chain& chain, const ChainStateChanged& event) { chain.state = event.state; }

void fold(Chain& chain, const TermsChanged& event) { chain.terms = event.terms; }

void fold(Chain& chain, const ChainSized& event) { chain.sizing = event.sizing; }

void fold(Chain& chain, const BatchesResized& event) {
  IndexSet left;
  for (const Batch& part : event.parts) {
    CHECK(part.number == chain.batches.size() + 1, "batches are numbered in order");
    for (const std::uint32_t index : part.tasks.to_vector()) {
      Task& task = chain.task(index);
      CHECK(task.state == TaskState::kSubmitted, "only what was handed in is resized");
      Batch& before = chain.batch(task.batch);
      CHECK(before.job == part.job, "a part stays in the job it is in");
      before.tasks.erase(index);
      left.insert(task.batch);
      task.batch = part.number;
      task.rung = part.rung;
    }
    chain.batches.push_back(part);
  }
  close_batches(chain, left);
}

void fold(Chain& chain, const MoveIntended& event) {
  CHECK(event.batch.number == chain.batches.size() + 1, "batches are numbered in order");
  CHECK(event.batch.move.has_value() && event.batch.move->from < event.batch.number);
  chain.batches.push_back(event.batch);
}

void fold(Chain& chain, const TasksTaken& event) {
  Batch& batch = chain.batch(event.batch);
  CHECK(batch.state == BatchState::kTaking, "the new job is there before the old one is left");
  Batch& from = chain.batch(batch.move->from);
  for (const std::uint32_t index : event.tasks.to_vector()) {
    Task& task = chain.task(index);
    CHECK(task.state == TaskState::kSubmitted && task.batch == from.number,
          "only what is there is taken over");
    from.tasks.erase(index);
    task.batch = batch.number;
    task.running = false;
  }
  for (const std::uint32_t index : batch.tasks.to_vector())
    if (!event.tasks.contains(index)) batch.move->spare.insert(index);
  batch.tasks = event.tasks;
  IndexSet left;
  left.insert(from.number);
  close_batches(chain, left);
}

void fold(Chain& chain, const MoveEnded& event) {
  Batch& batch = chain.batch(event.batch);
  CHECK(batch.state == BatchState::kTaking);
  Batch& from = chain.batch(batch.move->from);
  for (const std::uint32_t index : event.back.to_vector()) {
    Task& task = chain.task(index);
    CHECK(task.state == TaskState::kSubmitted && task.batch == batch.number);
    batch.tasks.erase(index);
    batch.move->spare.insert(index);
    from.tasks.insert(index);
    from.state = BatchState::kReleased;
    task.batch = from.number;
  }
  batch.state = batch.tasks.empty() ? BatchState::kWithdrawn : BatchState::kAccepted;
}

}  // namespace

std::string_view given_up_words(GivenUp why) {
  switch (why) {
    case GivenUp::kNo:
      return "";
    case GivenUp::kNotRetried:
      return "not retried";
    case GivenUp::kTop:
      return "top of the ladder";
    case GivenUp::kTooOften:
      return "interrupted too often";
    case GivenUp::kRefused:
      return "refused by the cluster";
    case GivenUp::kWithdrawn:
      return "cancelled";
    case GivenUp::kNoOtherGpu:
      return "out of GPU memory, and no higher level has another GPU";
  }
  return "";
}

const Task* Chain::find_task(std::uint32_t index) const {
  // Most arrays begin at 0 and have no holes.
  if (index < tasks.size() && tasks[index].index == index) return &tasks[index];
  const auto found =
      std::lower_bound(tasks.begin(), tasks.end(), index,
                       [](const Task& task, std::uint32_t wanted) { return task.index < wanted; });
  return found != tasks.end() && found->index == index ? &*found : nullptr;
}

const Batch* Chain::carried_by(const RemoteJob& job) const {
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch)
    if (batch->job == job) return &*batch;
  return nullptr;
}

bool Chain::knows(const RemoteJob& job, std::uint32_t index) const {
  return std::any_of(batches.begin(), batches.end(), [&](const Batch& batch) {
    if (batch.job == job && batch.tasks.contains(index)) return true;
    return batch.move && (batch.job == job || batch.move->job == job) &&
           (batch.tasks.contains(index) || batch.move->spare.contains(index));
  });
}

bool Chain::is_moving(std::uint32_t index) const {
  return std::any_of(batches.begin(), batches.end(), [&](const Batch& batch) {
    return batch.move &&
           (batch.state == BatchState::kIntended || batch.state == BatchState::kTaking) &&
           batch.tasks.contains(index);
  });
}

bool Chain::is_stopped(const Task& task) const {
  return terms.stopped || (terms.last_level && task.rung.highest() + 1U > *terms.last_level);
}

bool Chain::is_under_way() const {
  return std::any_of(batches.begin(), batches.end(), [](const Batch& batch) {
    return batch.state == BatchState::kIntended || batch.state == BatchState::kAccepted ||
           batch.state == BatchState::kTaking ||
           (batch.state == BatchState::kWithdrawn && batch.job);
  });
}

const Task& Chain::task(std::uint32_t index) const {
  const Task* found = find_task(index);
  CHECK(found != nullptr, "the chain has this task");
  return *found;
}

Task& Chain::task(std::uint32_t index) {
  return const_cast<Task&>(static_cast<const Chain&>(*this).task(index));
}

Chain make_chain(std::string id, Instant created, JobSpec spec, Ladder ladder,
                 std::optional<ArraySpec> array, const Rung& first) {
  Chain chain;
  chain.id = std::move(id);
  chain.created = created;
  chain.spec = std::move(spec);
  chain.spec.array.reset();
  chain.ladder = std::move(ladder);
  chain.array = array.has_value();
  std::vector<std::uint32_t> indices = {0};
  if (array) {
    indices = array->indices.to_vector();
    chain.throttle = array->throttle;
  }
  chain.tasks.reserve(indices.size());
  for (const std::uint32_t index : indices) {
    Task task;
    task.index = index;
    task.rung = first;
    chain.tasks.push_back(task);
  }
  return chain;
}

void record_in(Chain& chain, const ChainEvent& event) {
  std::visit([&](const auto& fact) { fold(chain, fact); }, event);
}

Audit audit(const Chain& chain) {
  Audit out;
  const auto problem = [&](std::string text) {
    if (out.problems.size() < 20) out.problems.push_back(std::move(text));
  };
  out.tasks = chain.tasks.size();
  for (std::size_t i = 0; i < chain.tasks.size(); ++i) {
    const Task& task = chain.tasks[i];
    if (i > 0 && chain.tasks[i - 1].index >= task.index)
      problem(fmt::format("task {} stands twice, or out of order", task.index));
    switch (task.state) {
      case TaskState::kCompleted:
        ++out.completed;
        break;
      case TaskState::kGivenUp:
        ++out.given_up;
        if (task.given_up == GivenUp::kNo)
          problem(fmt::format("task {} was given up for no reason", task.index));
        break;
      case TaskState::kWaiting:
        ++out.waiting;
        ++out.unsubmitted;
        break;
      case TaskState::kSubmitted:
        ++(task.running ? out.running : out.waiting);
        if (task.batch == 0 || task.batch > chain.batches.size() ||
            !chain.batch(task.batch).tasks.contains(task.index))
          problem(fmt::format("task {} is in no batch", task.index));
        else if (chain.batch(task.batch).state == BatchState::kClosed ||
                 chain.batch(task.batch).state == BatchState::kWithdrawn)
          problem(fmt::format("task {} is in batch {}, which is closed", task.index, task.batch));
        break;
    }
  }
  for (const Batch& batch : chain.batches)
    if ((batch.state == BatchState::kAccepted || batch.state == BatchState::kReleased ||
         batch.state == BatchState::kTaking) &&
        !batch.job)
      problem(fmt::format("batch {} was accepted without a job", batch.number));
  if (out.completed + out.given_up + out.waiting + out.running != out.tasks)
    problem(fmt::format("{} tasks, but {} + {} + {} + {}", out.tasks, out.completed, out.given_up,
                        out.waiting, out.running));
  return out;
}

}  // namespace sluice
