// One submission and everything that follows from it, until every task completed or was given up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "cluster/sighting.h"
#include "escalation/ladder.h"
#include "model/index_set.h"
#include "model/job.h"

namespace sluice {

enum class TaskState : std::uint8_t {
  kWaiting,    // To be handed in, at its rung.
  kSubmitted,  // In a batch, of which the end has not been seen.
  kCompleted,
  kGivenUp,
};

enum class GivenUp : std::uint8_t {
  kNo,
  kNotRetried,  // Its failure does not climb: a mistake in the code.
  kTop,         // At the top of the ladder.
  kTooOften,    // Run again without climbing as often as the ladder allows.
  kRefused,     // The cluster does not take it.
  kWithdrawn,   // The chain was cancelled.
  kNoOtherGpu,  // The memory of its GPU ran out, and no higher level has another.
};
std::string_view given_up_words(GivenUp why);

struct Task {
  std::uint32_t index = 0;
  std::uint32_t batch = 0;  // The latest it was in; batches count from 1.
  std::uint16_t round = 0;  // How often it was handed in.
  std::uint16_t again = 0;  // Of these, how often as it was, after no fault of its own.
  Rung rung;
  TaskState state = TaskState::kWaiting;
  GivenUp given_up = GivenUp::kNo;
  bool running = false;         // When last seen.
  std::uint16_t continued = 0;  // How often it went on after its time was over.
  friend bool operator==(const Task&, const Task&) = default;
};

enum class BatchState : std::uint8_t {
  kIntended,   // Written down; the cluster may or may not have it.
  kAccepted,   // The cluster has it, held.
  kReleased,   // Its tasks wait or run.
  kClosed,     // Every task's end is known.
  kWithdrawn,  // It never ran.
  kTaking,     // The cluster has it, held, while its tasks leave the job that they wait in.
};

// Where a batch takes over tasks that wait in another job, on a site that allows no changes.
struct BatchMove {
  std::uint32_t from = 0;  // The batch that they were in.
  RemoteJob job;           // Which carried it.
  std::string account;
  std::string qos;
  // In the array, and not taken over: they had started. Cancelled here before the others run.
  IndexSet spare;
  friend bool operator==(const BatchMove&, const BatchMove&) = default;
};

// The pool that a batch was given to, and the job as it is submitted there.
struct Placement {
  std::string pool;  // "maigan/gpu"
  // Everything but array, script, arguments and files; of the environment what the pool adds.
  JobSpec shape;
  friend bool operator==(const Placement&, const Placement&) = default;
};

// What was handed in at once: some tasks of one rung, as one array.
struct Batch {
  std::uint32_t number = 0;
  std::uint32_t round = 0;
  std::string key;  // Carried by the job: a submission without an answer is found by it.
  Rung rung;
  Request request;
  IndexSet tasks;
  std::uint32_t offset = 0;  // The array has task - offset: its indices end at MaxArraySize.
  std::optional<std::uint32_t> throttle;
  BatchState state = BatchState::kIntended;
  Instant intended;            // Or tried once more.
  std::uint32_t attempts = 1;  // More than one may have left a twin, which is held for ever.
  std::optional<RemoteJob> job;
  std::optional<BatchMove> move;
  std::optional<Placement> placement;  // Nothing: in the account of the chain.
  // When it was first looked for and not found. Until the settle time has passed since, it may
  // still arrive.
  std::optional<Instant> missed;
  std::string refusal;  // Why the cluster did not take it.
  friend bool operator==(const Batch&, const Batch&) = default;
};

// A small job that goes on with the chain when batches have ended.
struct Handler {
  std::uint32_t number = 0;
  std::string key;
  std::vector<std::uint32_t> batches;  // What it waits for. Empty: stands by.
  Instant intended;
  std::optional<RemoteJob> job;
  bool gone = false;
  friend bool operator==(const Handler&, const Handler&) = default;
};

// One attempt of one task that has ended.
struct TaskRun {
  std::uint32_t index = 0;
  std::uint32_t batch = 0;
  std::uint32_t round = 0;
  JobState state = JobState::kCompleted;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::optional<std::int64_t> max_rss_kb;
  std::optional<Instant> start;
  std::optional<Instant> end;
  std::string node;
  std::int32_t restarts = 0;
  friend bool operator==(const TaskRun&, const TaskRun&) = default;
};

// What first attempts ask for, where it is learnt from the tasks that have ended.
struct Sizing {
  Rung from;                              // What was asked for before anything was known.
  std::uint32_t tasks = 0;                // That had ended when this was decided.
  std::optional<std::int64_t> memory_mb;  // Nothing: as the rung says.
  std::optional<Duration> time;
  friend bool operator==(const Sizing&, const Sizing&) = default;
};

enum class ChainState : std::uint8_t { kActive, kCancelled, kEnded };

// What was agreed on when the chain was submitted, and what its user has decided since.
struct ChainTerms {
  std::string engine = "slurm";  // Or "embedded": this machine.
  std::string project;           // The folder it was submitted in, whose settings count.
  bool attended = true;          // It goes on by itself, by handler jobs or by the daemon.
  // A submission that is routed once: one rung, no handlers, not listed. All jobs that are handed
  // in together are taken, or none.
  bool routed = false;

  bool spread = false;                // Over all pools with room; otherwise in one account.
  std::string device;                 // gpu, cpu, any; empty: what the job asks for.
  std::string shape;                  // A named one of the routing file.
  std::vector<std::string> accounts;  // Empty: any.
  bool keep_back = false;             // Hand in only what can start.
  std::optional<Duration> gpu_runtime;
  std::optional<Duration> cpu_runtime;

  bool stopped = false;                     // Nothing more is handed in.
  std::optional<std::uint32_t> last_level;  // Nothing above it is handed in; counts from 1.

