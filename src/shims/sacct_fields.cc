#include "shims/sacct_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shims/words.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "text/printed_tres.h"
#include "text/scan.h"
#include "views/step_share.h"

namespace sluice {
namespace {

using L = SacctLine;
using C = SacctContext;

bool is_job(const L& l) { return l.kind == SacctRow::kJob; }
std::string number(std::int64_t value) { return std::to_string(value); }
std::string none(const L&, const C&) { return {}; }

// For what only a job has.
template <class Text>
std::string of_job(const L& l, Text text) {
  return is_job(l) ? text(*l.job) : std::string();
}

std::int64_t cpus_in(std::string_view list) { return read_printed_tres(list).cpus.value_or(0); }

std::string without_billing(std::string_view list) {
  std::string out;
  for (const std::string_view word : split(list, ','))
    if (!word.starts_with("billing=")) (out += out.empty() ? "" : ",") += word;
  return out;
}

std::string batch_tres(const AccountLine& job) {
  return job.details.first_share.empty() ? without_billing(job.allocated) : job.details.first_share;
}

// A step holds its CPUs and its memory of what the job has.
std::string step_tres(const L& l) {
  std::string out;
  const std::string held = without_billing(l.job->allocated);
  const std::vector<StepShare> shares = parse_step_shares(l.step->shares);
  std::int64_t memory = 0;
  std::size_t gpus = 0;
  for (const StepShare& share : shares) {
    memory += share.memory_mb;
    gpus += share.gpus.size();
  }
  for (const std::string_view word : split(held, ',')) {
    std::string own(word);
    if (word.starts_with("cpu=")) own = "cpu=" + number(l.step->cpus);
    if (word.starts_with("mem=") && memory > 0) own = "mem=" + format_memory_mb(memory);
    if (word.starts_with("node=") && !shares.empty())
      own = "node=" + number(static_cast<std::int64_t>(shares.size()));
    if (word.starts_with("gres/gpu") && !shares.empty()) {
      if (gpus == 0) continue;
      own =
          std::string(word.substr(0, word.find('=') + 1)) + number(static_cast<std::int64_t>(gpus));
    }
    (out += out.empty() ? "" : ",") += own;
  }
  return out;
}

std::string tres_of_line(const L& l) {
  if (is_job(l)) return l.job->allocated;
  return l.kind == SacctRow::kBatch ? batch_tres(*l.job) : step_tres(l);
}

std::string memory_text(std::int64_t kb, const C& c) {
  const char unit = c.no_convert ? 'K' : c.unit;
  const double amount = static_cast<double>(kb);
  const auto in = [&](double size, char letter) {
    const double value = amount / size;
    return value == static_cast<double>(static_cast<std::int64_t>(value))
               ? fmt::format("{:.0f}{}", value, letter)
               : fmt::format("{:.2f}{}", value, letter);
  };
  switch (unit) {
    case 'K':
      return in(1, 'K');
    case 'M':
      return in(1024.0, 'M');
    case 'G':
      return in(1024.0 * 1024, 'G');
    case 'T':
      return in(1024.0 * 1024 * 1024, 'T');
    case 'P':
      return in(1024.0 * 1024 * 1024 * 1024, 'P');
    default:
      return fmt::format("{}K", kb);
  }
}

std::string megabytes_text(std::int64_t mb, const C& c) {
  if (c.no_convert) return format_memory_mb(mb, MemoryStyle::kMegabytes);
  return c.unit != '\0' ? memory_text(mb * 1024, c) : format_memory_mb(mb);
}

std::string tres_text(std::string_view list, const C& c) {
  const std::string shown_list = without_licenses(list);
  if (c.unit == '\0' && !c.no_convert) return shown_list;
  std::string out;
  for (const std::string_view word : split(shown_list, ',')) {
    (out += out.empty() ? "" : ",");
    const auto mb = word.starts_with("mem=") ? parse_printed_memory_mb(word.substr(4))
                                             : Result<std::int64_t>(bad_input(""));
    out += mb ? "mem=" + megabytes_text(*mb, c) : std::string(word);
  }
  return out;
}

Duration elapsed_of(const L& l, const C& c) {
  if (l.kind != SacctRow::kStep) return l.job->elapsed;
  if (!l.step->started) return Duration(0);
  return seconds(to_seconds(l.step->ended.value_or(c.now)) - to_seconds(*l.step->started));
}

std::int64_t cpus_of(const L& l) {
  if (l.kind == SacctRow::kStep) return l.step->cpus;
  const std::string& list = l.job->allocated.empty() ? l.job->requested : l.job->allocated;
  return cpus_in(is_job(l) || l.job->allocated.empty() ? list : batch_tres(*l.job));
}

std::int64_t nodes_of(const L& l) {
  if (l.kind == SacctRow::kBatch) return 1;
  if (l.kind == SacctRow::kStep && !l.step->shares.empty())
    return static_cast<std::int64_t>(parse_step_shares(l.step->shares).size());
  return read_printed_tres(l.job->allocated.empty() ? l.job->requested : l.job->allocated)
      .nodes.value_or(0);
}

std::string node_list(const L& l) {
  if (l.job->nodes.empty()) return "None assigned";
  if (l.kind == SacctRow::kStep && !l.step->shares.empty()) return nodes_of_step(l.step->shares);
  if (l.kind != SacctRow::kBatch) return l.job->nodes;
  const auto hosts = expand_hostlist(l.job->nodes);
  return hosts && !hosts->empty() ? hosts->front() : l.job->nodes;
}

// The user who told it to end leaves no exit code.
bool was_ended(const AccountLine& job) {
  return job.state == JobState::kCancelled || job.state == JobState::kTimeout ||
         job.state == JobState::kNodeFail || job.state == JobState::kPreempted ||
         job.state == JobState::kDeadline || job.requeued;
}

// sacct takes a script that ends with 128 and more for one that a signal has ended.
std::string exit_pair(std::int64_t code, std::int64_t signal) {
  return fmt::format("{}:{}", code >= 128 ? code - 128 : code, signal);
}

std::string exit_text(const L& l, const C&) {
  const AccountLine& job = *l.job;
  if (l.kind == SacctRow::kStep) return exit_pair(l.step->exit_code, l.step->exit_signal);
  if (!job.ended && !has_ended(job.state)) return "0:0";
  if (job.state == JobState::kOutOfMemory) return "0:125";
  if (was_ended(job)) {
    if (is_job(l)) return "0:0";
    return job.state == JobState::kNodeFail ? "" : "0:15";
  }
  return exit_pair(job.exit_code, job.exit_signal);
}

std::string cpu_time_text(Duration time) {
  if (time == Duration(0)) return "00:00:00";
  const std::int64_t whole = to_seconds(time);
  if (whole >= 3600) return format_duration(time);
  return fmt::format("{:02}:{:02}.{:03}", whole / 60, whole % 60, time.count() % 1000);
}

Duration used_of(const L& l) {
  if (l.kind == SacctRow::kStep) return l.step->cpu_time;
  if (l.kind == SacctRow::kBatch) {
    Duration rest = l.job->cpu_time;
    for (const StepLine& step : l.job->details.steps) rest -= step.cpu_time;
    return std::max(rest, Duration(0));
  }
  return l.job->cpu_time;
}

std::int64_t rss_of(const L& l) {
  if (is_job(l)) return 0;
  if (l.kind == SacctRow::kStep) return l.step->max_rss_kb;
  return l.job->ended ? l.job->max_rss_kb : 0;
}
std::string rss(const L& l, const C& c) {
  return rss_of(l) > 0 ? memory_text(rss_of(l), c) : std::string();
}
std::string rss_node(const L& l, const C&) {
  return rss_of(l) > 0 ? node_list({SacctRow::kBatch, l.job, l.step, l.index}) : std::string();
}
std::string rss_task(const L& l, const C&) { return rss_of(l) > 0 ? "0" : ""; }
std::string usage(const L& l, const C& c) {
  return rss_of(l) > 0
             ? fmt::format("cpu={},mem={}", format_duration(used_of(l)), memory_text(rss_of(l), c))
             : std::string();
}
std::string usage_node(const L& l, const C& c) {
  const std::string node = rss_node(l, c);
  return node.empty() ? node : fmt::format("cpu={},mem={}", node, node);
}
std::string usage_task(const L& l, const C&) { return rss_of(l) > 0 ? "cpu=0,mem=0" : ""; }

std::string frequency(const L& l, const C&) { return l.kind == SacctRow::kBatch ? "0" : "Unknown"; }
std::string energy(const L& l, const C&) { return is_job(l) && l.job->started ? "" : "0"; }

std::optional<Instant> start_of(const L& l) {
  if (l.kind == SacctRow::kStep) return l.step->started;
  return l.job->started;
}
std::optional<Instant> end_of(const L& l) {
  if (l.kind == SacctRow::kStep) return l.step->ended;
  return l.job->ended;
}

std::string submit_text(const L& l, const C&) {
  return is_job(l) ? time_text(l.job->submitted, "Unknown") : time_text(start_of(l), "Unknown");
}
std::string eligible_text(const L& l, const C&) {
  if (!is_job(l)) return time_text(start_of(l), "Unknown");
  return time_text(l.job->eligible, "Unknown");
}

std::int64_t waited(const AccountLine& job, const C& c) {
  const Instant until = job.started.value_or(c.now);
  return std::max<std::int64_t>(
      0, to_seconds(until) - to_seconds(job.eligible.value_or(job.submitted)));
}

std::string derived(const L& l, const C&) { return is_job(l) ? derived_exit(*l.job) : ""; }

std::string job_name(const L& l, const C&) {
  if (l.kind == SacctRow::kBatch) return "batch";
  return shown(l.kind == SacctRow::kStep ? l.step->name : l.job->name);
}

std::string raw_id(const L& l, const C&) {
  std::string id = number(l.job->job.value());
  if (l.kind == SacctRow::kBatch) id += ".batch";
  if (l.kind == SacctRow::kStep) id += "." + number(l.step->number);
  return id;
}

std::string submit_line(const L& l, const C&) {
  if (l.kind == SacctRow::kBatch) return {};
  return shown(l.kind == SacctRow::kStep ? l.step->line : l.job->details.line);
}

std::string layout(const L& l, const C&) {
  if (l.kind == SacctRow::kBatch) return "Unknown";
  if (l.kind != SacctRow::kStep) return "";
  return l.step->tasks > sacct_nodes(l) ? "Block" : "Cyclic";
}
std::string tasks(const L& l, const C&) {
  return is_job(l) ? "" : l.kind == SacctRow::kBatch ? "1" : number(l.step->tasks);
}
std::string flags(const L& l, const C&) {
  return is_job(l) ? (l.job->started && !l.job->nodes.empty() ? "SchedMain,StartRecieved"
                                                              : "StartRecieved")
                   : "";
}
std::string cpu_seconds(const L& l, const C& c) {
  return number(to_seconds(elapsed_of(l, c)) * cpus_of(l));
}

// A job that waits has the limit of the partition in which it will start.
std::string no_limit(const AccountLine& job) {
  return job.state == JobState::kPending ? "Partition_Limit" : "UNLIMITED";
}

// clang-format off
constexpr auto kFields = std::to_array<SacctField>({
    {"Account", 10, [](const L& l, const C&) { return l.job->account; }},
    {"AdminComment", 15, none},
    {"AllocCPUS", 10, [](const L& l, const C&) { return number(cpus_of(l)); }, SacctCut::kNever},
    {"AllocNodes", 10, [](const L& l, const C&) { return l.job->nodes.empty() ? "0" : number(nodes_of(l)); }, SacctCut::kNever},
    {"AllocTRES", 10, [](const L& l, const C& c) { return tres_text(tres_of_line(l), c); }},
    {"AssocID", 7, [](const L& l, const C&) { return number(l.job->association.value_or(0)); }},
    {"AveCPU", 10, [](const L& l, const C&) { return rss_of(l) > 0 ? format_duration(used_of(l)) : ""; }},
    {"AveCPUFreq", 10, [](const L& l, const C&) { return std::string(is_job(l) ? "" : "0"); }},
    {"AveDiskRead", 14, none},
    {"AveDiskWrite", 14, none},
    {"AvePages", 10, none},
    {"AveRSS", 10, rss},
    {"AveVMSize", 10, none},
    {"BlockID", 16, none},
    {"Cluster", 10, [](const L&, const C& c) { return c.cluster; }},
    {"Comment", 14, none},
    {"Constraints", 19, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return j.details.constraint; }); }},
    {"ConsumedEnergy", 14, energy},
    {"ConsumedEnergyRaw", 17, energy},
    {"Container", 19, none},
    {"CPUTime", 10, [](const L& l, const C& c) { return format_duration(seconds(to_seconds(elapsed_of(l, c)) * cpus_of(l))); }, SacctCut::kNever},
    {"CPUTimeRAW", 10, cpu_seconds, SacctCut::kNever},
    {"DBIndex", -10, [](const L& l, const C&) { return number(l.index); }},
    {"DerivedExitCode", 15, derived},
    {"Elapsed", 10, [](const L& l, const C& c) { return format_duration(elapsed_of(l, c)); }, SacctCut::kNever},
    {"ElapsedRaw", 10, [](const L& l, const C& c) { return number(to_seconds(elapsed_of(l, c))); }, SacctCut::kNever},
    {"Eligible", 19, eligible_text, SacctCut::kTime},
    {"End", 19, [](const L& l, const C&) { return time_text(end_of(l), "Unknown"); }, SacctCut::kTime},
    {"ExitCode", 8, exit_text},
    {"Flags", 19, flags},
    {"GID", 6, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return gid_text(j.user); }); }, SacctCut::kNever},
    {"Group", 9, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return group_text(j.user); }); }},
    {"JobID", -12, [](const L& l, const C&) { return sacct_id(l); }},
    {"JobIDRaw", -12, raw_id},
    {"JobName", 10, job_name},
    {"Layout", 9, layout},
    {"MaxDiskRead", 12, none},
    {"MaxDiskReadNode", 15, none},
    {"MaxDiskReadTask", 15, none},
    {"MaxDiskWrite", 12, none},
    {"MaxDiskWriteNode", 16, none},
    {"MaxDiskWriteTask", 16, none},
    {"MaxPages", 8, none},
    {"MaxPagesNode", 12, none},
    {"MaxPagesTask", 14, none},
    {"MaxRSS", 10, rss},
    {"MaxRSSNode", 10, rss_node},
    {"MaxRSSTask", 10, rss_task},
    {"MaxVMSize", 10, none},
    {"MaxVMSizeNode", 14, none},
    {"MaxVMSizeTask", 14, none},
    {"McsLabel", 12, none},
    {"MinCPU", 10, [](const L& l, const C&) { return rss_of(l) > 0 ? format_duration(used_of(l)) : ""; }},
    {"MinCPUNode", 10, rss_node},
    {"MinCPUTask", 10, rss_task},
    {"NCPUS", 10, [](const L& l, const C&) { return number(cpus_of(l)); }, SacctCut::kNever},
    {"NNodes", 8, [](const L& l, const C&) { return number(nodes_of(l)); }, SacctCut::kNever},
    {"NodeList", 15, [](const L& l, const C&) { return node_list(l); }},
    {"NTasks", 8, tasks, SacctCut::kNever},
    {"Partition", 10, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return j.partition; }); }},
    {"Priority", 10, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return number(j.details.priority); }); }, SacctCut::kNever},
    {"QOS", 10, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return j.qos; }); }},
    {"QOSRAW", 6, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return j.qos; }); }},
    {"Reason", 22, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return j.details.reason.empty() ? std::string("None") : j.details.reason; }); }},
    {"ReqCPUFreq", 10, frequency},
    {"ReqCPUFreqGov", 13, frequency},
    {"ReqCPUFreqMax", 13, frequency},
    {"ReqCPUFreqMin", 13, frequency},
    {"ReqCPUS", 8, [](const L& l, const C&) { return number(is_job(l) ? cpus_in(l.job->requested) : cpus_of(l)); }, SacctCut::kNever},
    {"ReqMem", 10, [](const L& l, const C& c) { return is_job(l) ? megabytes_text(l.job->details.memory_mb, c) : std::string(); }},
    {"ReqNodes", 8, [](const L& l, const C&) { return number(is_job(l) ? read_printed_tres(l.job->requested).nodes.value_or(0) : nodes_of(l)); }, SacctCut::kNever},
    {"ReqTRES", 10, [](const L& l, const C& c) { return is_job(l) ? tres_text(l.job->requested, c) : std::string(); }},
    {"Reservation", 20, none},
    {"ReservationId", 8, none},
    {"Reserved", 10, [](const L& l, const C& c) { return is_job(l) ? format_duration(seconds(waited(*l.job, c))) : std::string(); }, SacctCut::kNever},
    {"ResvCPU", 10, [](const L& l, const C& c) { return is_job(l) ? format_duration(seconds(waited(*l.job, c) * cpus_in(l.job->requested))) : std::string(); }, SacctCut::kNever},
    {"ResvCPURAW", 10, [](const L& l, const C& c) { return is_job(l) ? number(waited(*l.job, c) * cpus_in(l.job->requested)) : std::string(); }, SacctCut::kNever},
    {"Start", 19, [](const L& l, const C&) { return time_text(start_of(l), end_of(l) ? "None" : "Unknown"); }, SacctCut::kTime},
    {"State", 10, [](const L& l, const C&) { return sacct_state(l); }},
    {"Submit", 19, submit_text, SacctCut::kTime},
    {"SubmitLine", 20, submit_line},
    {"Suspended", 10, [](const L&, const C&) { return std::string("00:00:00"); }, SacctCut::kNever},
    {"SystemComment", 15, none},
    {"SystemCPU", 10, [](const L&, const C&) { return std::string("00:00:00"); }},
    {"Timelimit", 10, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return j.limit ? format_duration(*j.limit) : no_limit(j); }); }},
    {"TimelimitRaw", 10, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return j.limit ? number(to_seconds(*j.limit) / 60) : no_limit(j); }); }},
    {"TotalCPU", 10, [](const L& l, const C&) { return cpu_time_text(used_of(l)); }},
    {"TRESUsageInAve", 14, usage},
    {"TRESUsageInMax", 14, usage},
    {"TRESUsageInMaxNode", 18, usage_node},
    {"TRESUsageInMaxTask", 18, usage_task},
    {"TRESUsageInMin", 14, usage},
    {"TRESUsageInMinNode", 18, usage_node},
    {"TRESUsageInMinTask", 18, usage_task},
    {"TRESUsageInTot", 14, usage},
    {"TRESUsageOutAve", 15, none},
    {"TRESUsageOutMax", 15, none},
    {"TRESUsageOutMaxNode", 19, none},
    {"TRESUsageOutMaxTask", 19, none},
    {"TRESUsageOutMin", 15, none},
    {"TRESUsageOutMinNode", 19, none},
    {"TRESUsageOutMinTask", 19, none},
    {"TRESUsageOutTot", 15, none},
    {"UID", 6, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return uid_text(j.user); }); }, SacctCut::kNever},
    {"User", 9, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return j.user; }); }},
    {"UserCPU", 10, [](const L& l, const C&) { return cpu_time_text(used_of(l)); }},
    {"WCKey", 10, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return shown(j.details.wckey); }); }},
    {"WCKeyID", 10, [](const L& l, const C&) { return std::string(is_job(l) ? "0" : ""); }},
    {"WorkDir", 20, [](const L& l, const C&) { return of_job(l, [](const AccountLine& j) { return shown(j.details.folder); }); }},
});
// clang-format on

}  // namespace

