#include "shims/other_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "cli/own_user.h"
#include "shims/records.h"
#include "shims/words.h"
#include "text/counts_per_node.h"
#include "text/scan.h"

namespace sluice {
namespace {

Result<std::vector<RecordLine>> records_of(EngineDoor& engine, const std::string& job) {
  return fetch_records(engine, "state=all&job=" + url_escaped(job));
}

// The record of a job by its own number: an array's number is that of its last task.
const RecordLine* with_number(const std::vector<RecordLine>& records, const std::string& job) {
  for (const RecordLine& it : records)
    if (std::to_string(it.job.value()) == job) return &it;
  return nullptr;
}

// "c1 0 3 400 gpu:a100:1(IDX:0);c2 …": the CPUs of each node, and the first one's GPUs.
std::vector<std::int32_t> cpus_of(std::string_view places) {
  std::vector<std::int32_t> out;
  for (const std::string_view place : split(places, ';')) {
    const auto words = split(place, ' ');
    if (words.size() > 2)
      out.push_back(static_cast<std::int32_t>(whole_number(words[2]).value_or(0)));
  }
  return out;
}
std::string gpus_of(std::string_view places) {
  std::string out;
  std::string_view first = places.substr(0, places.find(';'));
  while (true) {
    const std::size_t at = first.find("(IDX:");
    if (at == std::string_view::npos) return out;
    first.remove_prefix(at + 5);
    for (const std::string_view span : split(first.substr(0, first.find(')')), ',')) {
      const std::size_t dash = span.find('-');
      const auto low = whole_number(span.substr(0, dash)).value_or(0);
      const auto high =
          dash == std::string_view::npos ? low : whole_number(span.substr(dash + 1)).value_or(low);
      for (auto i = low; i <= high; ++i) out += fmt::format("{}{}", out.empty() ? "" : ",", i);
    }
  }
}

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

}  // namespace

bool enter_job(ShimCall& call, const std::string& job) {
  const auto refuse = [&](std::string_view why) {
    call.error(why);
    call.complain("srun: Check SLURM_JOB_ID environment variable. Expired or invalid job " + job);
    return false;
  };
  const auto records = records_of(*call.engine, job);
  const RecordLine* it = records ? with_number(*records, job) : nullptr;
  if (it == nullptr)
    return refuse("Unable to confirm allocation for job " + job + ": Invalid job id specified");
  if (it->state == JobState::kPending)
    return refuse("Unable to confirm allocation for job " + job + ": Job is pending execution");
  if (!holds_nodes(it->state)) return refuse("Slurm job " + job + " has expired");
  if (it->user != own_user()) {
    call.error("Unable to create step for job " + job + ": Access/permission denied");
    return false;
  }
  // What an earlier job has left says nothing of this one.
  for (const char* name : {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_TASKS_PER_NODE",
                           "SLURM_NTASKS_PER_NODE", "SLURM_CPUS_PER_TASK", "SLUICE_STEP_SOCKET"})
    ::unsetenv(name);
  set("SLURM_JOB_ID", job);
  set("SLURM_JOBID", job);
  set("SLUICE_JOB_ID", job);
  set("SLURM_JOB_NODELIST", it->nodes);
  set("SLURM_NODELIST", it->nodes);
  set("SLURM_JOB_NUM_NODES", std::to_string(it->node_count));
  set("SLURM_NNODES", std::to_string(it->node_count));
  set("SLURM_JOB_CPUS_PER_NODE", counts_per_node(cpus_of(it->places)));
  set("SLURM_JOB_PARTITION", it->partition);
  set("SLURM_JOB_USER", it->user);
  set("SLURM_JOB_UID", std::to_string(::getuid()));
  set("SLURM_JOB_GID", std::to_string(::getgid()));
  const std::string gpus = gpus_of(it->places);
  if (gpus.empty()) return true;
  set("SLURM_JOB_GPUS", gpus);
  set("CUDA_VISIBLE_DEVICES", gpus);
  set("ROCR_VISIBLE_DEVICES", gpus);
  return true;
}

bool is_named_by_environment(ShimCall& call, const std::string& job) {
  if (const auto cluster = variable("SLURM_CLUSTER_NAME")) {
    const auto policy = call.engine->policy();
    if (!policy || policy->cluster != *cluster) return false;
  }
  const auto records = records_of(*call.engine, job);
  const RecordLine* it = records ? with_number(*records, job) : nullptr;
  return it != nullptr && holds_nodes(it->state) && it->user == own_user();
}

bool holds_on(EngineDoor& engine, const std::string& job) {
  const auto records = fetch_records(engine, "state=all&fields=job,state&job=" + url_escaped(job));
  if (!records) return true;
  const RecordLine* it = with_number(*records, job);
  return it != nullptr && holds_nodes(it->state);
}

}  // namespace sluice
