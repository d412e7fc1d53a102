#include "shims/srun_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "shims/submission_words.h"
#include "text/duration.h"
#include "text/export_mode.h"
#include "text/gpus.h"
#include "text/memory.h"
#include "text/sbatch_option_table.h"
#include "text/scan.h"

namespace sluice {
namespace {

using enum OptionArgument;

// clang-format off
constexpr OptionShape kOwn[] = {
    {"accel-bind", '\0', kRequired}, {"bcast", '\0', kOptional}, {"compress", '\0', kOptional}, {"cpu-bind", '\0', kRequired}, {"cpu_bind", '\0', kRequired},
    {"disable-status", 'X', kNone}, {"epilog", '\0', kRequired}, {"exact", '\0', kNone}, {"het-group", '\0', kRequired}, {"immediate", 'I', kOptional},
    {"interactive", '\0', kNone}, {"jobid", '\0', kRequired}, {"kill-on-bad-exit", 'K', kOptional}, {"label", 'l', kNone}, {"launch-cmd", '\0', kNone},
    {"mpi", '\0', kRequired}, {"msg-timeout", '\0', kRequired}, {"multi-prog", '\0', kNone}, {"no-allocate", 'Z', kNone}, {"no-shell", '\0', kNone}, {"overlap", '\0', kNone},
    {"preserve-env", 'E', kNone}, {"prolog", '\0', kRequired}, {"pty", '\0', kOptional}, {"relative", 'r', kRequired}, {"resv-ports", '\0', kOptional},
    {"slurmd-debug", '\0', kRequired}, {"task-epilog", '\0', kRequired}, {"task-prolog", '\0', kRequired}, {"threads", 'T', kRequired}, {"unbuffered", 'u', kNone},
    {"wait", 'W', kRequired}, {"whole", '\0', kNone},
};
// Only for batch scripts.
constexpr std::array<std::string_view, 11> kNotOurs = {"wait", "wrap", "parsable", "array", "ignore-pbs", "export-file",
                                                       "get-user-env", "requeue", "no-requeue", "batch", "wait-all-nodes"};
// What the step does itself; a job around it is not asked with them.
constexpr std::array<std::string_view, 7> kOfStep = {"output", "error", "input", "open-mode", "export", "chdir", "quiet"};
// clang-format on

// Of sbatch's and srun's alone: salloc starts no tasks.
constexpr std::string_view kNotOfSalloc[] = {"test-only", "input",  "output",   "error",
                                             "open-mode", "export", "propagate"};
// What salloc has besides. Nobody rings a bell, and its command ends by itself.
constexpr OptionShape kOfSalloc[] = {
    {"bell", '\0', kNone},    {"immediate", 'I', kOptional}, {"kill-command", 'K', kOptional},
    {"no-bell", '\0', kNone}, {"no-shell", '\0', kNone},     {"wait-all-nodes", '\0', kRequired},
};

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::span<const OptionShape> own_options(const ShimCall& call) {
  if (call.name == "srun") return kOwn;
  return kOfSalloc;
}

// Its own options stand behind those that sbatch has too.
std::vector<OptionShape> table_of(const ShimCall& call) {
  std::vector<OptionShape> out;
  for (const OptionShape& shape : sbatch_option_shapes())
    if (!is_among(shape.name, kNotOurs) &&
        (call.name == "srun" || !is_among(shape.name, kNotOfSalloc)))
      out.push_back(shape);
  const auto own = own_options(call);
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

// "ALL", "NONE", or variables: what the tasks get more than this process has.
bool read_export(ShimCall& call, const std::string& text, StepPlan& step) {
  const auto mode = parse_export(text);
  if (!mode) return call.error("Invalid --export specification"), false;
  step.clean_environment = mode->none;
  for (const ExportMode::Item& item : mode->items)
    if (!item.name.empty() && item.value) step.environment.push_back(item.name + "=" + *item.value);
  return true;
}

// The GPUs that a step wants for itself.
bool read_gpus(ShimCall& call, std::string_view name, const std::string& value, SrunOptions& out) {
  const bool per_node = name == "gres" || name == "gpus-per-node";
  if (!per_node && name != "gpus" && name != "gpus-per-task") return true;
  std::int64_t count = 0;
  if (to_lower(value) != "none") {
    const auto asked = name == "gres" ? parse_gres(value) : parse_gpus(value, GpusPer::kJob);
    if (!asked) return call.error(fmt::format("Invalid --{} specification", name)), false;
    for (const GpuRequest& each : *asked) count += each.count;
  }
  if (per_node) out.step.ask.gpus_per_node = count;
  if (name == "gpus") out.step.ask.gpus = count;
  if (name == "gpus-per-task" && count > 0) out.step.gpus_per_task = count;
  return true;
}

struct Variable {
  std::string_view name;  // Behind SLURM_ or SALLOC_.
  std::string_view option;
};
// What srun outside a job and salloc take from the environment.
constexpr Variable kOfJob[] = {
    {"ACCOUNT", "account"},
    {"CLUSTERS", "clusters"},
    {"CONSTRAINT", "constraint"},
    {"CPUS_PER_GPU", "cpus-per-gpu"},
    {"DEPENDENCY", "dependency"},
    {"EXCLUSIVE", "exclusive"},
    {"GPUS", "gpus"},
    {"GPUS_PER_NODE", "gpus-per-node"},
    {"GPUS_PER_TASK", "gpus-per-task"},
    {"GRES", "gres"},
    {"JOB_NAME", "job-name"},
    {"MEM_PER_CPU", "mem-per-cpu"},
    {"MEM_PER_GPU", "mem-per-gpu"},
    {"MEM_PER_NODE", "mem"},
    {"NTASKS", "ntasks"},
    {"NTASKS_PER_NODE", "ntasks-per-node"},
    {"NNODES", "nodes"},
    {"PARTITION", "partition"},
    {"QOS", "qos"},
    {"RESERVATION", "reservation"},
    {"SIGNAL", "signal"},
    {"TIMELIMIT", "time"},
    {"WCKEY", "wckey"},
};
// What a step takes, in a job too.
constexpr Variable kOfSteps[] = {
    {"EXACT", "exact"},
    {"EXCLUSIVE", "exclusive"},
    {"GPUS_PER_TASK", "gpus-per-task"},
    {"NTASKS_PER_NODE", "ntasks-per-node"},
    {"WAIT", "wait"},
    {"IMMEDIATE", "immediate"},
    {"KILL_BAD_EXIT", "kill-on-bad-exit"},
    {"LABELIO", "label"},
    {"MEM_PER_CPU", "mem-per-cpu"},
    {"MEM_PER_NODE", "mem"},
    {"OPEN_MODE", "open-mode"},
    {"OVERCOMMIT", "overcommit"},
    {"OVERLAP", "overlap"},
    {"REMOTE_CWD", "chdir"},
    {"STDERRMODE", "error"},
    {"STDINMODE", "input"},
    {"STDOUTMODE", "output"},
    {"TIMELIMIT", "time"},
    {"WORKING_DIR", "chdir"},
};

// Words in front of the command line's, which come later and so win.
std::vector<std::string> words_of_environment(const ShimCall& call,
                                              std::span<const OptionShape> table, bool inside) {
  const bool steps = call.name == "srun";
  std::vector<std::string> out;
  const auto add = [&](const std::string& name, std::string_view option) {
    const auto value = variable(name.c_str());
    const auto row = std::find_if(table.begin(), table.end(),
                                  [&](const OptionShape& shape) { return shape.name == option; });
    if (!value || row == table.end()) return;
    if (row->argument == kNone && *value == "0") return;
    const bool bare = row->argument == kNone || (row->argument == kOptional && value->empty());
    out.push_back(bare ? fmt::format("--{}", option) : fmt::format("--{}={}", option, *value));
  };
  if (!inside)
    for (const Variable& each : kOfJob)
      add(fmt::format("{}_{}", steps ? "SLURM" : "SALLOC", each.name), each.option);
  if (steps)
    for (const Variable& each : kOfSteps) add(fmt::format("SLURM_{}", each.name), each.option);
  if (steps) add("SRUN_CPUS_PER_TASK", "cpus-per-task");
  return out;
}

}  // namespace

std::optional<SrunOptions> read_srun_options(ShimCall& call, InJob in_job) {
  const std::vector<OptionShape> table = table_of(call);
  std::vector<std::string> words = words_of_environment(call, table, in_job == InJob::kYes);
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  const auto given = read_options(words, table);
  if (!given) {
    complain_of_options(call, given.error());
    return std::nullopt;
  }
  SrunOptions out;
  StepPlan& step = out.step;
  step.command = given->rest;
  if (!step.command.empty())
    step.name = step.command.front().substr(step.command.front().rfind('/') + 1);
  std::string job_name = step.name;
  for (const GivenOption& option : given->options) {
    const std::string_view name = table[option.row].name;
    const std::string value = option.value.value_or("");
    const auto number = whole_number(value);
    if (name == "help") out.help = true;
    if (name == "usage") out.usage = true;
    if (name == "version") out.version = true;
    if (name == "ntasks") {
      if (!number || *number < 1 || *number > 100'000)
        return call.error(fmt::format("Invalid numeric value \"{}\" for --ntasks.", value)),
               std::nullopt;
      step.tasks = static_cast<std::int32_t>(*number);
      out.tasks_given = true;
    }
    if (name == "nodes")
      if (const auto count = parse_node_count(value)) out.nodes = *count;
    if ((name == "ntasks-per-node" || name == "tasks-per-node") && number && *number > 0)
      out.tasks_per_node = *number;
    if (name == "exclude") out.exclude = value;
    if (name == "relative") out.relative = number.value_or(0);
    if (name == "distribution") {
      const std::string_view nodes_first =
          std::string_view(value).substr(0, value.find_first_of(":,"));
      if (nodes_first == "block") step.order = TaskOrder::kBlock;
      if (nodes_first == "cyclic") step.order = TaskOrder::kCyclic;
    }
    if (in_job == InJob::kYes && !read_gpus(call, name, value, out)) return std::nullopt;
    if (name == "wait" && number && *number > 0) step.wait = seconds(*number);
    if (name == "nodelist") out.nodelist = value;
    // To ask for CPUs of each task is to ask for these and no more.
    if (name == "cpus-per-task" && number) {
      step.cpus_per_task = static_cast<std::int32_t>(*number);
      out.exact = true;
    }
    if (name == "exact" || name == "exclusive") out.exact = true;
    if (name == "whole") out.exact = false;
    if (name == "overlap") out.overlap = true;
    if (name == "multi-prog") out.multi_prog = true;
    if (name == "jobid") {
      if (!number)
        return call.error(fmt::format("Invalid numeric value \"{}\" for --jobid.", value)),
               std::nullopt;
      out.job = value;
    }
    if (name == "mem" || name == "mem-per-cpu") {
      const auto mb = parse_memory_mb(value);
      if (!mb) return call.error(fmt::format("Invalid --{} specification", name)), std::nullopt;
      out.memory = MemoryRequest{name == "mem" ? MemoryPer::kNode : MemoryPer::kCpu, *mb};
    }
    if (name == "immediate") step.patience = seconds(option.value ? number.value_or(1) : 1);
    if (name == "output") step.out = value;
    if (name == "error") step.err = value;
    if (name == "input") step.in = value;
    if (name == "open-mode") step.append = value.starts_with('a') || value.starts_with('A');
    if (name == "label") step.label = true;
    if (name == "job-name") {
      step.name = value;
      step.named = true;
    }
    if (name == "chdir") step.folder = value;
    if (name == "quiet") step.quiet = true;
    if (name == "overcommit") out.overcommit = true;
    if (name == "kill-on-bad-exit") step.kill_on_bad_exit = value != "0";
    if (name == "export" && !read_export(call, value, step)) return std::nullopt;
    if (name == "time") {
      const auto limit = parse_job_time_limit(value);
      if (!limit) return call.error("Invalid --time specification"), std::nullopt;
      step.limit = limit->duration;
    }
    static constexpr std::string_view kUnused[] = {
        "no-allocate", "het-group", "bcast", "prolog", "epilog", "task-prolog", "task-epilog"};
    if (!call.attached && is_among(name, kUnused) && !take_unused(call, name)) return std::nullopt;
    if (option.row < table.size() - own_options(call).size() &&
        std::find(kOfStep.begin(), kOfStep.end(), name) == kOfStep.end())
      out.for_job.push_back(fmt::format("--{}", name) + (option.value ? "=" + value : ""));
    if (name == "chdir" || name == "export")
      out.for_job.push_back(fmt::format("--{}={}", name, value));
  }
  return out;
}

}  // namespace sluice
