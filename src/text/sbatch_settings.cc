// What each option of sbatch does to the request.
#include "text/sbatch_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "text/array_spec.h"
#include "text/constraint.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/licenses.h"
#include "text/mail_types.h"
#include "text/memory.h"
#include "text/node_count.h"
#include "text/scan.h"
#include "text/signal.h"

namespace sluice {
namespace {

// "Invalid --time specification" and, below it, what the notation's own reader had to say.
tl::unexpected<Error> invalid(std::string_view name, const Error& why) {
  return bad_input(fmt::format("Invalid --{} specification", name), why.text());
}

tl::unexpected<Error> invalid(std::string_view name, std::string_view value,
                              std::string_view allowed) {
  return bad_input(fmt::format("Invalid --{} specification", name),
                   fmt::format("{} is not one of {}", quoted(value), allowed));
}

// Slurm's controller, not sbatch, refuses these; the words are those sbatch then prints.
tl::unexpected<Error> refused_by_controller(std::string_view words, const Error& why) {
  return bad_input(fmt::format("Batch job submission failed: {}", words), why.text());
}

template <class T, class Slot>
Result<void> store(Result<T> value, Slot& slot, std::string_view name) {
  if (!value) return invalid(name, value.error());
  slot = *std::move(value);
  return {};
}

Result<void> set_count(std::optional<std::int32_t>& slot, std::string_view name,
                       std::string_view text) {
  const auto count = whole_number(text);
  if (!count || *count < 1 || *count > std::numeric_limits<std::int32_t>::max())
    return bad_input(fmt::format("Invalid numeric value \"{}\" for --{}.", text, name),
                     "write a whole number from 1 on");
  slot = static_cast<std::int32_t>(*count);
  return {};
}

Result<void> set_time_limit(JobSpec& spec, std::string_view name, std::string_view text) {
  const auto limit = parse_job_time_limit(text);
  if (!limit) return invalid(name, limit.error());
  spec.time_limit = limit->duration;
  spec.no_time_limit = limit->unlimited();
  return {};
}

Result<void> set_nodelist(std::vector<std::string>& slot, std::string_view name,
                          std::string_view text) {
  if (text.find('/') != std::string_view::npos)
    return bad_input(fmt::format("Invalid --{} specification", name),
                     fmt::format("{} is a file: name the nodes, --{}=$(paste -sd, {})",
                                 quoted(text), name, text));
  auto hosts = expand_hostlist(text);
  if (!hosts) return refused_by_controller("Invalid node name specified", hosts.error());
  slot = *std::move(hosts);
  return {};
}

Result<void> set_nice(JobSpec& spec, std::string_view name, const std::string& text) {
  // Without a value 100, as the manual says.
  const auto nice = text.empty() ? std::optional<std::int64_t>(100) : signed_number(text);
  if (!nice) return invalid(name, text, "the whole numbers between -2147483645 and 2147483645");
  if (std::abs(*nice) > 2147483645)
    return bad_input("Invalid --nice value, out of range (+/- 2147483645)");
  spec.nice = *nice;
  return {};
}

// The time to wait and S or L for the kind of shell, of which we need neither.
Result<void> set_user_environment(SbatchRequest& request, std::string_view name,
                                  std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty() && is_digit(rest.front())) rest.remove_prefix(1);
  if (!rest.empty() && rest != "S" && rest != "L" && rest != "s" && rest != "l")
    return invalid(name, text, "a number of seconds, S, L");
  request.get_user_env = true;
  request.warnings.emplace_back("--get-user-env has no effect here");
  return {};
}

Result<void> set_priority(JobSpec& spec, std::string_view name, std::string_view text) {
  // The largest that is not one of Slurm's marks for "none" and "infinite".
  constexpr std::int64_t kTop = 4294967293;
  const auto priority = same_ignoring_case(text, "TOP") ? kTop : whole_number(text).value_or(-1);
  if (priority < 0 || priority > kTop) return invalid(name, text, "TOP and 0 to 4294967293");
  // Priority zero is how Slurm writes "held".
  if (priority == 0)
    spec.hold = true;
  else
    spec.priority = priority;
  return {};
}

Result<void> set_sharing(JobSpec& spec, std::string_view name, const std::string& text) {
  if (text.empty())
    spec.sharing = NodeSharing::kExclusive;
  else if (same_ignoring_case(text, "user"))
    spec.sharing = NodeSharing::kUser;
  else
    return invalid(name, text, "user");
  return {};
}

Result<void> set_open_mode(JobSpec& spec, std::string_view name, std::string_view text) {
  if (text == "a" || text == "append")
    spec.launch.open_mode = OpenMode::kAppend;
  else if (text == "t" || text == "truncate")
    spec.launch.open_mode = OpenMode::kTruncate;
  else
    return invalid(name, text, "append, truncate");
  return {};
}

Result<void> set_kill_on_invalid(JobSpec& spec, std::string_view name, std::string_view text) {
  if (same_ignoring_case(text, "yes"))
    spec.kill_on_invalid_dependency = true;
  else if (same_ignoring_case(text, "no"))
    spec.kill_on_invalid_dependency = false;
  else
    return invalid(name, text, "yes, no");
  return {};
}

Result<void> set_licenses(JobSpec& spec, std::string_view text) {
  auto list = parse_licenses(text);
  if (!list) return refused_by_controller("Invalid license specification", list.error());
  spec.licenses = std::move(list->licenses);
  spec.any_license = list->any;
  return {};
}

Result<void> set_array(JobSpec& spec, std::string_view text) {
  if (text.empty()) {
    spec.array.reset();
    return {};
  }
  auto array = parse_array_spec(text);
  if (!array) return refused_by_controller("Invalid job array specification", array.error());
  spec.array = *std::move(array);
  return {};
}

Result<void> set_nodes(JobSpec& spec, std::string_view text) {
  TRY(const NodeCount count, parse_node_count(text));
  spec.min_nodes = count.least;
  spec.max_nodes = count.most;
  return {};
}

void set_partitions(JobSpec& spec, std::string_view text) {
  spec.partitions.clear();
  for (std::string_view name : split(text, ','))
    if (!name.empty()) spec.partitions.emplace_back(name);
}

Result<void> set_signal(SbatchRequest& request, std::string_view name, std::string_view text) {
  const auto option = parse_signal_option(text);
  if (!option) return invalid(name, option.error());
  request.spec.launch.signal = option->signal;
  request.into_reservation = option->into_reservation;
  return {};
}

Result<void> set_gpus(std::vector<GpuRequest>& slot, Result<std::vector<GpuRequest>> value) {
  if (value) {
    slot = *std::move(value);
    return {};
  }
  // sbatch says this one itself; where types are mixed it says so instead.
  if (value.error().what.starts_with("Invalid GRES")) return tl::unexpected<Error>(value.error());
  return bad_input("Invalid generic resource (gres) specification", value.error().text());
}

}  // namespace

