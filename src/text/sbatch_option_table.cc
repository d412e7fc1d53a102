// The table, in the alphabetical order in which getopt lists what an abbreviation may mean. It was
// taken from sbatch itself: tests/slurm/record-notations asks it for every name and argument.
#include "text/sbatch_option_table.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "text/array_spec.h"
#include "text/begin_time.h"
#include "text/constraint.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/leading_number.h"
#include "text/licenses.h"
#include "text/mail_types.h"
#include "text/node_count.h"
#include "text/sbatch_effects.h"
#include "text/signal.h"
#include "text/switches.h"

namespace sluice {
namespace {

using namespace sbatch_effects;

Result<void> set_array(const OptionSetting& s) {
  if (s.text.empty()) {
    s.spec().array.reset();
    return {};
  }
  auto array = parse_array_spec(s.text);
  if (!array) return refused_by_controller("Invalid job array specification", array.error());
  s.spec().array = *std::move(array);
  return {};
}
void show_array(const JobSpec& spec, OptionWords& words) {
  if (spec.array) words.value(format_array_spec(*spec.array));
}

template <std::optional<Instant> JobSpec::*member>
constexpr SbatchEffect time_of_day = {
    [](const OptionSetting& s) {
      return store(parse_begin_time(s.text, s.context.now, s.context.offset()), s.spec().*member,
                   s);
    },
    [](const JobSpec& spec, OptionWords& words) {
      if (spec.*member) words.value(format_time(*(spec.*member)));
    }};

template <Constraint JobSpec::*member, Result<Constraint> (*parse)(std::string_view)>
constexpr SbatchEffect features = {
    [](const OptionSetting& s) -> Result<void> {
      auto constraint = parse(s.text);
      if (!constraint)
        return refused_by_controller("Invalid feature specification", constraint.error());
      s.spec().*member = *std::move(constraint);
      return {};
    },
    [](const JobSpec& spec, OptionWords& words) { words.value((spec.*member).text); }};

Result<void> set_dependency(const OptionSetting& s) {
  auto dependencies = parse_dependencies(s.text);
  if (!dependencies) return refused_by_controller("Job dependency problem", dependencies.error());
  s.spec().dependencies = *std::move(dependencies);
  return {};
}
void show_dependency(const JobSpec& spec, OptionWords& words) {
  if (!spec.dependencies.terms.empty()) words.value(format_dependencies(spec.dependencies));
}

Result<void> set_exclusive(const OptionSetting& s) {
  if (s.text.empty())
    s.spec().sharing = NodeSharing::kExclusive;
  else if (same_ignoring_case(s.text, "user"))
    s.spec().sharing = NodeSharing::kUser;
  else
    return invalid(s, "user");
  return {};
}
void show_exclusive(const JobSpec& spec, OptionWords& words) {
  if (spec.sharing == NodeSharing::kExclusive) words.flag();
  if (spec.sharing == NodeSharing::kUser) words.value("user");
}

Result<void> set_oversubscribe(const OptionSetting& s) {
  s.spec().sharing = NodeSharing::kOversubscribe;
  return {};
}
void show_oversubscribe(const JobSpec& spec, OptionWords& words) {
  if (spec.sharing == NodeSharing::kOversubscribe) words.flag();
}

Result<void> set_export(const OptionSetting& s) {
  auto& environment = s.spec().launch.environment;
  std::erase_if(environment, [](const EnvironmentVariable& variable) {
    return variable.name == "SLURM_EXPORT_ENV";
  });
  if (!same_ignoring_case(s.text, "ALL"))
    set_variable(environment, "SLURM_EXPORT_ENV", std::string(s.text));
  return store(parse_export(s.text), s.request().environment, s);
}

// The time to wait and S or L for the kind of shell, of which we need neither.
Result<void> set_user_environment(const OptionSetting& s) {
  std::string_view rest = s.text;
  while (!rest.empty() && is_digit(rest.front())) rest.remove_prefix(1);
  if (!rest.empty() && rest != "S" && rest != "L" && rest != "s" && rest != "l")
    return invalid(s, "a number of seconds, S, L");
  s.request().get_user_env = true;
  s.request().warnings.emplace_back("--get-user-env has no effect here");
  return {};
}

// "none" is no file at all.
template <std::string Launch::*member>
Result<void> set_file(const OptionSetting& s) {
  s.spec().launch.*member = same_ignoring_case(s.text, "none") ? "/dev/null" : s.text;
  return {};
}

Result<void> set_gpus_per_node(const OptionSetting& s) {
  set_variable(s.spec().launch.environment, "SLURM_GPUS_PER_NODE", std::string(s.text));
  return set_gpus<&SbatchSettings::gpus_per_node, GpusPer::kNode>(s);
}

Result<void> set_gres(const OptionSetting& s) {
  return put_gpus(s.settings.gres, parse_gres(s.text));
}
void show_gres(const JobSpec& spec, OptionWords& words) {
  std::string gres;
  for (const GpuRequest& one : spec.gpus)
    if (one.per == GpusPer::kNode)
      gres += fmt::format("{}gpu{}{}:{}", gres.empty() ? "" : ",", one.type.empty() ? "" : ":",
                          one.type, one.count);
  words.value(gres);
}

Result<void> set_name(const OptionSetting& s) {
  s.settings.name = s.text;
  return {};
}
void show_name(const JobSpec& spec, OptionWords& words) { words.value(spec.name); }

Result<void> set_kill_on_invalid(const OptionSetting& s) {
  if (same_ignoring_case(s.text, "yes"))
    s.spec().kill_on_invalid_dependency = true;
  else if (same_ignoring_case(s.text, "no"))
    s.spec().kill_on_invalid_dependency = false;
  else
    return invalid(s, "yes, no");
  return {};
}
void show_kill_on_invalid(const JobSpec& spec, OptionWords& words) {
  if (spec.kill_on_invalid_dependency) words.value(*spec.kill_on_invalid_dependency ? "yes" : "no");
}

Result<void> set_licenses(const OptionSetting& s) {
  auto list = parse_licenses(s.text);
  if (!list) return refused_by_controller("Invalid license specification", list.error());
  s.spec().licenses = std::move(list->licenses);
  s.spec().any_license = list->any;
  return {};
}
void show_licenses(const JobSpec& spec, OptionWords& words) {
  words.value(format_licenses({spec.licenses, spec.any_license}));
}

Result<void> set_mail_type(const OptionSetting& s) {
  TRY(std::string types, parse_mail_types(s.text));
  for (const std::string& word : mail_types_without_effect(types))
    s.request().warnings.push_back(fmt::format("--mail-type={} has no effect here", word));
  set_variable(s.spec().launch.environment, kMailTypeVariable, std::move(types));
  return {};
}
Result<void> set_mail_user(const OptionSetting& s) {
  set_variable(s.spec().launch.environment, kMailUserVariable, s.text);
  return {};
}

void show_memory(const JobSpec& spec, OptionWords& words) {
  if (spec.memory) words.word(format_memory_option(*spec.memory));
}

Result<void> set_nice(const OptionSetting& s) {
  // Without a value 100, as the manual says; what stands behind the digits is not looked at.
  const std::int64_t nice = s.text.empty() ? 100 : leading_number(s.text);
  if (std::abs(nice) > 2147483645)
    return bad_input("Invalid --nice value, out of range (+/- 2147483645)");
  s.spec().nice = nice;
  return {};
}
void show_nice(const JobSpec& spec, OptionWords& words) {
  if (spec.nice != 0) words.value(std::to_string(spec.nice));
}

// "2:8:1": sockets, cores of each and threads of each core; "*" is any number.
Result<void> set_node_info(const OptionSetting& s) {
  std::optional<std::int32_t>* const parts[] = {
      &s.spec().min_sockets, &s.spec().min_cores_per_socket, &s.spec().threads_per_core};
  const auto words = split(s.text, ':');
  if (words.empty() || words.size() > std::size(parts))
    return invalid(s, "SOCKETS[:CORES[:THREADS]]");
  static constexpr std::array<std::string_view, 3> kPlaces = {"first", "second", "third"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "*") continue;
    const auto number = whole_number(words[i]);
    if (!number || *number < 1 || *number > std::numeric_limits<std::int32_t>::max())
      return bad_input(
          fmt::format("Invalid numeric value \"{}\" for {} arg of -B.", words[i], kPlaces[i]),
          "write SOCKETS[:CORES[:THREADS]], each a number from 1 on or *");
    *parts[i] = static_cast<std::int32_t>(*number);
  }
  s.settings.cores_named = true;
  return {};
}

// The number of tasks follows when all is read.
Result<void> set_tasks_per_gpu(const OptionSetting& s) {
  const auto number = whole_number(s.text);
  if (!number || *number < 1 || *number > std::numeric_limits<std::int32_t>::max())
    return bad_input(fmt::format("Invalid numeric value \"{}\" for --{}.", s.text, s.name()),
                     "a number from 1 on");
  s.settings.tasks_per_gpu = static_cast<std::int32_t>(*number);
  set_variable(s.spec().launch.environment, "SLURM_NTASKS_PER_GPU", std::string(s.text));
  return {};
}

// Hints that bound the threads of a core; the others change nothing of what a job is given.
Result<void> set_hint(const OptionSetting& s) {
  TRY_VOID(check_ignored_value(s.name(), s.text));
  for (std::string_view word : split(s.text, ',')) {
    if (same_ignoring_case(word, "multithread")) continue;
    s.spec().threads_per_core = 1;
    if (same_ignoring_case(word, "memory_bound")) s.spec().min_cores_per_socket = 1;
  }
  return {};
}

template <bool kValue>
constexpr SbatchEffect requeue = {[](const OptionSetting& s) -> Result<void> {
                                    s.spec().requeue = kValue;
                                    return {};
                                  },
                                  [](const JobSpec& spec, OptionWords& words) {
                                    if (spec.requeue == kValue) words.flag();
                                  }};

Result<void> set_nodes(const OptionSetting& s) {
  TRY(const NodeCount count, parse_node_count(s.text));
  s.spec().min_nodes = count.least;
  s.spec().max_nodes = count.most;
  return {};
}
void show_nodes(const JobSpec& spec, OptionWords& words) {
  if (spec.min_nodes)
    words.value(format_node_count({*spec.min_nodes, spec.max_nodes.value_or(*spec.min_nodes)}));
}

Result<void> set_open_mode(const OptionSetting& s) {
  if (s.text == "a" || s.text == "append")
    s.spec().launch.open_mode = OpenMode::kAppend;
  else if (s.text == "t" || s.text == "truncate")
    s.spec().launch.open_mode = OpenMode::kTruncate;
  else
    return invalid(s, "append, truncate");
  return {};
}

Result<void> set_partitions(const OptionSetting& s) {
  s.spec().partitions.clear();
  for (std::string_view name : split(s.text, ','))
    if (!name.empty()) s.spec().partitions.emplace_back(name);
  return {};
}
void show_partitions(const JobSpec& spec, OptionWords& words) {
  words.value(fmt::format("{}", fmt::join(spec.partitions, ",")));
}

Result<void> set_priority(const OptionSetting& s) {
  // The largest that is not one of Slurm's marks for "none" and "infinite".
  constexpr std::int64_t kTop = 4294967293;
  const auto priority =
      same_ignoring_case(s.text, "TOP") ? kTop : whole_number(s.text).value_or(-1);
  if (priority < 0 || priority > kTop) return invalid(s, "TOP and 0 to 4294967293");
  // Priority zero is how Slurm writes "held".
  if (priority == 0)
    s.spec().hold = true;
  else
    s.spec().priority = priority;
  return {};
}
void show_priority(const JobSpec& spec, OptionWords& words) {
  if (spec.priority) words.value(std::to_string(*spec.priority));
}

Result<void> set_signal(const OptionSetting& s) {
  const auto option = parse_signal_option(s.text);
  if (!option) return invalid(s, option.error());
  s.spec().launch.signal = option->signal;
  s.request().into_reservation = option->into_reservation;
  return {};
}

// 1 or 1@10:00: with how long to wait for so few.
Result<void> set_switches(const OptionSetting& s) {
  TRY(const AskedSwitches asked, parse_switches(s.text));
  s.spec().max_switches = asked.most;
  s.spec().switch_wait = asked.wait;
  return {};
}
void show_switches(const JobSpec& spec, OptionWords& words) {
  if (!spec.max_switches) return;
  words.value(fmt::format("{}{}", *spec.max_switches,
                          spec.switch_wait ? "@" + format_duration(*spec.switch_wait) : ""));
}

Result<void> set_time(const OptionSetting& s) {
  const auto limit = parse_job_time_limit(s.text);
  if (!limit) return invalid(s, limit.error());
  s.spec().time_limit = limit->duration;
  s.spec().no_time_limit = limit->unlimited();
  return {};
}
void show_time(const JobSpec& spec, OptionWords& words) {
  if (spec.no_time_limit) words.value("UNLIMITED");
  if (spec.time_limit) words.value(format_duration(*spec.time_limit));
}

Result<void> set_time_min(const OptionSetting& s) {
  const auto limit = parse_job_time_limit(s.text);
  if (!limit) return invalid(s, limit.error());
  s.spec().time_min = limit->duration;
  return {};
}
void show_time_min(const JobSpec& spec, OptionWords& words) {
  if (spec.time_min) words.value(format_duration(*spec.time_min));
}

Result<void> set_verbose(const OptionSetting& s) {
  ++s.request().verbosity;
  return {};
}

// read_sbatch_arguments has dealt with these.
constexpr SbatchEffect kReadBefore = {[](const OptionSetting&) -> Result<void> { return {}; }};
// What it asks for is so anyway.
constexpr SbatchEffect kAlreadySo = kReadBefore;
// Valid, and without effect here: taken with a warning.
constexpr SbatchEffect kIgnored = {
    [](const OptionSetting& s) { return set_ignored_option(s.request(), s.name(), s.text); }};
// Valid, but ignoring it would run something else than was asked for.
constexpr SbatchEffect kRefused = {[](const OptionSetting& s) -> Result<void> {
  return bad_input(fmt::format("--{} is not supported", s.name()), std::string(s.row.instead));
}};

using enum OptionArgument;
using Settings = SbatchSettings;

// clang-format off
constexpr std::array<SbatchOptionRow, 106> kRows = {{
    {{"account", 'A', kRequired}, text<&JobSpec::account>, "SBATCH_ACCOUNT"},
    {{"acctg-freq", '\0', kRequired}, kIgnored, "SBATCH_ACCTG_FREQ"},
    {{"array", 'a', kRequired}, {set_array, show_array}, "SBATCH_ARRAY_INX"},
    {{"batch", '\0', kRequired}, kIgnored, "SBATCH_BATCH"},
    {{"bb", '\0', kRequired}, kIgnored, "SBATCH_BURST_BUFFER"},
    {{"bbf", '\0', kRequired}, kIgnored},
    {{"begin", 'b', kRequired}, time_of_day<&JobSpec::begin>},
    {{"chdir", 'D', kRequired}, text<&Launch::working_directory>},
    {{"cluster", '\0', kRequired}, text<&SbatchRequest::clusters>},
    {{"cluster-constraint", '\0', kRequired}, kIgnored, "SBATCH_CLUSTER_CONSTRAINT"},
    {{"clusters", 'M', kRequired}, text<&SbatchRequest::clusters>, "SBATCH_CLUSTERS", "SLURM_CLUSTERS"},
    {{"comment", '\0', kRequired}, text<&JobSpec::comment>},
    {{"constraint", 'C', kRequired}, features<&JobSpec::constraint, parse_constraint>, "SBATCH_CONSTRAINT"},
    {{"container", '\0', kRequired}, kRefused, "SBATCH_CONTAINER", "", "run the container from the script"},
    {{"context", '\0', kRequired}, kIgnored},
    {{"contiguous", '\0', kNone}, flag<&JobSpec::contiguous>},
    {{"core-spec", 'S', kRequired}, kIgnored, "SBATCH_CORE_SPEC"},
    {{"cores-per-socket", '\0', kRequired}, count<&JobSpec::min_cores_per_socket>},
    {{"cpu-freq", '\0', kRequired}, kIgnored, "SBATCH_CPU_FREQ_REQ"},
    {{"cpus-per-gpu", '\0', kRequired}, count<&JobSpec::cpus_per_gpu>, "SBATCH_CPUS_PER_GPU"},
    {{"cpus-per-task", 'c', kRequired}, count<&JobSpec::cpus_per_task>},
    {{"deadline", '\0', kRequired}, time_of_day<&JobSpec::deadline>},
    {{"delay-boot", '\0', kRequired}, kIgnored, "SBATCH_DELAY_BOOT"},
    {{"dependency", 'd', kRequired}, {set_dependency, show_dependency}},
    {{"distribution", 'm', kRequired}, kIgnored, "SBATCH_DISTRIBUTION"},
    {{"error", 'e', kRequired}, {set_file<&Launch::stderr_path>}, "SBATCH_ERROR"},
    {{"exclude", 'x', kRequired}, nodelist<&JobSpec::exclude_nodes>},
    {{"exclusive", '\0', kOptional}, {set_exclusive, show_exclusive}, "SBATCH_EXCLUSIVE"},
    {{"export", '\0', kRequired}, {set_export}, "SBATCH_EXPORT"},
    {{"export-file", '\0', kRequired}, text<&SbatchRequest::export_file>},
    {{"extra-node-info", 'B', kRequired}, {set_node_info}},
    {{"get-user-env", '\0', kOptional}, {set_user_environment}, "SBATCH_GET_USER_ENV"},
    {{"gid", '\0', kRequired}, kRefused, "", "", "submit as that user"},
    {{"gpu-bind", '\0', kRequired}, kIgnored, "SBATCH_GPU_BIND"},
    {{"gpu-freq", '\0', kRequired}, kIgnored, "SBATCH_GPU_FREQ"},
    {{"gpus", 'G', kRequired}, gpus<&Settings::gpus, GpusPer::kJob>, "SBATCH_GPUS"},
    {{"gpus-per-node", '\0', kRequired}, {set_gpus_per_node}, "SBATCH_GPUS_PER_NODE"},
    {{"gpus-per-socket", '\0', kRequired}, gpus<&Settings::gpus_per_socket, GpusPer::kSocket>, "SBATCH_GPUS_PER_SOCKET"},
    {{"gpus-per-task", '\0', kRequired}, gpus<&Settings::gpus_per_task, GpusPer::kTask>, "SBATCH_GPUS_PER_TASK"},
    {{"gres", '\0', kRequired}, {set_gres, show_gres}, "SBATCH_GRES"},
    {{"gres-flags", '\0', kRequired}, kIgnored, "SBATCH_GRES_FLAGS"},
    {{"help", 'h', kNone}, kReadBefore},
    {{"hint", '\0', kRequired}, {set_hint}, "SBATCH_HINT", "SLURM_HINT"},
    {{"hold", 'H', kNone}, flag<&JobSpec::hold>},
    {{"ignore-pbs", '\0', kNone}, kAlreadySo, "SBATCH_IGNORE_PBS"},
    {{"input", 'i', kRequired}, {set_file<&Launch::stdin_path>}, "SBATCH_INPUT"},
    {{"job-name", 'J', kRequired}, {set_name, show_name}, "SBATCH_JOB_NAME"},
    {{"kill-on-invalid-dep", '\0', kRequired}, {set_kill_on_invalid, show_kill_on_invalid}},
    {{"licenses", 'L', kRequired}, {set_licenses, show_licenses}},
    {{"mail-type", '\0', kRequired}, {set_mail_type}},
    {{"mail-user", '\0', kRequired}, {set_mail_user}},
    {{"mcs-label", '\0', kRequired}, kIgnored},
    {{"mem", '\0', kRequired}, {set_memory<&Settings::mem>, show_memory}, "SBATCH_MEM_PER_NODE"},
    {{"mem-bind", '\0', kRequired}, kIgnored, "SBATCH_MEM_BIND"},
    {{"mem-per-cpu", '\0', kRequired}, {set_memory<&Settings::mem_per_cpu>}, "SBATCH_MEM_PER_CPU"},
    {{"mem-per-gpu", '\0', kRequired}, {set_memory<&Settings::mem_per_gpu>}, "SBATCH_MEM_PER_GPU"},
    {{"mincpus", '\0', kRequired}, count<&JobSpec::min_cpus_per_node>},
    {{"network", '\0', kRequired}, kIgnored, "SBATCH_NETWORK"},
    {{"nice", '\0', kOptional}, {set_nice, show_nice}},
    {{"no-kill", 'k', kOptional}, kIgnored, "SBATCH_NO_KILL"},
    {{"no-requeue", '\0', kNone}, requeue<false>, "SBATCH_NO_REQUEUE"},
    {{"nodefile", 'F', kRequired}, kRefused, "", "", "name the nodes: --nodelist=$(paste -sd, FILE)"},
    {{"nodelist", 'w', kRequired}, nodelist<&JobSpec::require_nodes>},
    {{"nodes", 'N', kRequired}, {set_nodes, show_nodes}},
    {{"ntasks", 'n', kRequired}, count<&JobSpec::tasks>},
    {{"ntasks-per-core", '\0', kRequired}, count<&JobSpec::tasks_per_core>},
    {{"ntasks-per-gpu", '\0', kRequired}, {set_tasks_per_gpu}},
    {{"ntasks-per-node", '\0', kRequired}, count<&JobSpec::tasks_per_node>},
    {{"ntasks-per-socket", '\0', kRequired}, count<&JobSpec::tasks_per_socket>},
    {{"ntasks-per-tres", '\0', kRequired}, {set_tasks_per_gpu}},
    {{"open-mode", '\0', kRequired}, {set_open_mode}, "SBATCH_OPEN_MODE"},
    {{"output", 'o', kRequired}, {set_file<&Launch::stdout_path>}, "SBATCH_OUTPUT"},
    {{"overcommit", 'O', kNone}, flag<&JobSpec::overcommit>, "SBATCH_OVERCOMMIT"},
    {{"oversubscribe", 's', kNone}, {set_oversubscribe, show_oversubscribe}},
    {{"parsable", '\0', kNone}, flag<&SbatchRequest::parsable>},
    {{"partition", 'p', kRequired}, {set_partitions, show_partitions}, "SBATCH_PARTITION"},
    {{"power", '\0', kRequired}, kIgnored, "SBATCH_POWER"},
    {{"prefer", '\0', kRequired}, features<&JobSpec::prefer, parse_preference>},
    {{"priority", '\0', kRequired}, {set_priority, show_priority}},
    {{"profile", '\0', kRequired}, kIgnored, "SBATCH_PROFILE"},
    {{"propagate", '\0', kOptional}, kIgnored},
    {{"qos", 'q', kRequired}, text<&JobSpec::qos>, "SBATCH_QOS"},
    {{"quiet", 'Q', kNone}, flag<&SbatchRequest::quiet>},
    {{"reboot", '\0', kNone}, kIgnored},
    {{"requeue", '\0', kNone}, requeue<true>, "SBATCH_REQUEUE"},
    {{"reservation", '\0', kRequired}, text<&JobSpec::reservation>, "SBATCH_RESERVATION"},
    {{"signal", '\0', kRequired}, {set_signal}, "SBATCH_SIGNAL"},
    {{"sockets-per-node", '\0', kRequired}, count<&JobSpec::min_sockets>},
    {{"spread-job", '\0', kNone}, flag<&JobSpec::spread>, "SBATCH_SPREAD_JOB"},
    {{"switches", '\0', kRequired}, {set_switches, show_switches}, "SBATCH_REQ_SWITCH"},
    {{"tasks-per-node", '\0', kRequired}, {set_count<&JobSpec::tasks_per_node>}},
    {{"test-only", '\0', kNone}, flag<&SbatchRequest::test_only>},
    {{"thread-spec", '\0', kRequired}, kIgnored, "SBATCH_THREAD_SPEC"},
    {{"threads-per-core", '\0', kRequired}, count<&JobSpec::threads_per_core>, "SBATCH_THREADS_PER_CORE"},
    {{"time", 't', kRequired}, {set_time, show_time}, "SBATCH_TIMELIMIT"},
    {{"time-min", '\0', kRequired}, {set_time_min, show_time_min}},
    {{"tmp", '\0', kRequired}, kIgnored},
    {{"uid", '\0', kRequired}, kRefused, "", "", "submit as that user"},
    {{"usage", '\0', kNone}, kReadBefore},
    {{"use-min-nodes", '\0', kNone}, flag<&JobSpec::use_min_nodes>, "SBATCH_USE_MIN_NODES"},
    {{"verbose", 'v', kNone}, {set_verbose}, "SBATCH_DEBUG"},
    {{"version", 'V', kNone}, kReadBefore},
    {{"wait", 'W', kNone}, flag<&SbatchRequest::wait>, "SBATCH_WAIT"},
    {{"wait-all-nodes", '\0', kRequired}, kIgnored, "SBATCH_WAIT_ALL_NODES"},
    {{"wckey", '\0', kRequired}, text<&JobSpec::wckey>, "SBATCH_WCKEY"},
    {{"wrap", '\0', kRequired}, kReadBefore},
}};
// clang-format on

constexpr auto shapes_of_rows() {
  std::array<OptionShape, kRows.size()> shapes;
  for (std::size_t i = 0; i < kRows.size(); ++i) shapes[i] = kRows[i].shape;
  return shapes;
}
constexpr auto kShapes = shapes_of_rows();

}  // namespace

void OptionWords::value(const std::string& value) {
  if (!value.empty()) out_.push_back(fmt::format("--{}={}", name_, value));
}
void OptionWords::flag() { out_.push_back(fmt::format("--{}", name_)); }

std::span<const SbatchOptionRow> sbatch_options() { return kRows; }
std::span<const OptionShape> sbatch_option_shapes() { return kShapes; }

Result<void> set_option(SbatchSettings& settings, const SbatchOptionRow& row,
                        const std::optional<std::string>& value, const SbatchContext& context) {
  return row.effect.set({settings, row, value ? *value : std::string(), context});
}

}  // namespace sluice
