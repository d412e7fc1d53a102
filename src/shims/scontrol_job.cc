// scontrol show job: everything about one record.
#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "cli/own_user.h"
#include "shims/job_paths.h"
#include "shims/records.h"
#include "shims/sacct_fields.h"
#include "shims/scontrol_show.h"
#include "shims/words.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/job_reference.h"
#include "text/memory.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

std::string limit_text(const std::optional<Duration>& limit, std::string_view none) {
  return limit ? format_duration(*limit) : std::string(none);
}

// Words of a reason are joined: clients split at blanks.
std::string or_star(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "*";
}

std::string joined(std::string reason) {
  for (char& c : reason)
    if (c == ' ') c = '_';
  return reason;
}

std::string first_host(const RecordLine& r) {
  const auto hosts = expand_hostlist(r.nodes);
  return hosts && !hosts->empty() ? hosts->front() : r.nodes;
}

std::string node_range(const RecordLine& r) {
  if (!r.nodes.empty()) return std::to_string(r.node_count);
  if (r.max_nodes) return fmt::format("{}-{}", r.node_count, *r.max_nodes);
  return std::to_string(r.node_count);
}

std::string cpu_range(std::int64_t first, std::int64_t count) {
  return count <= 1 ? std::to_string(first) : fmt::format("{}-{}", first, first + count - 1);
}

// "c1 0 4 400 gpu:a100:1(IDX:0);c2 …"
std::vector<std::string> place_lines(const RecordLine& r) {
  struct Place {
    std::vector<std::string> nodes;
    std::string rest;
  };
  std::vector<Place> places;
  for (const std::string_view part : split(r.places, ';')) {
    const auto words = split(part, ' ');
    if (words.size() < 5) continue;
    std::string rest = fmt::format(
        "CPU_IDs={} Mem={} GRES={}",
        cpu_range(whole_number(words[1]).value_or(0), whole_number(words[2]).value_or(0)), words[3],
        words[4]);
    // Nodes that give the same share a line.
    if (places.empty() || places.back().rest != rest) places.push_back({{}, std::move(rest)});
    places.back().nodes.emplace_back(words[0]);
  }
  std::vector<std::string> out;
  for (const Place& place : places)
    out.push_back(fmt::format("Nodes={} {}", compress_hostlist(place.nodes), place.rest));
  return out;
}

std::string job_gres(const RecordLine& r) {
  for (const std::string_view part : split(r.places, ';')) {
    const auto words = split(part, ' ');
    if (words.size() >= 5 && !words[4].empty())
      return std::string(words[4].substr(0, words[4].find('(')));
  }
  return "(null)";
}

}  // namespace