  // When it was last looked whether tasks that wait fit elsewhere, and into how many accounts.
  std::optional<Instant> looked_around;
  std::uint32_t accounts_seen = 0;
  friend bool operator==(const ChainTerms&, const ChainTerms&) = default;
};

struct Chain {
  std::string id;
  Instant created;
  std::string script_path;  // A copy that the nodes can read.
  JobSpec spec;        // As submitted, without array, partition, memory and time of the levels.
  bool array = false;  // Otherwise one task, of index 0, which is no array.
  std::optional<std::uint32_t> throttle;  // For all batches together.
  Ladder ladder;                          // Settled.
  std::optional<Sizing> sizing;           // Nothing: the ladder alone decides.
  ChainTerms terms;
  ChainState state = ChainState::kActive;
  std::vector<Task> tasks;  // By index, ascending.
  std::vector<Batch> batches;
  std::vector<Handler> handlers;

  Task& task(std::uint32_t index);
  const Task& task(std::uint32_t index) const;
  const Task* find_task(std::uint32_t index) const;
  Batch& batch(std::uint32_t number) { return batches[number - 1]; }
  const Batch& batch(std::uint32_t number) const { return batches[number - 1]; }
  // Any batch that this job carries; those that were resized in place share theirs.
  const Batch* carried_by(const RemoteJob& job) const;
  // Whether this task is, or was, in a job of the chain.
  bool knows(const RemoteJob& job, std::uint32_t index) const;
  // Whether a batch that is not there yet, or is taking over, wants this task.
  bool is_moving(std::uint32_t index) const;
  // Whether this task, which waits to be handed in, stays back by its user's word.
  bool is_stopped(const Task& task) const;
  // Something was written down, or is held, that the user has not been told of.
  bool is_under_way() const;
};

// Every task below its first rung, none handed in.
Chain make_chain(std::string id, Instant created, JobSpec spec, Ladder ladder,
                 std::optional<ArraySpec> array, const Rung& first);

// Facts about a chain, in the order in which they became true. Recording one twice is an error of
// ours; what is not recorded did not happen.
struct BatchesIntended {
  std::vector<Batch> batches;
};
// Looked for, not found, and about to be handed in once more under the same key.
struct BatchTriedAgain {
  std::uint32_t batch = 0;
  Instant at;
};
// Looked for and not found, by every source that could know it.
struct BatchMissed {
  std::uint32_t batch = 0;
  Instant at;
};
struct BatchAccepted {
  std::uint32_t batch = 0;
  RemoteJob job;
};
struct BatchReleased {
  std::uint32_t batch = 0;
};
// Its tasks wait again, or are given up where the cluster will never take them.
struct BatchWithdrawn {
  std::uint32_t batch = 0;
  GivenUp given_up = GivenUp::kNo;
  std::string refusal = {};  // The cluster's words, where it did not take it.
};
// The job of a withdrawn batch is gone.
struct BatchCleared {
  std::uint32_t batch = 0;
};
// First attempts ask for this much from now on.
struct ChainSized {
  Sizing sizing;
};
// Tasks that wait ask for something else: they leave the batch of the same job that they were in.
struct BatchesResized {
  std::vector<Batch> parts;
};
// Tasks that wait are to leave their job for this batch, which is about to be handed in.
struct MoveIntended {
  Batch batch;
};
// These wait in the old job and are held: from now on they are the new batch's. What becomes of
// them in the old job is no end of theirs.
struct TasksTaken {
  std::uint32_t batch = 0;
  IndexSet tasks;
};
// They were seen cancelled in the old job. Those that had started after all are its own again.
struct MoveEnded {
  std::uint32_t batch = 0;
  IndexSet back;
};
struct Settlement {
  TaskRun run;
  Task after;
};
struct TasksSettled {
  std::vector<Settlement> settlements;
};
// Which tasks began to run, or went back to waiting, since the last look.
struct TasksSeen {
  std::vector<std::uint32_t> running;
  std::vector<std::uint32_t> pending;
};
// Waiting tasks of a chain that was cancelled.
struct TasksWithdrawn {
  IndexSet tasks;
};
// Given up before, to be tried once more; or out of sight, by the user's word.
struct TasksRenewed {
  IndexSet tasks;
  Rung rung;
};
struct HandlerIntended {
  Handler handler;
};
struct HandlerAccepted {
  std::uint32_t handler = 0;
  RemoteJob job;
};
struct HandlerTurned {
  std::uint32_t handler = 0;
  std::vector<std::uint32_t> batches;
};
struct HandlerGone {
  std::uint32_t handler = 0;
};
struct ChainStateChanged {
  ChainState state = ChainState::kActive;
};
struct TermsChanged {
  ChainTerms terms;
};
using ChainEvent =
    std::variant<BatchesIntended, BatchTriedAgain, BatchAccepted, BatchReleased, BatchWithdrawn,
                 BatchCleared, TasksSettled, TasksSeen, TasksWithdrawn, TasksRenewed,
                 HandlerIntended, HandlerAccepted, HandlerTurned, HandlerGone, ChainStateChanged,
                 ChainSized, BatchesResized, MoveIntended, TasksTaken, MoveEnded, BatchMissed,
                 TermsChanged>;

void record_in(Chain& chain, const ChainEvent& event);

// tasks = completed + given up + waiting + running, always.
struct Audit {
  std::size_t tasks = 0;
  std::size_t completed = 0;
  std::size_t given_up = 0;
  std::size_t waiting = 0;  // For a batch, or in one.
  std::size_t running = 0;
  std::size_t unsubmitted = 0;        // Of the waiting: in no batch.
  std::vector<std::string> problems;  // What cannot be. Empty: the chain is sound.
};
Audit audit(const Chain& chain);

}  // namespace sluice
