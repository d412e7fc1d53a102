// scontrol listpids and pidinfo: the processes of this cluster's jobs on this machine.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/local_time.h"
#include "shims/records.h"
#include "shims/scontrol_show.h"
#include "shims/words.h"
#include "text/scan.h"

namespace sluice {
namespace {

struct JobProcess {
  std::int64_t pid = 0;
  std::int64_t job = 0;
  std::string step;  // "batch" or a number.
  std::string local;
  std::string global;
};

// What this user may not read is not listed, as ps(1) has it.
std::string environment_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string_view value_of(std::string_view environment, std::string_view name) {
  for (const std::string_view pair : split(environment, '\0'))
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
  return {};
}

std::optional<JobProcess> process_of(std::int64_t pid) {
  const std::string environment = environment_of(pid);
  // A real Slurm's jobs have a SLURM_JOB_ID, too.
  const auto job = whole_number(value_of(environment, "SLUICE_JOB_ID"));
  if (!job) return std::nullopt;
  const std::string_view step = value_of(environment, "SLURM_STEP_ID");
  JobProcess out{pid, *job, step.empty() ? "batch" : std::string(step), "-", "-"};
  if (whole_number(value_of(environment, "SLURM_TASK_PID")) == pid) {
    out.local = value_of(environment, "SLURM_LOCALID");
    out.global = value_of(environment, "SLURM_PROCID");
  }
  return out;
}

std::vector<JobProcess> processes_of_jobs() {
  std::vector<JobProcess> out;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem))
    if (const auto pid = whole_number(entry.path().filename().string()))
      if (auto process = process_of(*pid)) out.push_back(std::move(*process));
  std::sort(out.begin(), out.end(), [](const JobProcess& a, const JobProcess& b) {
    return std::pair(a.job, a.pid) < std::pair(b.job, b.pid);
  });
  return out;
}

// Those of another daemon's jobs are not this cluster's.
Result<std::vector<JobProcess>> processes_here(EngineDoor& engine) {
  TRY(const auto records, fetch_records(engine, "state=R,S,CG&fields=job,state"));
  std::vector<JobProcess> out = processes_of_jobs();
  std::erase_if(out, [&](const JobProcess& process) {
    return std::none_of(records.begin(), records.end(), [&](const RecordLine& record) {
      return record.job.value() == process.job;
    });
  });
  return out;
}

}  // namespace

int list_pids(ShimCall& call, const std::string& wanted) {
  const std::size_t dot = wanted.find('.');
  const auto job = whole_number(wanted.substr(0, dot));
  if (!wanted.empty() && !job)
    return call.complain(fmt::format("\"{}\" does not look like a jobid", wanted)), 1;
  call.say("PID      JOBID    STEPID   LOCALID GLOBALID");
  const auto step = dot == std::string::npos ? std::nullopt : whole_number(wanted.substr(dot + 1));
  if (dot != std::string::npos && !step)
    return call.complain(fmt::format("\"{}\" does not look like a stepid", wanted)), 0;
  const auto all = processes_here(*call.engine);
  if (!all) return call.fail(all.error());
  bool any = false;
  for (const JobProcess& it : *all) {
    if ((job && it.job != *job) || (step && it.step != std::to_string(*step))) continue;
    any = true;
    call.say(
        fmt::format("{:<8} {:<8} {:<8} {:<7} {:<8}", it.pid, it.job, it.step, it.local, it.global));
  }
  if (any) return 0;
  call.complain(job ? fmt::format("JobId={} does not exist on node (null).", *job)
                    : "No job steps exist on this node.");
  return 1;
}

int pid_info(ShimCall& call, const std::string& wanted) {
  const auto pid = whole_number(wanted);
  const auto all = processes_here(*call.engine);
  if (!all) return call.fail(all.error());
  const auto found =
      std::find_if(all->begin(), all->end(), [&](const JobProcess& it) { return it.pid == pid; });
  if (found == all->end()) return call.complain("Failed to locate job for requested pid"), 1;
  const auto records = fetch_records(
      *call.engine, fmt::format("state=all&fields=job,state,ends&job={}", found->job));
  if (!records || records->empty() || !records->front().ends)
    return call.say(fmt::format("Slurm JobId={} ends at Unknown", found->job)), 0;
  const Instant ends = *records->front().ends;
  call.say(fmt::format("Slurm JobId={} ends at {}", found->job, date_text(ends)));
  call.say(fmt::format("Job remaining time is {} seconds", to_seconds(ends - now_here())));
  return 0;
}

}  // namespace sluice
