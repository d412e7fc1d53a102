#include "shims/squeue_fields.h"

#include <fmt/format.h>

#include <array>

#include "shims/job_paths.h"
#include "shims/records.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

using R = RecordLine;
using C = SqueueContext;

std::string number(std::int64_t value) { return std::to_string(value); }

std::string first_host(const R& r) {
  const auto hosts = expand_hostlist(r.nodes);
  return hosts && !hosts->empty() ? hosts->front() : "n/a";
}

std::string array_task(const R& r, const C&) {
  if (!r.array) return "N/A";
  return r.task ? number(*r.task) : waiting_tasks(r);
}

std::string nodes_or_reason(const R& r, const C&) {
  const bool failed = r.state == JobState::kFailed || r.state == JobState::kTimeout ||
                      r.state == JobState::kOutOfMemory;
  if (r.state == JobState::kPending || failed) return "(" + r.reason + ")";
  return r.nodes;
}

std::string time_left(const R& r, const C&) {
  if (!r.limit) return "UNLIMITED";
  const Duration left = *r.limit - seconds(to_seconds(r.elapsed));
  return left < Duration(0) ? "INVALID" : squeue_duration(left);
}

std::string memory(const R& r, const C& c) {
  if (r.memory_mb == 0) return "0";
  return format_memory_mb(r.memory_mb,
                          c.no_convert ? MemoryStyle::kMegabytes : MemoryStyle::kExact);
}

std::string compact(const R& r, const C&) { return std::string(short_name(r.state)); }
std::string name(const R& r, const C&) { return shown(r.name); }
std::string star(const R&, const C&) { return "*"; }
std::string zero(const R&, const C&) { return "0"; }
std::string zero_time(const R&, const C&) { return "0:00"; }
std::string null(const R&, const C&) { return "(null)"; }
std::string na(const R&, const C&) { return "N/A"; }
std::string short_na(const R&, const C&) { return "NA"; }
std::string nothing(const R&, const C&) { return {}; }

std::string sharing(const R& r, const C&) {
  if (r.sharing == "exclusive") return "NO";
  if (r.sharing == "user") return "USER";
  return r.sharing == "oversubscribe" ? "YES" : "OK";
}

std::string eligible(const R& r, const C&) { return time_text(eligible_time(r), "N/A"); }

std::string pending_time(const R& r, const C& c) {
  const Instant until = r.state == JobState::kPending ? c.now : r.started.value_or(c.now);
  const Instant from = r.eligible.value_or(r.submitted);
  return number(std::max<std::int64_t>(0, to_seconds(until) - to_seconds(from)));
}

std::string cpus_per_gpu(const R& r, const C&) {
  return r.cpus_per_gpu ? "gres:gpu:" + number(*r.cpus_per_gpu) : "N/A";
}
std::string memory_per_gpu(const R& r, const C&) {
  return r.memory_per == "gpu" ? "gres:gpu:" + number(r.memory_mb) : "N/A";
}

std::string exit_code(const R& r, const C&) {
  // The status as wait() has it.
  return number(r.exit_signal != 0 ? r.exit_signal : r.exit_code << 8);
}

