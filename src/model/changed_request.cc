#include "model/changed_request.h"

namespace sluice {
namespace {

void put_count(std::optional<std::int32_t>& asked, const std::optional<std::int32_t>& change) {
  if (change) asked = change;
  if (change == 0) asked.reset();
}

// A job that has its nodes for itself keeps them so, whatever is said about its CPUs.
void put_sharing(NodeSharing& asked, NodeSharing change) {
  if (asked == NodeSharing::kExclusive || asked == NodeSharing::kUser) return;
  asked = change;
}

}  // namespace

JobSpec changed_request(JobSpec asked, const JobChange& change) {
  if (change.account) asked.account = *change.account;
  // A QoS of the old account may mean nothing in the new one: Slurm takes the default then.
  if (change.account && !change.qos) asked.qos.clear();
  if (change.qos) asked.qos = *change.qos;
  if (change.partitions) asked.partitions = *change.partitions;
  if (change.time_limit) asked.time_limit = *change.time_limit;
  if (change.time_limit) asked.no_time_limit = false;
  if (change.memory) asked.memory = *change.memory;
  if (change.min_nodes) asked.min_nodes = *change.min_nodes;
  if (change.max_nodes) asked.max_nodes = *change.max_nodes;
  if (change.tasks) asked.tasks = *change.tasks;
  if (change.cpus_per_task) asked.cpus_per_task = *change.cpus_per_task;
  if (change.gpus) asked.gpus = *change.gpus;
  if (change.nice) asked.nice = *change.nice;
  if (change.priority) asked.priority = *change.priority;
  if (change.begin) asked.begin = *change.begin;
  if (change.dependencies) asked.dependencies = *change.dependencies;
  if (change.name) asked.name = *change.name;
  if (change.comment) asked.comment = *change.comment;
  if (change.reservation) asked.reservation = *change.reservation;
  if (change.wckey) asked.wckey = *change.wckey;
  if (change.require_nodes) asked.require_nodes = *change.require_nodes;
  if (change.exclude_nodes) asked.exclude_nodes = *change.exclude_nodes;
  if (change.constraint) asked.constraint = *change.constraint;
  if (change.licenses) asked.licenses = *change.licenses;
  if (change.licenses) asked.any_license = change.any_license.value_or(false);
  if (change.sharing) put_sharing(asked.sharing, *change.sharing);
  if (change.contiguous) asked.contiguous = *change.contiguous;
  if (change.requeue) asked.requeue = *change.requeue;
  put_count(asked.tasks_per_node, change.tasks_per_node);
  put_count(asked.min_cpus_per_node, change.min_cpus_per_node);
  put_count(asked.min_sockets, change.min_sockets);
  put_count(asked.min_cores_per_socket, change.min_cores_per_socket);
  put_count(asked.threads_per_core, change.threads_per_core);
  put_count(asked.cpus_per_gpu, change.cpus_per_gpu);
  put_count(asked.max_switches, change.max_switches);
  if (change.max_switches == 0) asked.switch_wait.reset();
  if (change.switch_wait) asked.switch_wait = *change.switch_wait;
  if (change.time_min) asked.time_min = *change.time_min;
  if (change.deadline) asked.deadline = *change.deadline;
  if (change.stdout_path) asked.launch.stdout_path = *change.stdout_path;
  if (change.working_directory) asked.launch.working_directory = *change.working_directory;
  for (const EnvironmentVariable& variable : change.environment) {
    std::erase_if(asked.launch.environment,
                  [&](const EnvironmentVariable& other) { return other.name == variable.name; });
    asked.launch.environment.push_back(variable);
  }
  return asked;
}

}  // namespace sluice
