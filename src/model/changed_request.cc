#include "model/changed_request.h"

namespace sluice {

JobSpec changed_request(JobSpec asked, const JobChange& change) {
  if (change.account) asked.account = *change.account;
  // A QoS of the old account may mean nothing in the new one: Slurm takes the default then.
  if (change.account && !change.qos) asked.qos.clear();
  if (change.qos) asked.qos = *change.qos;
  if (change.partitions) asked.partitions = *change.partitions;
  if (change.time_limit) asked.time_limit = *change.time_limit;
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
  return asked;
}

}  // namespace sluice