// clang-format off
constexpr auto kFields = std::to_array<SqueueField>({
    {"account", 'a', "ACCOUNT", [](const R& r, const C&) { return or_null(r.account); }},
    {"jobid", 'A', "JOBID", [](const R& r, const C&) { return number(r.job.value()); }},
    {"gres", 'b', "TRES_PER_NODE", [](const R& r, const C&) { return or_na(r.tres_per_node); }},
    {"tres-per-node", '\0', "TRES_PER_NODE", [](const R& r, const C&) { return or_na(r.tres_per_node); }},
    {"batchhost", 'B', "EXEC_HOST", [](const R& r, const C&) { return first_host(r); }},
    {"mincpus", 'c', "MIN_CPUS", [](const R& r, const C&) { return number(r.min_cpus); }},
    {"numcpus", 'C', "CPUS", [](const R& r, const C&) { return number(r.cpus); }},
    {"mintmpdisk", 'd', "MIN_TMP_DISK", zero},
    {"numnodes", 'D', "NODES", [](const R& r, const C&) { return number(r.node_count); }},
    {"endtime", 'e', "END_TIME", [](const R& r, const C&) { return r.started && !r.limit && r.nodes.empty() ? "NONE" : time_text(r.ends, "N/A"); }},
    {"dependency", 'E', "DEPENDENCY", [](const R& r, const C&) { return or_null(r.dependency); }},
    {"feature", 'f', "FEATURES", [](const R& r, const C&) { return or_null(r.features); }},
    {"arrayjobid", 'F', "ARRAY_JOB_ID", [](const R& r, const C&) { return number((r.array ? *r.array : r.job).value()); }},
    {"groupname", 'g', "GROUP", [](const R& r, const C&) { return group_text(r.user); }},
    {"groupid", 'G', "GROUP", [](const R& r, const C&) { return gid_text(r.user); }},
    {"oversubscribe", 'h', "OVER_SUBSCRIBE", sharing},
    {"shared", '\0', "OVER_SUBSCRIBE", sharing},
    {"sockets", 'H', "SOCKETS_PER_NODE", star},
    {"jobarrayid", 'i', "JOBID", [](const R& r, const C&) { return record_id(r); }},
    {"cores", 'I', "CORES_PER_SOCKET", star},
    {"name", 'j', "NAME", name},
    {"threads", 'J', "THREADS_PER_CORE", star},
    {"comment", 'k', "COMMENT", [](const R& r, const C&) { return or_null(shown(r.comment)); }},
    {"arraytaskid", 'K', "ARRAY_TASK_ID", array_task},
    {"timelimit", 'l', "TIME_LIMIT", [](const R& r, const C&) { return squeue_limit(r); }, CellCut::kLeftOnly},
    {"timeleft", 'L', "TIME_LEFT", time_left, CellCut::kLeftOnly},
    {"minmemory", 'm', "MIN_MEMORY", memory},
    {"timeused", 'M', "TIME", [](const R& r, const C&) { return squeue_duration(r.elapsed); }, CellCut::kLeftOnly},
    {"reqnodes", 'n', "REQ_NODES", [](const R& r, const C&) { return r.required_nodes; }},
    {"nodelist", 'N', "NODELIST", [](const R& r, const C&) { return r.nodes; }},
    {"command", 'o', "COMMAND", [](const R& r, const C&) { return or_null(shown(r.command)); }},
    {"contiguous", 'O', "CONTIGUOUS", [](const R& r, const C&) { return number(r.contiguous ? 1 : 0); }},
    {"priority", 'p', "PRIORITY", [](const R& r, const C&) { return fmt::format("{:16.14f}", static_cast<double>(r.priority) / 4294967295.0); }},
    {"partition", 'P', "PARTITION", [](const R& r, const C&) { return r.partition; }},
    {"qos", 'q', "QOS", [](const R& r, const C&) { return or_null(r.qos); }},
    {"prioritylong", 'Q', "PRIORITY", [](const R& r, const C&) { return number(r.priority); }},
    {"reason", 'r', "REASON", [](const R& r, const C&) { return r.reason; }},
    {"reasonlist", 'R', "NODELIST(REASON)", nodes_or_reason},
    {"selectjobinfo", 's', "", nothing},
    {"starttime", 'S', "START_TIME", [](const R& r, const C&) { return time_text(r.started, "N/A"); }},
    {"statecompact", 't', "ST", compact},
    {"state", 'T', "STATE", [](const R& r, const C&) { return std::string(slurm_name(r.state)); }},
    {"username", 'u', "USER", [](const R& r, const C&) { return r.user; }},
    {"userid", 'U', "UID", [](const R& r, const C&) { return uid_text(r.user); }},
    {"reservation", 'v', "RESERVATION", [](const R& r, const C&) { return or_null(r.reservation); }},
    {"submittime", 'V', "SUBMIT_TIME", [](const R& r, const C&) { return time_text(r.submitted, "N/A"); }},
    {"wckey", 'w', "WCKEY", [](const R& r, const C&) { return or_null(shown(r.wckey)); }},
    {"licenses", 'W', "LICENSES", [](const R& r, const C&) { return or_null(r.licenses); }},
    {"excnodes", 'x', "EXC_NODES", [](const R& r, const C&) { return r.excluded_nodes; }},
    {"corespec", 'X', "CORE_SPEC", na},
    {"nice", 'y', "NICE", [](const R& r, const C&) { return number(r.nice); }},
    {"schednodes", 'Y', "SCHEDNODES", [](const R& r, const C&) { return or_null(r.planned); }, CellCut::kLeftOnly},
    {"sct", 'z', "S:C:T", [](const R&, const C&) { return std::string("*:*:*"); }},
    {"workdir", 'Z', "WORK_DIR", [](const R& r, const C&) { return shown(r.folder); }},
    {"accruetime", '\0', "ACCRUE_TIME", [](const R& r, const C&) { return time_text(r.ages, "N/A"); }},
    {"admin_comment", '\0', "ADMIN_COMMENT", null},
    {"allocnodes", '\0', "ALLOC_NODES", [](const R&, const C&) { return std::string("localhost"); }},
    {"allocsid", '\0', "ALLOC_SID", zero},
    {"associd", '\0', "ASSOC_ID", [](const R& r, const C&) { return number(r.association.value_or(0)); }},
    {"batchflag", '\0', "BATCH_FLAG", [](const R& r, const C&) { return std::string(r.batch ? "1" : "0"); }},
    {"boardspernode", '\0', "BOARDS_PER_NODE", zero},
    {"burstbuffer", '\0', "BURST_BUFFER", null},
    {"burstbufferstate", '\0', "BURST_BUFFER_STATE", null},
    {"cluster", '\0', "CLUSTER", [](const R&, const C& c) { return c.cluster; }},
    {"clusterfeature", '\0', "CLUSTER_FEATURES", null},
    {"container", '\0', "CONTAINER", null},
    {"cpuspertask", '\0', "CPUS_PER_TASK", [](const R& r, const C&) { return number(r.cpus_per_task.value_or(1)); }},
    {"cpus-per-task", '\0', "CPUS_PER_TASK", [](const R& r, const C&) { return number(r.cpus_per_task.value_or(1)); }},
    {"cpus-per-tres", '\0', "CPUS_PER_TRES", cpus_per_gpu},
    {"deadline", '\0', "DEADLINE", [](const R& r, const C&) { return time_text(r.deadline, "N/A"); }},
    {"delayboot", '\0', "DELAY_BOOT", zero_time},
    {"derivedec", '\0', "DERIVED_EC", zero},
    {"eligibletime", '\0', "ELIGIBLE_TIME", eligible},
    {"exit_code", '\0', "EXIT_CODE", exit_code},
    {"hetjobid", '\0', "HET_JOB_ID", na},
    {"packjobid", '\0', "HET_JOB_ID", na},
    {"hetjobidset", '\0', "HET_JOB_ID_SET", na},
    {"packjobidset", '\0', "HET_JOB_ID_SET", na},
    {"hetjoboffset", '\0', "HET_JOB_OFFSET", na},
    {"packjoboffset", '\0', "HET_JOB_OFFSET", na},
    {"lastschedeval", '\0', "LAST_SCHED_EVAL", [](const R& r, const C&) { return time_text(r.eligible, "N/A"); }},
    {"maxcpus", '\0', "MAX_CPUS", [](const R& r, const C&) { return number(r.cpus); }},
    {"maxnodes", '\0', "MAX_NODES", [](const R& r, const C&) { return number(r.max_nodes.value_or(r.node_count)); }},
    {"mcslabel", '\0', "MCSLABEL", null},
    {"mem-per-tres", '\0', "MEM_PER_TRES", memory_per_gpu},
    {"mintime", '\0', "TIME_MIN", [](const R& r, const C&) { return squeue_duration(r.time_min.value_or(Duration(0))); }},
    {"network", '\0', "NETWORK", null},
    {"ntperboard", '\0', "NTASKS_PER_BOARD", zero},
    {"ntpercore", '\0', "NTASKS_PER_CORE", na},
    {"ntpernode", '\0', "NTASKS_PER_NODE", [](const R& r, const C&) { return number(r.tasks_per_node.value_or(0)); }},
    {"ntpersocket", '\0', "NTASKS_PER_SOCKET", na},
    {"numtasks", '\0', "TASKS", [](const R& r, const C&) { return number(r.tasks); }},
    {"origin", '\0', "ORIGIN", short_na},
    {"originraw", '\0', "ORIGIN_RAW", short_na},
    {"pendingtime", '\0', "PENDING_TIME", pending_time},
    {"preempttime", '\0', "PREEMPT_TIME", na},
    {"prefer", '\0', "PREFER", null},
    {"profile", '\0', "PROFILE", [](const R&, const C&) { return std::string("NotSet"); }},
    {"reboot", '\0', "REBOOT", zero},
    {"reqswitch", '\0', "REQ_SWITCH", [](const R& r, const C&) { return number(r.max_switches); }},
    {"requeue", '\0', "REQUEUE", [](const R& r, const C&) { return std::string(r.requeue ? "1" : "0"); }},
    {"resizetime", '\0', "RESIZE_TIME", na, CellCut::kLeftOnly},
    {"restartcnt", '\0', "RESTART_COUNT", [](const R& r, const C&) { return number(r.restarts); }},
    {"siblingsactive", '\0', "ACTIVE_SIBLINGS", short_na},
    {"siblingsactiveraw", '\0', "ACTIVE_SIBLINGS_RAW", short_na},
    {"siblingsviable", '\0', "VIABLE_SIBLINGS", short_na},
    {"siblingsviableraw", '\0', "VIALBLE_SIBLINGS_RAW", short_na},
    {"sperboard", '\0', "SOCKETS_PER_BOARD", zero},
    {"stderr", '\0', "STDERR", [](const R& r, const C&) { return shown(typed_paths(r).err); }},
    {"stdin", '\0', "STDIN", [](const R& r, const C&) { return shown(typed_paths(r).in); }},
    {"stdout", '\0', "STDOUT", [](const R& r, const C&) { return shown(typed_paths(r).out); }},
    {"system_comment", '\0', "SYSTEM_COMMENT", null},
    {"tres", '\0', "TRES_ALLOC", [](const R& r, const C&) { return or_na(without_licenses(r.tres)); }},
    {"tres-alloc", '\0', "TRES_ALLOC", [](const R& r, const C&) { return or_na(without_licenses(r.tres)); }},
    {"tres-bind", '\0', "TRES_BIND", na},
    {"tres-freq", '\0', "TRES_FREQ", na},
    {"tres-per-job", '\0', "TRES_PER_JOB", [](const R& r, const C&) { return or_na(r.tres_per_job); }},
    {"tres-per-socket", '\0', "TRES_PER_SOCKET", [](const R& r, const C&) { return or_na(r.tres_per_socket); }},
    {"tres-per-task", '\0', "TRES_PER_TASK", [](const R& r, const C&) { return or_na(r.tres_per_task); }},
    {"wait4switch", '\0', "WAIT4SWITCH", [](const R& r, const C&) { return squeue_duration(r.switch_wait); }},
    {"jobstate", '\0', "STATE", [](const R& r, const C&) { return std::string(slurm_name(r.state)); }},
});
// clang-format on

}  // namespace

std::string squeue_duration(Duration time) { return format_short_duration(time); }

std::string squeue_limit(const RecordLine& r) {
  return r.limit ? squeue_duration(*r.limit) : "UNLIMITED";
}

std::span<const SqueueField> squeue_fields() { return kFields; }

const SqueueField* squeue_field(char letter) {
  for (const SqueueField& field : kFields)
    if (field.letter == letter && letter != '\0') return &field;
  return nullptr;
}

const SqueueField* squeue_field(std::string_view name) {
  for (const SqueueField& field : kFields)
    if (same_ignoring_case(field.name, name)) return &field;
  return nullptr;
}

bool is_light(const SqueueField& field) {
  return std::string_view("aABCDeFgGijKlLMNpPqQrRsStTuUVY").find(field.letter) !=
         std::string_view::npos;
}

}  // namespace sluice