std::string job_text(const RecordLine& r, const ScontrolFlags& flags, const std::string& derived) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) { lines.push_back(std::move(line)); };
  std::string id = fmt::format("JobId={} ", r.job.value());
  if (r.array) {
    id += fmt::format("ArrayJobId={} ArrayTaskId={} ", r.array->value(),
                      r.task ? std::to_string(*r.task) : waiting_tasks(r));
    if (r.throttle) id += fmt::format("ArrayTaskThrottle={} ", *r.throttle);
  }
  add(id + "JobName=" + shown(r.name));
  add(fmt::format("UserId={}({}) GroupId={}({}) MCS_label=N/A", r.user, uid_text(r.user),
                  group_text(r.user), gid_text(r.user)));
  add(fmt::format("Priority={} Nice={} Account={} QOS={}", r.priority, r.nice, or_null(r.account),
                  or_null(r.qos)));
  add(fmt::format("JobState={} Reason={} Dependency={}", slurm_name(r.state), joined(r.reason),
                  or_null(r.dependency)));
  add(fmt::format("Requeue={} Restarts={} BatchFlag={} Reboot=0 ExitCode={}:{}", r.requeue ? 1 : 0,
                  r.restarts, r.batch ? 1 : 0, r.exit_code, r.exit_signal));
  if (flags.detail > 0) add("DerivedExitCode=" + derived);
  add(fmt::format("RunTime={} TimeLimit={} TimeMin={}", format_duration(r.elapsed),
                  limit_text(r.limit, "UNLIMITED"), limit_text(r.time_min, "N/A")));
  // Tasks that start at once have not waited.
  const bool waited =
      !r.task || to_seconds(r.started.value_or(r.submitted)) - to_seconds(r.submitted) > 1;
  add(fmt::format("SubmitTime={} EligibleTime={}", time_text(r.submitted, "Unknown"),
                  time_text(eligible_time(r), "Unknown")));
  add("AccrueTime=" + time_text(waited ? r.ages : std::nullopt, "Unknown"));
  add(fmt::format("StartTime={} EndTime={} Deadline={}", time_text(r.started, "Unknown"),
                  time_text(r.ends, "Unknown"), time_text(r.deadline, "N/A")));
  if (r.state != JobState::kPending)
    add(fmt::format("PreemptEligibleTime={} PreemptTime=None", time_text(r.started, "Unknown")));
  add(fmt::format("SuspendTime={} SecsPreSuspend={} LastSchedEval={} Scheduler=Main",
                  time_text(r.suspended_at, "None"), to_seconds(r.ran_before_suspension),
                  time_text(r.nodes.empty() ? std::optional(r.submitted) : r.started, "Unknown")));
  add(fmt::format("Partition={} AllocNode:Sid=localhost:0", r.partition));
  add(fmt::format("ReqNodeList={} ExcNodeList={}", or_null(r.required_nodes),
                  or_null(r.excluded_nodes)));
  add("NodeList=" + r.nodes + (r.planned.empty() ? "" : " SchedNodeList=" + r.planned));
  if (!r.nodes.empty()) add("BatchHost=" + first_host(r));
  add(fmt::format(
      "NumNodes={} NumCPUs={} NumTasks={} CPUs/Task={} ReqB:S:C:T=0:0:{}:{}", node_range(r), r.cpus,
      r.nodes.empty() && r.state != JobState::kPending ? "N/A" : std::to_string(r.tasks),
      r.cpus_per_task.value_or(1), or_star(r.min_cores_per_socket), or_star(r.threads_per_core)));
  add("TRES=" + or_null(without_licenses(r.tres)));
  add(fmt::format("Socks/Node={} NtasksPerN:B:S:C={}:0:{}:{} CoreSpec=*", or_star(r.min_sockets),
                  r.tasks_per_node.value_or(0), or_star(r.tasks_per_socket),
                  or_star(r.tasks_per_core)));
  if (flags.detail > 0 && !r.places.empty()) {
    add("JOB_GRES=" + job_gres(r));
    for (const std::string& line : place_lines(r)) add("  " + line);
  }
  add(fmt::format("MinCPUsNode={} MinMemory{}={} MinTmpDiskNode=0", r.min_cpus,
                  r.memory_per == "cpu" ? "CPU" : "Node",
                  r.memory_mb == 0 ? "0" : format_memory_mb(r.memory_mb)));
  add(fmt::format("Features={} DelayBoot=00:00:00", or_null(r.features)));
  if (!r.reservation.empty()) add("Reservation=" + r.reservation);
  add(fmt::format("OverSubscribe={} Contiguous={} Licenses={} Network=(null)",
                  r.sharing == "exclusive"       ? "NO"
                  : r.sharing == "oversubscribe" ? "YES"
                  : r.sharing == "user"          ? "USER"
                                                 : "OK",
                  r.contiguous ? 1 : 0, or_null(r.licenses)));
  add("Command=" + or_null(shown(r.command)));
  add("WorkDir=" + shown(r.folder));
  if (!r.comment.empty()) add(fmt::format("Comment={} ", shown(r.comment)));
  if (r.batch) {
    const JobPaths paths = filled_paths(r);
    add("StdErr=" + shown(paths.err));
    add("StdIn=" + shown(paths.in));
    add("StdOut=" + shown(paths.out));
  }
  if (r.max_switches > 0)
    add(fmt::format("Switches={}@{}", r.max_switches, format_duration(r.switch_wait)));
  add("Power=");
  if (r.cpus_per_gpu) add(fmt::format("CpusPerTres=gres:gpu:{}", *r.cpus_per_gpu));
  if (r.memory_per == "gpu") add(fmt::format("MemPerTres=gres:gpu:{}", r.memory_mb));
  if (!r.tres_per_job.empty()) add("TresPerJob=" + r.tres_per_job);
  if (!r.tres_per_node.empty()) add("TresPerNode=" + r.tres_per_node);
  if (!r.tres_per_socket.empty()) add("TresPerSocket=" + r.tres_per_socket);
  if (!r.tres_per_task.empty()) add("TresPerTask=" + r.tres_per_task);
  if (!r.mail_types.empty() && r.mail_types != "NONE")
    add(fmt::format("MailUser={} MailType={}", r.mail_user.empty() ? r.user : shown(r.mail_user),
                    r.mail_types));
  std::string out;
  for (const std::string& line : lines)
    out += (out.empty() ? "" : flags.one_line ? " " : "\n   ") + line;
  // Slurm ends the last line with what would begin the next one.
  out += flags.one_line ? " \n" : "\n   \n\n";
  return out;
}

