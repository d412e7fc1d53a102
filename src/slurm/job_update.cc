// The names of scontrol(1), "Specifications for update command, jobs".
#include "slurm/job_update.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "text/array_spec.h"
#include "text/begin_time.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/licenses.h"

namespace sluice {
namespace {

std::string gres_of(const std::vector<GpuRequest>& gpus) {
  std::string out;
  for (const GpuRequest& one : gpus)
    out += fmt::format("{}gpu{}{}:{}", out.empty() ? "" : ",", one.type.empty() ? "" : ":",
                       one.type, one.count);
  return out;
}

}  // namespace

std::string job_name(const RemoteRef& ref) {
  return ref.task ? fmt::format("{}_{}", ref.job.job.value(), *ref.task)
                  : std::to_string(ref.job.job.value());
}

std::string job_name(const RemoteJob& job, const IndexSet& tasks) {
  return fmt::format("{}_[{}]", job.job.value(), format_array_tasks(ArraySpec{tasks, {}}, 0));
}

std::vector<std::string> update_command(const std::string& job, const JobChange& change) {
  std::vector<std::string> out = {"scontrol", "update", "JobId=" + job};
  const auto set = [&](std::string_view name, const std::string& value) {
    out.push_back(fmt::format("{}={}", name, value));
  };
  const auto number = [&](std::string_view name, const auto& value) {
    if (value) set(name, std::to_string(*value));
  };
  if (change.account) set("Account", *change.account);
  if (change.qos) set("QOS", *change.qos);
  if (change.partitions) set("Partition", fmt::format("{}", fmt::join(*change.partitions, ",")));
  if (change.time_limit) set("TimeLimit", format_duration(*change.time_limit));
  if (change.memory)
    set(change.memory->per == MemoryPer::kCpu ? "MinMemoryCPU" : "MinMemoryNode",
        std::to_string(change.memory->mb));
  if (change.min_nodes)
    set("NumNodes", change.max_nodes && *change.max_nodes != *change.min_nodes
                        ? fmt::format("{}-{}", *change.min_nodes, *change.max_nodes)
                        : std::to_string(*change.min_nodes));
  number("NumTasks", change.tasks);
  if (change.cpus_per_task) {
    // By itself CPUsPerTask is taken and changes nothing about the CPUs that are asked for. A
    // change that does not say how many tasks there are means one.
    number("CPUsPerTask", change.cpus_per_task);
    set("NumCPUs", std::to_string(*change.cpus_per_task * change.tasks.value_or(1)));
    number("MinCPUsNode", change.cpus_per_task);
  }
  if (change.gpus) set("Gres", gres_of(*change.gpus));
  number("Nice", change.nice);
  number("Priority", change.priority);
  if (change.begin) set("StartTime", format_time(*change.begin));
  if (change.dependencies) set("Dependency", format_dependencies(*change.dependencies));
  if (change.name) set("Name", *change.name);
  if (change.comment) set("Comment", *change.comment);
  number("ArrayTaskThrottle", change.throttle);
  if (change.reservation) set("ReservationName", *change.reservation);
  if (change.wckey) set("WCKey", *change.wckey);
  if (change.require_nodes)
    set("ReqNodeList", fmt::format("{}", fmt::join(*change.require_nodes, ",")));
  if (change.exclude_nodes)
    set("ExcNodeList", fmt::format("{}", fmt::join(*change.exclude_nodes, ",")));
  if (change.constraint) set("Features", change.constraint->text);
  if (change.licenses)
    set("Licenses", format_licenses({*change.licenses, change.any_license.value_or(false)}));
  if (change.sharing)
    set("OverSubscribe", *change.sharing == NodeSharing::kOversubscribe ? "yes" : "no");
  if (change.contiguous) set("Contiguous", *change.contiguous ? "yes" : "no");
  if (change.requeue) set("Requeue", *change.requeue ? "1" : "0");
  number("TasksPerNode", change.tasks_per_node);
  if (!change.cpus_per_task) number("MinCPUsNode", change.min_cpus_per_node);
  number("ReqSockets", change.min_sockets);
  number("ReqCores", change.min_cores_per_socket);
  number("ReqThreads", change.threads_per_core);
  number("Switches", change.max_switches);
  if (change.switch_wait) set("wait-for-switch", std::to_string(*change.switch_wait / seconds(1)));
  if (change.time_min) set("TimeMin", format_duration(*change.time_min));
  if (change.deadline) set("Deadline", format_time(*change.deadline));
  if (change.stdout_path) set("StdOut", *change.stdout_path);
  if (change.working_directory) set("WorkDir", *change.working_directory);
  return out;
}

}  // namespace sluice
