#include "shims/scontrol_job_fields.h"

#include <fmt/format.h>

#include "cli/local_time.h"
#include "shims/job_answers.h"
#include "shims/records.h"
#include "shims/words.h"
#include "text/begin_time.h"
#include "text/constraint.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/job_reference.h"
#include "text/licenses.h"
#include "text/mail_types.h"
#include "text/memory.h"
#include "text/node_count.h"
#include "text/scan.h"
#include "text/switches.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct JobField;

// One field of a command line on its way into the change of one job.
struct Setting {
  ShimCall& call;
  const std::string& job;
  const JobField& field;
  const UpdateWord& word;
  JobChange& change;

  const std::string& text() const { return word.value; }
};

// What is complained about; nothing where the field was taken.
using Problem = std::optional<std::string>;
using SetField = Problem (*)(const Setting&);

struct JobField {
  std::string_view name;  // As scontrol writes it.
  std::size_t least = 0;  // So many letters of it suffice.
  SetField set = nullptr;
  std::string_view meaningless = {};  // In place of `set`: why it means nothing here.
};

Problem wrong(const Setting& s) {
  return fmt::format("scontrol: error: Invalid {} value: {}", s.field.name, s.text());
}
Problem not_supported(const UpdateWord& word) {
  return fmt::format("Update of this parameter is not supported: {}\nRequest aborted", word.word);
}
std::optional<RecordLine> record_of(const Setting& s);
Problem refused_for(const Setting& s, std::string_view what) {
  if (s.call.quiet) return "";
  return refusal_of(s.call, s.job, record_of(s) ? what : "Invalid job id specified");
}

// The job as it is, for what is said relative to that.
std::optional<RecordLine> record_of(const Setting& s) {
  const auto records = fetch_records(*s.call.engine, "state=all&job=" + url_escaped(s.job));
  if (!records || records->empty()) return std::nullopt;
  const auto reference = parse_job_reference(s.job);
  if (reference && reference->tasks && !records->front().array) return std::nullopt;
  return records->front();
}