// What runs within jobs: the script and what it starts with srun.
int show_steps(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted) {
  const std::string job = wanted.substr(0, wanted.find('.'));
  const std::string step =
      wanted.find('.') == std::string::npos ? std::string() : wanted.substr(wanted.find('.') + 1);
  const auto reference = parse_job_reference(job);
  if (!wanted.empty() && !reference)
    return call.complain("slurm_get_job_steps error: Invalid job id specified"), 1;
  const auto accounts = call.engine->fetch<Lines<AccountLine>>(
      wanted.empty() ? "/v1/accounts" : fmt::format("/v1/accounts?job={}", reference->job.value()));
  if (!accounts) return call.fail(accounts.error());
  const bool all = ::geteuid() == 0;
  std::size_t found = 0;
  const auto print = [&](const AccountLine& it, const std::string& id, std::string_view name,
                         std::optional<Instant> started, std::int64_t cpus, std::int64_t tasks,
                         const std::string& tres) {
    if (!step.empty() && step != id) return;
    ++found;
    const std::string end = flags.one_line ? " " : "\n   ";
    const auto hosts = expand_hostlist(it.nodes);
    const bool batch = id == "batch";
    call.out += fmt::format("StepId={}.{} UserId={} StartTime={} TimeLimit=UNLIMITED",
                            it.array && it.task ? fmt::format("{}_{}", it.array->value(), *it.task)
                                                : std::to_string(it.job.value()),
                            id, uid_text(it.user), time_text(started, "Unknown"));
    call.out += fmt::format("{}State=RUNNING Partition={} NodeList={}", end, it.partition,
                            batch && hosts && !hosts->empty() ? hosts->front() : it.nodes);
    call.out += fmt::format("{}Nodes={} CPUs={} Tasks={} Name={} Network=(null)", end,
                            batch || !hosts ? 1 : hosts->size(), cpus, tasks, shown(name));
    call.out +=
        fmt::format("{}TRES={}{}ResvPorts=(null){}CPUFreqReq=Default{}SrunHost:Pid=(null):0", end,
                    or_null(tres), end, end, end);
    call.out += flags.one_line ? "\n" : "\n\n";
  };
  for (const AccountLine& it : accounts->lines) {
    if (!holds_nodes(it.state) || (!all && it.user != own_user())) continue;
    if (reference && reference->tasks && (!it.task || !reference->tasks->contains(*it.task)))
      continue;
    if (it.details.batch) print(it, "batch", "batch", it.started, 0, 1, "");
    for (const StepLine& each : it.details.steps)
      if (!each.ended)
        print(it, std::to_string(each.number), each.name, each.started, each.cpus, each.tasks, "");
  }
  if (found > 0) return 0;
  if (!wanted.empty())
    return call.complain("slurm_get_job_steps error: Invalid job id specified"), 1;
  call.say("No job steps in the system");
  return 0;
}

int show_jobs(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted) {
  std::string query = "state=all";
  std::optional<JobReference> reference;
  // 0 is no job, and asks for all of them.
  if (!wanted.empty() && wanted != "0") {
    // "3+0" is the first part of a job of several parts: itself.
    const std::string_view typed = std::string_view(wanted).substr(wanted.starts_with('+') ? 1 : 0);
    const std::string_view number = typed.substr(0, typed.find('+'));
    const auto parsed = parse_job_reference(number);
    if (!parsed || number.find_first_of("[*") != std::string_view::npos) {
      call.complain("scontrol_print_job error: Invalid job id specified");
      return 1;
    }
    reference = *parsed;
    query += fmt::format("&job={}", reference->job.value());
  }
  const auto records = fetch_records(*call.engine, query);
  if (!records) return call.fail(records.error());
  std::map<JobId, std::string> derived;
  if (flags.detail > 0) {
    const auto accounts = call.engine->fetch<Lines<AccountLine>>(
        reference ? fmt::format("/v1/accounts?job={}", reference->job.value()) : "/v1/accounts");
    if (!accounts) return call.fail(accounts.error());
    for (const AccountLine& it : accounts->lines) derived[it.job] = derived_exit(it);
  }
  std::size_t shown_records = 0;
  const auto print = [&](const RecordLine& it) {
    if (reference && reference->tasks) {
      const auto waiting = it.task ? Result<ArraySpec>{} : parse_array_spec(it.waiting);
      if (!it.array) return;
      if (it.task ? !reference->tasks->contains(*it.task)
                  : !waiting || !waiting->indices.contains(*reference->tasks->first()))
        return;
    }
    if (reference && reference->tasks && !it.task) {
      RecordLine own = it;
      own.task = *reference->tasks->first();
      ++shown_records;
      call.out += job_text(own, flags, "0:0");
      return;
    }
    ++shown_records;
    const auto found = derived.find(it.job);
    call.out += job_text(it, flags, found == derived.end() ? "0:0" : found->second);
  };
  // Of one array the record comes first and then its tasks, the latest first.
  if (reference && records->size() > 1) {
    for (const RecordLine& it : *records)
      if (it.job == reference->job) print(it);
    for (auto it = records->rbegin(); it != records->rend(); ++it)
      if (it->job != reference->job) print(*it);
  } else {
    for (const RecordLine& it : *records) print(it);
  }
  if (shown_records > 0) return 0;
  if (reference && reference->tasks && !records->empty()) {
    if (!flags.quiet) call.say(fmt::format("Job {} not found", wanted));
    return 1;
  }
  if (reference) {
    if (!flags.quiet) call.complain("slurm_load_jobs error: Invalid job id specified");
    return 1;
  }
  if (flags.quiet) return 0;
  call.say("No jobs in the system");
  return 0;
}

}  // namespace sluice