Result<void> set_option(SbatchSettings& settings, const SbatchOptionRow& row,
                        const std::optional<std::string>& value, const SbatchContext& context) {
  SbatchRequest& request = settings.request;
  JobSpec& spec = request.spec;
  const std::string& text = value ? *value : std::string();
  const std::string_view name = row.shape.name;
  switch (row.option) {
    case SbatchOption::kAccount:
      spec.account = text;
      return {};
    case SbatchOption::kArray:
      return set_array(spec, text);
    case SbatchOption::kBegin:
      return store(parse_begin_time(text, context.now, context.offset()), spec.begin, name);
    case SbatchOption::kChdir:
      spec.launch.working_directory = text;
      return {};
    case SbatchOption::kClusters:
      request.clusters = text;
      return {};
    case SbatchOption::kComment:
      spec.comment = text;
      return {};
    case SbatchOption::kConstraint: {
      auto constraint = parse_constraint(text);
      if (!constraint)
        return refused_by_controller("Invalid feature specification", constraint.error());
      spec.constraint = *std::move(constraint);
      return {};
    }
    case SbatchOption::kCpusPerGpu:
      return set_count(spec.cpus_per_gpu, name, text);
    case SbatchOption::kCpusPerTask:
      return set_count(spec.cpus_per_task, name, text);
    case SbatchOption::kDeadline:
      return store(parse_begin_time(text, context.now, context.offset()), spec.deadline, name);
    case SbatchOption::kDependency: {
      auto dependencies = parse_dependencies(text);
      if (!dependencies)
        return refused_by_controller("Job dependency problem", dependencies.error());
      spec.dependencies = *std::move(dependencies);
      return {};
    }
    case SbatchOption::kError:
      spec.launch.stderr_path = text;
      return {};
    case SbatchOption::kExclude:
      return set_nodelist(spec.exclude_nodes, name, text);
    case SbatchOption::kExclusive:
      return set_sharing(spec, name, text);
    case SbatchOption::kExport:
      std::erase_if(spec.launch.environment, [](const EnvironmentVariable& variable) {
        return variable.name == "SLURM_EXPORT_ENV";
      });
      if (!same_ignoring_case(text, "ALL"))
        set_variable(spec.launch.environment, "SLURM_EXPORT_ENV", std::string(text));
      return store(parse_export(text), request.environment, name);
    case SbatchOption::kExportFile:
      request.export_file = text;
      return {};
    case SbatchOption::kGetUserEnv:
      return set_user_environment(request, name, text);
    case SbatchOption::kGpus:
      return set_gpus(settings.gpus, text.empty() ? Result<std::vector<GpuRequest>>()
                                                  : parse_gpus(text, GpusPer::kJob));
    case SbatchOption::kGpusPerNode:
      set_variable(spec.launch.environment, "SLURM_GPUS_PER_NODE", std::string(text));
      return set_gpus(settings.gpus_per_node, parse_gpus(text, GpusPer::kNode));
    case SbatchOption::kGpusPerSocket:
      return set_gpus(settings.gpus_per_socket, parse_gpus(text, GpusPer::kSocket));
    case SbatchOption::kGpusPerTask:
      return set_gpus(settings.gpus_per_task, parse_gpus(text, GpusPer::kTask));
    case SbatchOption::kGres:
      return set_gpus(settings.gres, parse_gres(text));
    case SbatchOption::kHold:
      spec.hold = true;
      return {};
    case SbatchOption::kInput:
      spec.launch.stdin_path = text;
      return {};
    case SbatchOption::kJobName:
      settings.name = text;
      return {};
    case SbatchOption::kKillOnInvalidDep:
      return set_kill_on_invalid(spec, name, text);
    case SbatchOption::kLicenses:
      return set_licenses(spec, text);
    case SbatchOption::kMailType: {
      TRY(std::string types, parse_mail_types(text));
      for (const std::string& word : mail_types_without_effect(types))
        request.warnings.push_back(fmt::format("--mail-type={} has no effect here", word));
      set_variable(spec.launch.environment, kMailTypeVariable, std::move(types));
      return {};
    }
    case SbatchOption::kMailUser:
      set_variable(spec.launch.environment, kMailUserVariable, std::string(text));
      return {};
    case SbatchOption::kMem:
      return store(parse_memory_mb(text), settings.mem, name);
    case SbatchOption::kMemPerCpu:
      return store(parse_memory_mb(text), settings.mem_per_cpu, name);
    case SbatchOption::kMemPerGpu:
      return store(parse_memory_mb(text), settings.mem_per_gpu, name);
    case SbatchOption::kNice:
      return set_nice(spec, name, text);
    case SbatchOption::kNoRequeue:
      spec.requeue = false;
      return {};
    case SbatchOption::kNodelist:
      return set_nodelist(spec.require_nodes, name, text);
    case SbatchOption::kNodes:
      return set_nodes(spec, text);
    case SbatchOption::kNtasks:
      return set_count(spec.tasks, name, text);
    case SbatchOption::kNtasksPerNode:
      return set_count(spec.tasks_per_node, name, text);
    case SbatchOption::kOpenMode:
      return set_open_mode(spec, name, text);
    case SbatchOption::kOutput:
      spec.launch.stdout_path = text;
      return {};
    case SbatchOption::kOversubscribe:
      spec.sharing = NodeSharing::kOversubscribe;
      return {};
    case SbatchOption::kParsable:
      request.parsable = true;
      return {};
    case SbatchOption::kPartition:
      set_partitions(spec, text);
      return {};
    case SbatchOption::kPriority:
      return set_priority(spec, name, text);
    case SbatchOption::kQos:
      spec.qos = text;
      return {};
    case SbatchOption::kQuiet:
      request.quiet = true;
      return {};
    case SbatchOption::kRequeue:
      spec.requeue = true;
      return {};
    case SbatchOption::kReservation:
      spec.reservation = text;
      return {};
    case SbatchOption::kSignal:
      return set_signal(request, name, text);
    case SbatchOption::kTestOnly:
      request.test_only = true;
      return {};
    case SbatchOption::kTime:
      return set_time_limit(spec, name, text);
    case SbatchOption::kTimeMin: {
      const auto limit = parse_job_time_limit(text);
      if (!limit) return invalid(name, limit.error());
      spec.time_min = limit->duration;
      return {};
    }
    case SbatchOption::kVerbose:
      ++request.verbosity;
      return {};
    case SbatchOption::kWait:
      request.wait = true;
      return {};
    case SbatchOption::kWckey:
      spec.wckey = text;
      return {};
    case SbatchOption::kHelp:
    case SbatchOption::kUsage:
    case SbatchOption::kVersion:
    case SbatchOption::kWrap:
      return {};  // read_sbatch_arguments has dealt with these.
    case SbatchOption::kIgnored:
      return set_ignored_option(request, name, text);
    case SbatchOption::kAlreadySo:
      return {};
    case SbatchOption::kRefused:
      return bad_input(fmt::format("--{} is not supported", name), std::string(row.instead));
  }
  CHECK(false, "every option has its effect");
  return {};
}

}  // namespace sluice