std::string derived_exit(const AccountLine& job) {
  std::int64_t code = 0;
  std::int64_t signal = 0;
  for (const StepLine& step : job.details.steps) {
    code = std::max(code, step.exit_code);
    signal = std::max(signal, step.exit_signal);
  }
  return fmt::format("{}:{}", code, signal);
}

std::int64_t sacct_nodes(const L& l) { return nodes_of(l); }
std::int64_t sacct_cpus(const L& l) { return cpus_of(l); }

std::string sacct_id(const L& l) {
  const AccountLine& job = *l.job;
  std::string id = !job.array ? number(job.job.value())
                   : job.task ? fmt::format("{}_{}", job.array->value(), *job.task)
                              : fmt::format("{}_[{}]", job.array->value(), job.waiting);
  if (l.kind == SacctRow::kBatch) id += ".batch";
  if (l.kind == SacctRow::kStep) id += "." + number(l.step->number);
  return id;
}

std::string sacct_state(const L& l) {
  const AccountLine& job = *l.job;
  if (l.kind == SacctRow::kStep) return std::string(slurm_name(l.step->state));
  if (is_job(l)) {
    if (job.requeued && job.state != JobState::kPreempted && job.state != JobState::kNodeFail)
      return "REQUEUED";
    if (job.state != JobState::kCancelled) return std::string(slurm_name(job.state));
    const std::string& by = job.details.cancelled_by;
    return "CANCELLED by " + uid_text(by.empty() ? job.user : by);
  }
  if (!job.ended && !has_ended(job.state)) return std::string(slurm_name(job.state));
  if (was_ended(job) || (job.state == JobState::kFailed && job.exit_signal != 0))
    return "CANCELLED";
  return std::string(slurm_name(job.state));
}

std::span<const SacctField> sacct_fields() { return kFields; }

const SacctField* sacct_field(std::string_view name) {
  for (const SacctField& field : kFields)
    if (same_ignoring_case(field.name, name)) return &field;
  for (const SacctField& field : kFields)
    if (!name.empty() && starts_ignoring_case(field.name, name)) return &field;
  return nullptr;
}

}  // namespace sluice
