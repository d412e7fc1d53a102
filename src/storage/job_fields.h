// The numbered fields of a request. Rules for adding one: storage/fields.h.
#pragma once

#include "model/job.h"
#include "storage/fields.h"

namespace sluice {

template <>
struct LastOf<MemoryPer> {
  static constexpr auto value = MemoryPer::kGpu;
  static_assert(static_cast<int>(value) == 2, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<GpusPer> {
  static constexpr auto value = GpusPer::kSocket;
  static_assert(static_cast<int>(value) == 3, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<DependencyType> {
  static constexpr auto value = DependencyType::kSingleton;
  static_assert(static_cast<int>(value) == 5, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<NodeSharing> {
  static constexpr auto value = NodeSharing::kUser;
  static_assert(static_cast<int>(value) == 3, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<OpenMode> {
  static constexpr auto value = OpenMode::kAppend;
  static_assert(static_cast<int>(value) == 2, "the numbers of enumerators are for ever");
};

template <class Fields>
void each_field(Fields& f, Like<MemoryRequest> auto& item) {
  auto& [per, mb] = item;
  f(1, per);
  f(2, mb);
}

template <class Fields>
void each_field(Fields& f, Like<GpuRequest> auto& item) {
  auto& [per, type, count] = item;
  f(1, per);
  f(2, type);
  f(3, count);
}

template <class Fields>
void each_field(Fields& f, Like<LicenseRequest> auto& item) {
  auto& [name, count] = item;
  f(1, name);
  f(2, count);
}

template <class Fields>
void each_field(Fields& f, Like<CountedFeature> auto& item) {
  auto& [any_of, nodes] = item;
  f(1, any_of);
  f(2, nodes);
}

template <class Fields>
void each_field(Fields& f, Like<Constraint> auto& item) {
  auto& [text, any_of, same_for_all_nodes, counted, counted_apart] = item;
  f(1, text);
  f(2, any_of);
  f(3, same_for_all_nodes);
  f(4, counted);
  f(5, counted_apart);
}

template <class Fields>
void each_field(Fields& f, Like<Dependency> auto& item) {
  auto& [type, job, task, delay] = item;
  f(1, type);
  f(2, job);
  f(3, task);
  f(4, delay);
}

template <class Fields>
void each_field(Fields& f, Like<Dependencies> auto& item) {
  auto& [terms, any] = item;
  f(1, terms);
  f(2, any);
}

template <class Fields>
void each_field(Fields& f, Like<WarningSignal> auto& item) {
  auto& [signal, before_end, batch_shell_only] = item;
  f(1, signal);
  f(2, before_end);
  f(3, batch_shell_only);
}

template <class Fields>
void each_field(Fields& f, Like<EnvironmentVariable> auto& item) {
  auto& [name, value] = item;
  f(1, name);
  f(2, value);
}

template <class Fields>
void each_field(Fields& f, Like<Launch> auto& item) {
  auto& [script, arguments, working_directory, stdin_path, stdout_path, stderr_path, open_mode,
         environment, signal, command, program, capture, follower] = item;
  f(1, script);
  f(2, arguments);
  f(3, working_directory);
  f(4, stdin_path);
  f(5, stdout_path);
  f(6, stderr_path);
  f(7, open_mode);
  f(8, environment);
  f(9, signal);
  f(10, command);
  f(11, program);
  f(12, capture);
  f(13, follower);
}

template <class Fields>
void each_field(Fields& f, Like<ArraySpec> auto& item) {
  auto& [indices, throttle] = item;
  f(1, indices);
  f(2, throttle);
}

template <class Fields>
void each_field(Fields& f, Like<JobSpec> auto& item) {
  auto& [name, user, account, qos, partitions, min_nodes, max_nodes, tasks, tasks_per_node,
         cpus_per_task, cpus_per_gpu, tasks_per_core, tasks_per_socket, min_cpus_per_node,
         min_sockets, min_cores_per_socket, threads_per_core, overcommit, contiguous, spread,
         use_min_nodes, max_switches, switch_wait, memory, gpus, licenses, any_license, constraint,
         prefer, require_nodes, exclude_nodes, sharing, time_limit, no_time_limit,
         limit_by_operator, time_min, begin, deadline, dependencies, kill_on_invalid_dependency,
         array, nice, priority, hold, requeue, comment, wckey, reservation, launch] = item;
  f(1, name);
  f(2, user);
  f(3, account);
  f(4, qos);
  f(5, partitions);
  f(6, min_nodes);
  f(7, max_nodes);
  f(8, tasks);
  f(9, tasks_per_node);
  f(10, cpus_per_task);
  f(11, cpus_per_gpu);
  f(12, memory);
  f(13, gpus);
  f(14, licenses);
  f(15, any_license);
  f(16, constraint);
  f(17, require_nodes);
  f(18, exclude_nodes);
  f(19, sharing);
  f(20, time_limit);
  f(21, time_min);
  f(22, begin);
  f(23, deadline);
  f(24, dependencies);
  f(25, kill_on_invalid_dependency);
  f(26, array);
  f(27, nice);
  f(28, priority);
  f(29, hold);
  f(30, requeue);
  f(31, comment);
  f(32, wckey);
  f(33, reservation);
  f(34, launch);
  f(35, no_time_limit);
  f(36, tasks_per_core);
  f(37, tasks_per_socket);
  f(38, min_cpus_per_node);
  f(39, min_sockets);
  f(40, min_cores_per_socket);
  f(41, threads_per_core);
  f(42, overcommit);
  f(43, contiguous);
  f(44, spread);
  f(45, use_min_nodes);
  f(46, max_switches);
  f(47, switch_wait);
  f(48, prefer);
  f(49, limit_by_operator);
}

}  // namespace sluice
