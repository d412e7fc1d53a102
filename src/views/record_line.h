// Jobs as Slurm's commands show them: one row for each record, now or in the accounts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/outcome.h"
#include "views/row_fields.h"

namespace sluice {

// One record that the engine still remembers. Empty texts are what Slurm prints as "(null)".
struct RecordLine {
  JobId job;
  std::optional<JobId> array;
  std::optional<std::uint32_t> task;
  std::string waiting;  // Of an array's own record: the tasks in it, "3-6%2".
  std::string name;
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  JobState state = JobState::kPending;
  std::string reason;
  std::int64_t priority = 0;
  std::string nodes;
  std::int64_t node_count = 0;
  std::int64_t cpus = 0;
  Duration elapsed{0};
  std::optional<Duration> limit;
  Instant submitted;
  std::optional<Instant> started;  // Or expected to start, or to begin.
  std::optional<Instant> ends;     // Or expected to.
  std::string planned;
  std::string memory_per;  // "node", "cpu" or "gpu"
  std::int64_t memory_mb = 0;
  std::string tres_per_node;
  std::string tres_per_job;
  std::string tres_per_task;
  std::string tres_per_socket;
  std::string tres;
  std::string features;
  std::string licenses;
  std::string dependency;
  std::string comment;
  std::string wckey;
  std::string reservation;
  std::string folder;
  std::string command;
  std::int64_t nice = 0;
  std::int64_t tasks = 1;
  std::optional<std::int64_t> cpus_per_task;
  std::optional<std::int64_t> tasks_per_node;
  std::optional<std::int64_t> max_nodes;
  std::int64_t min_cpus = 1;  // On a node.
  std::optional<std::int64_t> cpus_per_gpu;
  std::optional<std::int64_t> tasks_per_socket;
  std::optional<std::int64_t> tasks_per_core;
  std::optional<std::int64_t> min_sockets;
  std::optional<std::int64_t> min_cores_per_socket;
  std::optional<std::int64_t> threads_per_core;
  bool contiguous = false;
  std::int64_t max_switches = 0;  // 0: any number of leaf switches will do.
  Duration switch_wait{0};
  std::string required_nodes;
  std::string excluded_nodes;
  std::string sharing;  // "exclusive", "oversubscribe", "user" or ""
  std::optional<Duration> time_min;
  std::optional<Instant> deadline;
  std::optional<Instant> eligible;
  std::optional<Instant> ages;  // Its priority grows from here; nothing: not for now.
  std::optional<Instant> suspended_at;
  Duration ran_before_suspension{0};
  std::int64_t restarts = 0;
  std::int64_t exit_code = 0;
  std::int64_t exit_signal = 0;
  bool batch = true;
  bool requeue = true;
  std::optional<std::int64_t> throttle;
  std::optional<std::int64_t> association;
  std::string in;
  std::string out;
  std::string err;
  std::string places;  // What each node gives: "c1 0-3 400 gpu:a100:1(IDX:0);…"
  std::string preemptor;
  std::string mail_types;  // "END,FAIL"
  std::string mail_user;   // Where one was named.
};

// A step of a job: what srun ran in it.
struct StepLine {
  std::int64_t number = 0;
  std::string name;
  std::string line;  // The command that made it.
  std::int64_t tasks = 1;
  std::int64_t cpus = 1;
  std::optional<Instant> started;
  std::optional<Instant> ended;
  JobState state = JobState::kRunning;
  std::int64_t exit_code = 0;
  std::int64_t exit_signal = 0;
  std::int64_t max_rss_kb = 0;
  Duration cpu_time{0};
  std::string shares;        // What it holds of its nodes, as step_share.h writes them.
  bool overlaps = false;     // It keeps nothing from other steps.
  std::int64_t process = 0;  // Of its srun; 0: not told.
};

// What the accounts keep of a request beside the rows of the history.
struct JobDetails {
  std::string line;  // The command that submitted it.
  std::string comment;
  std::string constraint;
  std::string wckey;
  std::string cancelled_by;
  std::int64_t priority = 0;
  std::int64_t memory_mb = 0;  // Of the whole job.
  bool batch = true;
  std::string folder;
  std::string first_share;  // What the first of several nodes gives: the batch step's TRES.
  bool requeue = true;
  bool eligible = true;  // It might have started.
  std::string reason;    // Of one that might never.
  std::vector<StepLine> steps;
  std::optional<std::string> failure;  // What went wrong outside the job.
  // What its GPUs did, where that was measured.
  std::optional<std::int64_t> gpu_percent;
  std::optional<std::int64_t> gpu_memory_mb;
  std::optional<std::string>
      command;  // The line of its script that was this task's, if it has such.
};

// One run, or one job that has not started, as sacct shows it.
struct AccountLine {
  JobId job;
  std::optional<JobId> array;
  std::optional<std::uint32_t> task;
  std::string waiting;
  std::int64_t attempt = 0;
  std::string name;
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  JobState state = JobState::kPending;
  bool requeued = false;
  std::int64_t exit_code = 0;
  std::int64_t exit_signal = 0;
  Instant submitted;
  std::optional<Instant> eligible;
  std::optional<Instant> started;
  std::optional<Instant> ended;
  Duration elapsed{0};
  std::optional<Duration> limit;
  std::int64_t max_rss_kb = 0;
  Duration cpu_time{0};
  std::string nodes;
  std::string requested;
  std::string allocated;
  std::optional<std::int64_t> association;
  JobDetails details;
};

// What a new step wants of its job.
struct StepAsk {
  std::int64_t nodes = 1;
  std::string nodelist;     // "n1,n2": these nodes.
  bool whole = true;        // All of its job's CPUs on them; else those in the step.
  bool overcommit = false;  // Its tasks may be more than the CPUs.
  std::optional<std::int64_t> memory_mb;
  bool memory_per_cpu = false;  // The memory is for each CPU, not for each node.
  // GPUs of its own: on each node, or on all of them together. Neither: those of its job, which
  // other steps may use too.
  std::optional<std::int64_t> gpus_per_node;
  std::optional<std::int64_t> gpus;
};

struct StepRequest {
  std::optional<std::int64_t> number;  // Of a step that has ended; absent: a new one.
  StepLine step;
  StepAsk ask;
};

struct StepReply {
  std::int64_t number = 0;
  bool busy = false;    // Other steps hold what it needs: ask again.
  std::string refusal;  // It needs more than its job has.
  std::string shares;   // What it holds.
};

template <class Fields>
void json_fields(Fields& f, Like<RecordLine> auto& row) {
  f("job", row.job);
  f("array", row.array);
  f("task", row.task);
  f("waiting", row.waiting);
  f("name", row.name);
  f("user", row.user);
  f("account", row.account);
  f("partition", row.partition);
  f("qos", row.qos);
  f("state", row.state);
  f("reason", row.reason);
  f("priority", row.priority);
  f("nodes", row.nodes);
  f("node_count", row.node_count);
  f("cpus", row.cpus);
  f("elapsed", row.elapsed);
  f("limit", row.limit);
  f("submitted", row.submitted);
  f("started", row.started);
  f("ends", row.ends);
  f("planned", row.planned);
  f("memory_per", row.memory_per);
  f("memory_mb", row.memory_mb);
  f("tres_per_node", row.tres_per_node);
  f("tres_per_job", row.tres_per_job);
  f("tres_per_task", row.tres_per_task);
  f("tres_per_socket", row.tres_per_socket);
  f("tres", row.tres);
  f("features", row.features);
  f("licenses", row.licenses);
  f("dependency", row.dependency);
  f("comment", row.comment);
  f("wckey", row.wckey);
  f("reservation", row.reservation);
  f("folder", row.folder);
  f("command", row.command);
  f("nice", row.nice);
  f("tasks", row.tasks);
  f("cpus_per_task", row.cpus_per_task);
  f("tasks_per_node", row.tasks_per_node);
  f("max_nodes", row.max_nodes);
  f("min_cpus", row.min_cpus);
  f("cpus_per_gpu", row.cpus_per_gpu);
  f("tasks_per_socket", row.tasks_per_socket);
  f("tasks_per_core", row.tasks_per_core);
  f("min_sockets", row.min_sockets);
  f("min_cores_per_socket", row.min_cores_per_socket);
  f("threads_per_core", row.threads_per_core);
  f("contiguous", row.contiguous);
  f("max_switches", row.max_switches);
  f("switch_wait", row.switch_wait);
  f("required_nodes", row.required_nodes);
  f("excluded_nodes", row.excluded_nodes);
  f("sharing", row.sharing);
  f("time_min", row.time_min);
  f("deadline", row.deadline);
  f("eligible", row.eligible);
  f("ages", row.ages);
  f("suspended_at", row.suspended_at);
  f("ran_before_suspension", row.ran_before_suspension);
  f("restarts", row.restarts);
  f("exit_code", row.exit_code);
  f("exit_signal", row.exit_signal);
  f("batch", row.batch);
  f("requeue", row.requeue);
  f("throttle", row.throttle);
  f("association", row.association);
  f("in", row.in);
  f("out", row.out);
  f("err", row.err);
  f("places", row.places);
  f("preemptor", row.preemptor);
  f("mail_types", row.mail_types);
  f("mail_user", row.mail_user);
}

template <class Fields>
void json_fields(Fields& f, Like<StepLine> auto& row) {
  f("number", row.number);
  f("name", row.name);
  f("line", row.line);
  f("tasks", row.tasks);
  f("cpus", row.cpus);
  f("started", row.started);
  f("ended", row.ended);
  f("state", row.state);
  f("exit_code", row.exit_code);
  f("exit_signal", row.exit_signal);
  f("max_rss_kb", row.max_rss_kb);
  f("cpu_time", row.cpu_time);
  f("shares", row.shares);
  f("overlaps", row.overlaps);
  f("process", row.process);
}

template <class Fields>
void json_fields(Fields& f, Like<StepAsk> auto& row) {
  f("nodes", row.nodes);
  f("nodelist", row.nodelist);
  f("whole", row.whole);
  f("overcommit", row.overcommit);
  f("memory_mb", row.memory_mb);
  f("memory_per_cpu", row.memory_per_cpu);
  f("gpus_per_node", row.gpus_per_node);
  f("gpus", row.gpus);
}

template <class Fields>
void json_fields(Fields& f, Like<JobDetails> auto& row) {
  f("line", row.line);
  f("comment", row.comment);
  f("constraint", row.constraint);
  f("wckey", row.wckey);
  f("cancelled_by", row.cancelled_by);
  f("priority", row.priority);
  f("memory_mb", row.memory_mb);
  f("batch", row.batch);
  f("folder", row.folder);
  f("first_share", row.first_share);
  f("requeue", row.requeue);
  f("eligible", row.eligible);
  f("reason", row.reason);
  f("steps", row.steps);
  f("failure", row.failure);
  f("gpu_percent", row.gpu_percent);
  f("gpu_memory_mb", row.gpu_memory_mb);
  f("command", row.command);
}

template <class Fields>
void json_fields(Fields& f, Like<AccountLine> auto& row) {
  f("job", row.job);
  f("array", row.array);
  f("task", row.task);
  f("waiting", row.waiting);
  f("attempt", row.attempt);
  f("name", row.name);
  f("user", row.user);
  f("account", row.account);
  f("partition", row.partition);
  f("qos", row.qos);
  f("state", row.state);
  f("requeued", row.requeued);
  f("exit_code", row.exit_code);
  f("exit_signal", row.exit_signal);
  f("submitted", row.submitted);
  f("eligible", row.eligible);
  f("started", row.started);
  f("ended", row.ended);
  f("elapsed", row.elapsed);
  f("limit", row.limit);
  f("max_rss_kb", row.max_rss_kb);
  f("cpu_time", row.cpu_time);
  f("nodes", row.nodes);
  f("requested", row.requested);
  f("allocated", row.allocated);
  f("association", row.association);
  f("details", row.details);
}

template <class Fields>
void json_fields(Fields& f, Like<StepRequest> auto& row) {
  f("number", row.number);
  f("step", row.step);
  f("ask", row.ask);
}

template <class Fields>
void json_fields(Fields& f, Like<StepReply> auto& row) {
  f("number", row.number);
  f("busy", row.busy);
  f("refusal", row.refusal);
  f("shares", row.shares);
}

}  // namespace sluice
