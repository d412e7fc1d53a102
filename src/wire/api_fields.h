// The JSON of requests and answers.
#pragma once

#include <array>

#include "model/job_change.h"
#include "text/array_spec.h"
#include "text/constraint.h"
#include "text/dependency.h"
#include "views/json_fields.h"
#include "views/row_fields.h"
#include "wire/api.h"

namespace sluice {

template <>
struct JsonText<ArraySpec> {
  static std::string write(const ArraySpec& spec) { return format_array_spec(spec); }
  static Result<ArraySpec> read(std::string_view text) { return parse_array_spec(text); }
};
template <>
struct JsonText<Dependencies> {
  static std::string write(const Dependencies& it) { return format_dependencies(it); }
  static Result<Dependencies> read(std::string_view text) { return parse_dependencies(text); }
};
template <>
struct JsonText<Constraint> {
  static std::string write(const Constraint& it) { return it.text; }
  static Result<Constraint> read(std::string_view text) {
    if (text.empty()) return Constraint{};
    return parse_constraint(text);
  }
};
// "NAME=value"
template <>
struct JsonText<EnvironmentVariable> {
  static std::string write(const EnvironmentVariable& it) { return it.name + "=" + it.value; }
  static Result<EnvironmentVariable> read(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      return bad_input("a variable is written NAME=value");
    return EnvironmentVariable{std::string(text.substr(0, equals)),
                               std::string(text.substr(equals + 1))};
  }
};

inline constexpr std::array<std::string_view, 3> kMemoryPerWords = {"node", "cpu", "gpu"};
inline const auto& json_words(MemoryPer) { return kMemoryPerWords; }
inline constexpr std::array<std::string_view, 4> kGpusPerWords = {"job", "node", "task", "socket"};
inline const auto& json_words(GpusPer) { return kGpusPerWords; }
inline constexpr std::array<std::string_view, 4> kSharingWords = {"default", "exclusive",
                                                                  "oversubscribe", "user"};
inline const auto& json_words(NodeSharing) { return kSharingWords; }
inline constexpr std::array<std::string_view, 3> kOpenModeWords = {"default", "truncate", "append"};
inline const auto& json_words(OpenMode) { return kOpenModeWords; }

template <class Fields>
void json_fields(Fields& f, Like<MemoryRequest> auto& it) {
  f("per", it.per);
  f("mb", it.mb);
}

template <class Fields>
void json_fields(Fields& f, Like<GpuRequest> auto& it) {
  f("per", it.per);
  f("type", it.type);
  f("count", it.count);
}

template <class Fields>
void json_fields(Fields& f, Like<LicenseRequest> auto& it) {
  f("name", it.name);
  f("count", it.count);
}

template <class Fields>
void json_fields(Fields& f, Like<WarningSignal> auto& it) {
  f("signal", it.signal);
  f("before_end", it.before_end);
  f("batch_shell_only", it.batch_shell_only);
}

template <class Fields>
void json_fields(Fields& f, Like<JobSpec> auto& it) {
  f("script", it.launch.script);
  f("program", it.launch.program);
  f("arguments", it.launch.arguments);
  f("command", it.launch.command);
  f("working_directory", it.launch.working_directory);
  f("stdin_path", it.launch.stdin_path);
  f("stdout_path", it.launch.stdout_path);
  f("stderr_path", it.launch.stderr_path);
  f("open_mode", it.launch.open_mode);
  f("capture", it.launch.capture);
  f("follower", it.launch.follower);
  f("environment", it.launch.environment);
  f("signal", it.launch.signal);
  f("name", it.name);
  f("account", it.account);
  f("qos", it.qos);
  f("partitions", it.partitions);
  f("min_nodes", it.min_nodes);
  f("max_nodes", it.max_nodes);
  f("tasks", it.tasks);
  f("tasks_per_node", it.tasks_per_node);
  f("cpus_per_task", it.cpus_per_task);
  f("cpus_per_gpu", it.cpus_per_gpu);
  f("tasks_per_core", it.tasks_per_core);
  f("tasks_per_socket", it.tasks_per_socket);
  f("min_cpus_per_node", it.min_cpus_per_node);
  f("min_sockets", it.min_sockets);
  f("min_cores_per_socket", it.min_cores_per_socket);
  f("threads_per_core", it.threads_per_core);
  f("overcommit", it.overcommit);
  f("contiguous", it.contiguous);
  f("spread", it.spread);
  f("use_min_nodes", it.use_min_nodes);
  f("max_switches", it.max_switches);
  f("switch_wait", it.switch_wait);
  f("memory", it.memory);
  f("gpus", it.gpus);
  f("licenses", it.licenses);
  f("any_license", it.any_license);
  f("constraint", it.constraint);
  f("prefer", it.prefer);
  f("require_nodes", it.require_nodes);
  f("exclude_nodes", it.exclude_nodes);
  f("sharing", it.sharing);
  f("time_limit", it.time_limit);
  f("no_time_limit", it.no_time_limit);
  f("time_min", it.time_min);
  f("begin", it.begin);
  f("deadline", it.deadline);
  f("dependencies", it.dependencies);
  f("kill_on_invalid_dependency", it.kill_on_invalid_dependency);
  f("array", it.array);
  f("nice", it.nice);
  f("priority", it.priority);
  f("hold", it.hold);
  f("requeue", it.requeue);
  f("comment", it.comment);
  f("wckey", it.wckey);
  f("reservation", it.reservation);
}

template <class Fields, class Row>
void json_fields(Fields& f, Lines<Row>& it) {
  f("schema", it.schema);
  f("lines", it.lines);
}
template <class Fields, class Row>
void json_fields(Fields& f, const Lines<Row>& it) {
  f("schema", it.schema);
  f("lines", it.lines);
}

template <class Fields>
void json_fields(Fields& f, Like<SubmitRequest> auto& it) {
  f("jobs", it.jobs);
  f("copies", it.copies);
  f("test_only", it.test_only);
}

template <class Fields>
void json_fields(Fields& f, Like<SubmitResult> auto& it) {
  f("job", it.job);
  f("count", it.count);
  f("refusal", it.refusal);
  f("reason", it.reason);
  f("detail", it.detail);
}

template <class Fields>
void json_fields(Fields& f, Like<SubmitReply> auto& it) {
  f("results", it.results);
}

template <class Fields>
void json_fields(Fields& f, Like<ActionResult> auto& it) {
  f("id", it.id);
  f("error", it.error);
  f("denied", it.denied);
}

template <class Fields>
void json_fields(Fields& f, Like<ActionReply> auto& it) {
  f("results", it.results);
}

template <class Fields>
void json_fields(Fields& f, Like<RequeueRequest> auto& it) {
  f("hold", it.hold);
}

template <class Fields>
void json_fields(Fields& f, Like<SignalRequest> auto& it) {
  f("signal", it.signal);
  f("batch_only", it.batch_only);
}

template <class Fields>
void json_fields(Fields& f, Like<JobChange> auto& it) {
  f("account", it.account);
  f("qos", it.qos);
  f("partitions", it.partitions);
  f("time_limit", it.time_limit);
  f("memory", it.memory);
  f("min_nodes", it.min_nodes);
  f("max_nodes", it.max_nodes);
  f("tasks", it.tasks);
  f("cpus_per_task", it.cpus_per_task);
  f("gpus", it.gpus);
  f("nice", it.nice);
  f("priority", it.priority);
  f("begin", it.begin);
  f("dependencies", it.dependencies);
  f("name", it.name);
  f("comment", it.comment);
  f("throttle", it.throttle);
  f("reservation", it.reservation);
  f("wckey", it.wckey);
  f("require_nodes", it.require_nodes);
  f("exclude_nodes", it.exclude_nodes);
  f("constraint", it.constraint);
  f("licenses", it.licenses);
  f("any_license", it.any_license);
  f("sharing", it.sharing);
  f("contiguous", it.contiguous);
  f("requeue", it.requeue);
  f("tasks_per_node", it.tasks_per_node);
  f("min_cpus_per_node", it.min_cpus_per_node);
  f("min_sockets", it.min_sockets);
  f("min_cores_per_socket", it.min_cores_per_socket);
  f("threads_per_core", it.threads_per_core);
  f("cpus_per_gpu", it.cpus_per_gpu);
  f("max_switches", it.max_switches);
  f("switch_wait", it.switch_wait);
  f("time_min", it.time_min);
  f("deadline", it.deadline);
  f("stdout_path", it.stdout_path);
  f("working_directory", it.working_directory);
  f("environment", it.environment);
}

template <class Fields>
void json_fields(Fields& f, Like<StopRequest> auto& it) {
  f("cancel_jobs", it.cancel_jobs);
}

template <class Fields>
void json_fields(Fields& f, Like<FindingLine> auto& it) {
  f("severity", it.severity);
  f("rule", it.rule);
  f("where", it.where);
  f("what", it.what);
  f("fix", it.fix);
}

template <class Fields>
void json_fields(Fields& f, Like<ReloadReply> auto& it) {
  f("changed", it.changed);
  f("origin", it.origin);
  f("findings", it.findings);
}

template <class Fields>
void json_fields(Fields& f, Like<PolicyRequest> auto& it) {
  f("text", it.text);
  f("name", it.name);
  f("expect", it.expect);
}

template <class Fields>
void json_fields(Fields& f, Like<PolicyDifference> auto& it) {
  f("kind", it.kind);
  f("subject", it.subject);
  f("text", it.text);
  f("sentence", it.sentence);
}

template <class Fields>
void json_fields(Fields& f, Like<PolicyEffect> auto& it) {
  f("job", it.job);
  f("effect", it.effect);
  f("why", it.why);
}

template <class Fields>
void json_fields(Fields& f, Like<PolicyPlanReply> auto& it) {
  f("cluster", it.cluster);
  f("mark", it.mark);
  f("differences", it.differences);
  f("jobs", it.jobs);
  f("refusal", it.refusal);
  f("unknown", it.unknown);
  f("findings", it.findings);
}

template <class Fields>
void json_fields(Fields& f, Like<PolicySource> auto& it) {
  f("cluster", it.cluster);
  f("mark", it.mark);
  f("origin", it.origin);
  f("file", it.file);
  f("is_there", it.is_there);
  f("in_force", it.in_force);
  f("text", it.text);
}

template <class Fields>
void json_fields(Fields& f, Like<ReservationOrder> auto& it) {
  f("name", it.name);
  f("settings", it.settings);
}

template <class Fields>
void json_fields(Fields& f, Like<NodeRequest> auto& it) {
  f("state", it.state);
  f("why", it.why);
}

template <class Fields>
void json_fields(Fields& f, Like<ChangeLine> auto& it) {
  f("at", it.at);
  f("kind", it.kind);
  f("job", it.job);
  f("id", it.id);
  f("text", it.text);
}

template <class Fields>
void json_fields(Fields& f, Like<ApiError> auto& it) {
  f("what", it.what);
  f("where", it.where);
  f("hint", it.hint);
  f("code", it.code);
  f("findings", it.findings);
}

template <class Fields>
void json_fields(Fields& f, Like<ErrorReply> auto& it) {
  f("error", it.error);
}

}  // namespace sluice