// An empty value is 0, as scontrol reads numbers.
std::optional<std::int32_t> count_in(std::string_view text) {
  if (text.empty()) return 0;
  const auto number = whole_number(text);
  if (!number || *number > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

template <auto member>
Problem set_text(const Setting& s) {
  s.change.*member = s.text();
  return {};
}

template <auto member>
Problem set_count(const Setting& s) {
  const auto count = count_in(s.text());
  if (!count) return wrong(s);
  s.change.*member = *count;
  return {};
}

// A job has at least one of these.
template <auto member>
Problem set_some(const Setting& s) {
  const auto count = count_in(s.text());
  if (!count) return wrong(s);
  if (*count < 1) return refused_for(s, "Task count specification invalid");
  s.change.*member = *count;
  return {};
}

template <auto member>
Problem set_yes_or_no(const Setting& s) {
  const std::string word = to_lower(s.text());
  if (word.empty() || std::string_view("no").starts_with(word) || word == "0")
    s.change.*member = false;
  else if (std::string_view("yes").starts_with(word) || word == "1")
    s.change.*member = true;
  else
    return wrong(s);
  return {};
}

template <auto member>
Problem set_nodes(const Setting& s) {
  auto hosts = expand_hostlist(s.text());
  if (!hosts) return refused_for(s, "Invalid node name specified");
  s.change.*member = std::move(*hosts);
  return {};
}

std::optional<Instant> time_in(const Setting& s) {
  const Instant now = now_here();
  const auto time = parse_begin_time(s.text(), now, local_offset(now));
  return time ? std::optional(*time) : std::nullopt;
}
// Slurm says so and goes on with what else was said.
Problem bad_time(const Setting& s) {
  s.call.complain(fmt::format("Invalid time specification (pos=0): {}", s.text()));
  return {};
}

template <auto member>
Problem set_moment(const Setting& s) {
  const auto time = time_in(s);
  if (!time) return bad_time(s);
  s.change.*member = *time;
  return {};
}

// Of a job that runs: its limit in other words.
Problem set_end(const Setting& s) {
  const auto end = time_in(s);
  if (!end) return bad_time(s);
  const auto record = record_of(s);
  if (!record) return refused_for(s, "Invalid job id specified");
  if (!holds_nodes(record->state) || !record->started) return refused_for(s, "Job is not running");
  if (*end <= *record->started) return refused_for(s, "Invalid time specified");
  // In minutes, as limits are.
  s.change.time_limit = minutes((*end - *record->started + minutes(1) - seconds(1)) / minutes(1));
  return {};
}

// "TimeLimit+=30" and "TimeLimit=+30": the limit of now and so much more, or less.
Problem set_limit(const Setting& s) {
  std::string_view text = s.text();
  char sign = s.word.sign;
  if (sign == '=' && (text.starts_with('+') || text.starts_with('-'))) {
    sign = text.front();
    text.remove_prefix(1);
  }
  const auto limit = parse_job_time_limit(text);
  if (!limit) return "scontrol: error: Invalid TimeLimit value";
  s.change.time_limit = limit->duration.value_or(kLongestDuration);
  if (sign == '=') return {};
  const auto record = record_of(s);
  if (!record) return refused_for(s, "Invalid job id specified");
  if (!record->limit) return "scontrol: error: Invalid TimeLimit value";
  const Duration now = *record->limit;
  Duration& wanted = *s.change.time_limit;
  if (sign == '-' && wanted > now)
    return fmt::format(
        "scontrol: error: TimeLimit decrement larger than current time limit ({} > {})",
        wanted / minutes(1), now / minutes(1));
  wanted = sign == '+' ? now + wanted : now - wanted;
  return {};
}

Problem set_least_time(const Setting& s) {
  const auto limit = parse_job_time_limit(s.text());
  if (!limit || !limit->duration) return "scontrol: error: Invalid TimeMin value";
  s.change.time_min = *limit->duration;
  return {};
}

template <MemoryPer per>
Problem set_memory(const Setting& s) {
  const auto mb = whole_number(s.text().empty() ? "0" : s.text());  // In MB, without a unit.
  if (!mb || *mb > INT64_MAX / 2) return wrong(s);
  s.change.memory = MemoryRequest{per, static_cast<std::int64_t>(*mb)};
  return {};
}

Problem set_node_count(const Setting& s) {
  const auto nodes = parse_node_count(s.text());
  if (!nodes)
    return fmt::format("scontrol: error: Invalid numeric value \"{}\" for requested node count.",
                       s.text());
  s.change.min_nodes = nodes->least;
  if (s.text().find('-') != std::string::npos) s.change.max_nodes = nodes->most;
  return {};
}

// Dealt out in the CPUs of a task, which may be in front of it.
Problem set_cpus(const Setting& s) {
  const auto cpus = whole_number(s.text().substr(0, s.text().find('-')));
  if (!cpus)
    return fmt::format("scontrol: error: Invalid numeric value \"{}\" for NumCPUs.\n{}", s.text(),
                       *wrong(s));
  if (!cpus || *cpus < 1 || *cpus > INT32_MAX) return wrong(s);
  std::int64_t each = s.change.cpus_per_task.value_or(0);
  if (each == 0)
    if (const auto record = record_of(s)) each = record->cpus_per_task.value_or(1);
  const auto count = static_cast<std::int64_t>(*cpus);
  if (each < 1 || count % each != 0) return not_supported(s.word);
  if (count != each * s.change.tasks.value_or(1))
    s.change.tasks = static_cast<std::int32_t>(count / each);
  return {};
}

// A list of TRES says "gres:gpu:2"; --gres has no such word in front.
template <GpusPer per>
Problem set_gpus(const Setting& s) {
  if (same_ignoring_case(s.text(), "none"))
    return refused_for(s, "Invalid generic resource (gres) specification");
  if (s.text().empty())
    if (const auto record = record_of(s);
        record && record->tres_per_node.empty() && record->tres_per_job.empty())
      return refused_for(s, "Invalid Trackable RESource (TRES) specification");
  std::string text;
  for (const std::string_view word : split(s.text(), ',')) {
    std::string_view rest = word;
    if (rest.starts_with("gres:") || rest.starts_with("gres/")) rest.remove_prefix(5);
    text += fmt::format("{}{}", text.empty() ? "" : ",", rest);
  }
  auto gpus = parse_gres(text);
  if (!gpus) return refused_for(s, "Invalid generic resource (gres) specification");
  for (GpuRequest& each : *gpus) each.per = per;
  s.change.gpus = std::move(*gpus);
  return {};
}

// "gpu:4": so many for each GPU.
std::string_view per_gpu(std::string_view text) {
  if (text.starts_with("gres:") || text.starts_with("gres/")) text.remove_prefix(5);
  if (!text.starts_with("gpu:")) return {};
  return text.substr(4);
}
Problem set_cpus_per_gpu(const Setting& s) {
  const auto count = whole_number(per_gpu(s.text()));
  if (!s.text().empty() && (!count || *count > INT32_MAX))
    return refused_for(s, "Invalid Trackable RESource (TRES) specification");
  s.change.cpus_per_gpu = static_cast<std::int32_t>(count.value_or(0));
  return {};
}
Problem set_memory_per_gpu(const Setting& s) {
  const auto mb = parse_memory_mb(per_gpu(s.text()));
  if (!mb) return refused_for(s, "Invalid Trackable RESource (TRES) specification");
  s.change.memory = MemoryRequest{MemoryPer::kGpu, *mb};
  return {};
}

// Without a number it is 100, and what is none is 0.
Problem set_nice(const Setting& s) {
  const bool bare = s.word.word.find('=') == std::string::npos;
  s.change.nice = bare ? 100 : signed_number(s.text()).value_or(0);
  return {};
}
Problem set_priority(const Setting& s) {
  const auto number = s.text().empty() ? std::optional<std::int64_t>(0) : signed_number(s.text());
  if (!number || *number < 0) return wrong(s);
  s.change.priority = *number;
  return {};
}
Problem set_throttle(const Setting& s) {
  const auto number = signed_number(s.text()).value_or(0);
  if (number < 0 || number > UINT32_MAX) return "scontrol: error: Invalid ArrayTaskThrottle value";
  s.change.throttle = static_cast<std::uint32_t>(number);
  return {};
}
Problem set_partitions(const Setting& s) {
  std::vector<std::string> list;
  for (const std::string_view word : split(s.text(), ',')) list.emplace_back(word);
  s.change.partitions = std::move(list);
  return {};
}
Problem set_dependency(const Setting& s) {
  auto terms = parse_dependencies(s.text());
  if (!terms) return refused_for(s, "Job dependency problem");
  s.change.dependencies = std::move(*terms);
  return {};
}
Problem set_features(const Setting& s) {
  if (s.text().empty()) {
    s.change.constraint = Constraint{};
    return {};
  }
  auto constraint = parse_constraint(s.text());
  if (!constraint) return refused_for(s, "Invalid feature specification");
  s.change.constraint = std::move(*constraint);
  return {};
}
Problem set_licenses(const Setting& s) {
  LicenseList list;
  if (!s.text().empty()) {
    auto read = parse_licenses(s.text());
    if (!read) return refused_for(s, "Invalid license specification");
    list = std::move(*read);
  }
  s.change.licenses = std::move(list.licenses);
  s.change.any_license = list.any;
  return {};
}
Problem set_sharing(const Setting& s) {
  const std::string word = to_lower(s.text());
  if (word == "yes" || word == "y" || word == "1")
    s.change.sharing = NodeSharing::kOversubscribe;
  else if (word.empty() || word == "no" || word == "n" || word == "0")
    s.change.sharing = NodeSharing::kDefault;
  else
    return wrong(s);
  return {};
}
Problem set_requeue(const Setting& s) {
  const auto number = count_in(s.text());
  if (!number) return wrong(s);
  s.change.requeue = *number != 0;
  return {};
}
// What is no number asks for nothing, as in Slurm.
Problem set_switches(const Setting& s) {
  const auto asked = parse_switches(s.text());
  s.change.max_switches = asked ? asked->most : 0;
  if (asked && asked->wait) s.change.switch_wait = *asked->wait;
  return {};
}
Problem set_switch_wait(const Setting& s) {
  const auto count = count_in(s.text());
  if (!count) return wrong(s);
  s.change.switch_wait = seconds(*count);
  return {};
}
Problem set_mail_type(const Setting& s) {
  const auto types = parse_mail_types(s.text());
  if (s.text().empty() || !types) return fmt::format("Invalid MailType: {}", s.text());
  s.change.environment.push_back({std::string(kMailTypeVariable), *types});
  return {};
}
Problem set_mail_user(const Setting& s) {
  s.change.environment.push_back({std::string(kMailUserVariable), s.text()});
  return {};
}
// The job would start in a folder that nobody named.
Problem set_folder(const Setting& s) {
  if (!s.text().starts_with('/')) return wrong(s);
  s.change.working_directory = s.text();
  return {};
}
// It says which jobs are meant.
Problem set_nothing(const Setting&) { return {}; }

// An ambiguous beginning is the first of these, as in scontrol.
constexpr JobField kFields[] = {
    {"JobId", 3, set_nothing},
    {"UserID", 3, set_nothing},
    {"Comment", 3, set_text<&JobChange::comment>},
    {"TimeLimit", 5, set_limit},
    {"TimeMin", 5, set_least_time},
    {"Priority", 2, set_priority},
    {"Nice", 2, set_nice},
    {"CPUsPerTask", 9, set_some<&JobChange::cpus_per_task>},
    {"CPUs/Task", 9, set_some<&JobChange::cpus_per_task>},
    {"CpusPerTres", 9, set_cpus_per_gpu},
    {"NumCPUs", 6, set_cpus},
    {"NumTasks", 8, set_some<&JobChange::tasks>},
    {"ReqProcs", 8, set_some<&JobChange::tasks>},
    {"Requeue", 4, set_requeue},
    {"NumNodes", 8, set_node_count},
    {"ReqNodes", 8, set_node_count},
    {"ReqSockets", 4, set_count<&JobChange::min_sockets>},
    {"ReqCores", 4, set_count<&JobChange::min_cores_per_socket>},
    {"ReqThreads", 4, set_count<&JobChange::threads_per_core>},
    {"TasksPerNode", 2, set_count<&JobChange::tasks_per_node>},
    {"MinCPUsNode", 4, set_count<&JobChange::min_cpus_per_node>},
    {"MinMemoryNode", 10, set_memory<MemoryPer::kNode>},
    {"MinMemoryCPU", 10, set_memory<MemoryPer::kCpu>},
    {"MemPerTres", 5, set_memory_per_gpu},
    {"Partition", 2, set_partitions},
    {"QOS", 2, set_text<&JobChange::qos>},
    {"ReservationName", 3, set_text<&JobChange::reservation>},
    {"Name", 2, set_text<&JobChange::name>},
    {"JobName", 4, set_text<&JobChange::name>},
    {"WCKey", 1, set_text<&JobChange::wckey>},
    {"WorkDir", 2, set_folder},
    {"wait-for-switch", 2, set_switch_wait},
    {"StdOut", 3, set_text<&JobChange::stdout_path>},
    {"StartTime", 2, set_moment<&JobChange::begin>},
    {"EligibleTime", 2, set_moment<&JobChange::begin>},
    {"EndTime", 2, set_end},
    {"Switches", 5, set_switches},
    {"OverSubscribe", 2, set_sharing},
    {"Shared", 2, set_sharing},
    {"Contiguous", 3, set_yes_or_no<&JobChange::contiguous>},
    {"ExcNodeList", 3, set_nodes<&JobChange::exclude_nodes>},
    {"NodeList", 8, set_nodes<&JobChange::require_nodes>},
    {"ReqNodeList", 8, set_nodes<&JobChange::require_nodes>},
    {"Features", 1, set_features},
    {"Gres", 2, set_gpus<GpusPer::kNode>},
    {"TresPerNode", 8, set_gpus<GpusPer::kNode>},
    {"TresPerJob", 8, set_gpus<GpusPer::kJob>},
    {"TresPerSocket", 8, set_gpus<GpusPer::kSocket>},
    {"TresPerTask", 8, set_gpus<GpusPer::kTask>},
    {"Account", 2, set_text<&JobChange::account>},
    {"Dependency", 3, set_dependency},
    {"Deadline", 3, set_moment<&JobChange::deadline>},
    {"Licenses", 1, set_licenses},
    {"ArrayTaskThrottle", 2, set_throttle},
    {"MailType", 5, set_mail_type},
    {"MailUser", 5, set_mail_user},
    {"AdminComment", 2, nullptr, "a job has one comment: Comment"},
    {"BurstBuffer", 1, nullptr, "there are no burst buffers"},
    {"Clusters", 8, nullptr, "there is one cluster"},
    {"ClusterFeatures", 8, nullptr, "there is one cluster"},
    {"CoreSpec", 4, nullptr, "no cores are kept for the system"},
    {"ThreadSpec", 4, nullptr, "no cores are kept for the system"},
    {"DelayBoot", 3, nullptr, "no node is booted for a job"},
    {"Reboot", 3, nullptr, "no node is booted for a job"},
    {"MinTmpDiskNode", 5, nullptr, "disks are not counted"},
    {"Prefer", 3, nullptr, "a feature is needed or not asked for: Features"},
    {"ResetAccrueTime", 5, nullptr, "a job's age counts from when it could start"},
    {"SiteFactor", 5, nullptr, "an operator changes priorities with Nice and Priority"},
    {"TresBind", 5, nullptr, "GPUs are not bound to tasks"},
    {"TresFreq", 5, nullptr, "the frequency of GPUs is not set"},
};

const JobField* field_of(std::string_view name) {
  for (const JobField& field : kFields)
    if (name.size() >= field.least && starts_ignoring_case(field.name, name)) return &field;
  return nullptr;
}

}  // namespace

std::optional<JobChange> read_change(ShimCall& call, const std::string& job,
                                     const std::vector<UpdateWord>& words) {
  JobChange change;
  const std::size_t before = call.err.size();
  for (const UpdateWord& word : words) {
    const JobField* field = field_of(word.name);
    Problem problem;
    if (field == nullptr)
      problem = not_supported(word);
    else if (field->set == nullptr)
      problem = fmt::format("scontrol: error: {} means nothing here: {}\nRequest aborted",
                            field->name, field->meaningless);
    else
      problem = field->set({call, job, *field, word, change});
    if (!problem) continue;
    if (!problem->empty()) call.complain(*problem);
    return std::nullopt;
  }
  if (call.err.size() > before && to_json(change) == to_json(JobChange{})) {
    call.complain("No changes specified");
    return std::nullopt;
  }
  return change;
}

}  // namespace sluice
