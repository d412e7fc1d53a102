// The fields of every row, by the names that programs read.
#pragma once

#include <array>
#include <string_view>

#include "views/json_fields.h"
#include "views/rows.h"

namespace sluice {

inline constexpr std::array<std::string_view, 13> kJobStateWords = {
    "PENDING", "RUNNING",   "SUSPENDED", "COMPLETING",    "COMPLETED", "CANCELLED", "FAILED",
    "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "DEADLINE",  "BOOT_FAIL"};
inline const auto& json_words(JobState) { return kJobStateWords; }

template <class Fields>
void json_fields(Fields& f, Like<QueueLine> auto& row) {
  f("id", row.id);
  f("job", row.job);
  f("array", row.array);
  f("task", row.task);
  f("name", row.name);
  f("user", row.user);
  f("account", row.account);
  f("partition", row.partition);
  f("qos", row.qos);
  f("state", row.state);
  f("reason", row.reason);
  f("detail", row.detail);
  f("priority", row.priority);
  f("nodes", row.nodes);
  f("planned", row.planned);
  f("node_count", row.node_count);
  f("cpus", row.cpus);
  f("memory_mb", row.memory_mb);
  f("gpus", row.gpus);
  f("limit", row.limit);
  f("elapsed", row.elapsed);
  f("submitted", row.submitted);
  f("started", row.started);
  f("expected", row.expected);
  f("ends_by", row.ends_by);
  f("tasks", row.tasks);
  f("waiting", row.waiting);
  f("running", row.running);
  f("done", row.done);
}

template <class Fields>
void json_fields(Fields& f, Like<JobNodeLine> auto& row) {
  f("node", row.node);
  f("cpus", row.cpus);
  f("memory_mb", row.memory_mb);
  f("gpus", row.gpus);
}

template <class Fields>
void json_fields(Fields& f, Like<JobCard> auto& row) {
  json_fields(f, row.line);
  f("attempt", row.attempt);
  f("held_by", row.held_by);
  f("reservation", row.reservation);
  f("dependency", row.dependency);
  f("requested", row.requested);
  f("allocated", row.allocated);
  f("command", row.command);
  f("arguments", row.arguments);
  f("working_directory", row.working_directory);
  f("stdin_path", row.stdin_path);
  f("stdout_path", row.stdout_path);
  f("stderr_path", row.stderr_path);
  f("captured", row.captured);
  f("comment", row.comment);
  f("constraint", row.constraint);
  f("requeue", row.requeue);
  f("nice", row.nice);
  f("signal", row.signal);
  f("preemptor", row.preemptor);
  f("eligible", row.eligible);
  f("begin", row.begin);
  f("ended", row.ended);
  f("exit_code", row.exit_code);
  f("exit_signal", row.exit_signal);
  f("max_rss_kb", row.max_rss_kb);
  f("cpu_time", row.cpu_time);
  f("gpu_percent", row.gpu_percent);
  f("gpu_memory_mb", row.gpu_memory_mb);
  f("node_lines", row.node_lines);
  f("failure", row.failure);
}

template <class Fields>
void json_fields(Fields& f, Like<HolderLine> auto& row) {
  f("user", row.user);
  f("jobs", row.jobs);
  f("amount", row.amount);
  f("amount_text", row.amount_text);
}

template <class Fields>
void json_fields(Fields& f, Like<GateLine> auto& row) {
  f("name", row.name);
  f("holder", row.holder);
  f("passed", row.passed);
  f("binding", row.binding);
  f("limit", row.limit);
  f("used", row.used);
  f("asked", row.asked);
}

template <class Fields>
void json_fields(Fields& f, Like<HelpLine> auto& row) {
  f("what", row.what);
  f("command", row.command);
}

template <class Fields>
void json_fields(Fields& f, Like<WhyCard> auto& row) {
  f("id", row.id);
  f("name", row.name);
  f("user", row.user);
  f("state", row.state);
  f("reason", row.reason);
  f("sentence", row.sentence);
  f("arithmetic", row.arithmetic);
  f("holders", row.holders);
  f("may_end", row.may_end);
  f("expected", row.expected);
  f("planned", row.planned);
  f("ahead", row.ahead);
  f("priority", row.priority);
  f("gates", row.gates);
  f("help", row.help);
}

template <class Fields>
void json_fields(Fields& f, Like<NodeLine> auto& row) {
  f("name", row.name);
  f("state", row.state);
  f("partitions", row.partitions);
  f("cpus", row.cpus);
  f("cpus_free", row.cpus_free);
  f("memory_mb", row.memory_mb);
  f("memory_free_mb", row.memory_free_mb);
  f("gpus", row.gpus);
  f("gpus_free", row.gpus_free);
  f("gpu_types", row.gpu_types);
  f("jobs", row.jobs);
  f("features", row.features);
  f("why", row.why);
  f("by", row.by);
  f("since", row.since);
  f("enforces", row.enforces);
}

template <class Fields>
void json_fields(Fields& f, Like<ReservationLine> auto& row) {
  f("name", row.name);
  f("state", row.state);
  f("start", row.start);
  f("end", row.end);
  f("nodes", row.nodes);
  f("node_count", row.node_count);
  f("cpus", row.cpus);
  f("partition", row.partition);
  f("users", row.users);
  f("accounts", row.accounts);
  f("flags", row.flags);
}

template <class Fields>
void json_fields(Fields& f, Like<ShareLine> auto& row) {
  f("account", row.account);
  f("user", row.user);
  f("parent", row.parent);
  f("depth", row.depth);
  f("shares", row.shares);
  f("shares_of_parent", row.shares_of_parent);
  f("norm_shares", row.norm_shares);
  f("effective_usage", row.effective_usage);
  f("raw_usage_seconds", row.raw_usage_seconds);
  f("norm_usage", row.norm_usage);
  f("level", row.level);
  f("factor", row.factor);
  f("running", row.running);
  f("submitted", row.submitted);
  f("holds", row.holds);
}

template <class Fields>
void json_fields(Fields& f, Like<PriorityLine> auto& row) {
  f("id", row.id);
  f("user", row.user);
  f("account", row.account);
  f("partition", row.partition);
  f("qos", row.qos);
  f("priority", row.priority);
  f("age", row.age);
  f("assoc", row.assoc);
  f("fairshare", row.fairshare);
  f("job_size", row.job_size);
  f("partition_part", row.partition_part);
  f("qos_part", row.qos_part);
  f("tres", row.tres);
  f("nice", row.nice);
  f("tres_parts", row.tres_parts);
  f("reason", row.reason);
}

template <class Fields>
void json_fields(Fields& f, Like<HistoryLine> auto& row) {
  f("id", row.id);
  f("job", row.job);
  f("array", row.array);
  f("task", row.task);
  f("attempt", row.attempt);
  f("name", row.name);
  f("user", row.user);
  f("account", row.account);
  f("partition", row.partition);
  f("qos", row.qos);
  f("state", row.state);
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
  f("requeued", row.requeued);
  f("gpu_percent", row.gpu_percent);
  f("gpu_memory_mb", row.gpu_memory_mb);
}

template <class Fields>
void json_fields(Fields& f, Like<DaemonCard> auto& row) {
  f("version", row.version);
  f("pid", row.pid);
  f("scope", row.scope);
  f("state_folder", row.state_folder);
  f("socket", row.socket);
  f("policy_file", row.policy_file);
  f("policy_origin", row.policy_origin);
  f("cluster", row.cluster);
  f("started", row.started);
  f("jobs", row.jobs);
  f("waiting", row.waiting);
  f("running", row.running);
  f("turns", row.turns);
  f("batches", row.batches);
  f("journal_bytes", row.journal_bytes);
  f("event_bytes", row.event_bytes);
  f("snapshot_bytes", row.snapshot_bytes);
  f("output_bytes", row.output_bytes);
  f("keeper_pid", row.keeper_pid);
  f("enforces", row.enforces);
}

}  // namespace sluice
