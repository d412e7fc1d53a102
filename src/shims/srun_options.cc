#include "shims/srun_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shims/submission_words.h"
#include "text/duration.h"
#include "text/export_mode.h"
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

std::vector<OptionShape> table_of() {
  std::vector<OptionShape> out;
  for (const OptionShape& shape : sbatch_option_shapes())
    if (std::find(kNotOurs.begin(), kNotOurs.end(), shape.name) == kNotOurs.end())
      out.push_back(shape);
  out.insert(out.end(), std::begin(kOwn), std::end(kOwn));
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

}  // namespace

std::optional<SrunOptions> read_srun_options(ShimCall& call) {
  const std::vector<OptionShape> table = table_of();
  const auto given = read_options(call.arguments, table);
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
    if (name == "nodes") out.nodes = whole_number(value.substr(0, value.find('-')));
    if (name == "cpus-per-task" && number) step.cpus_per_task = static_cast<std::int32_t>(*number);
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
    static constexpr std::string_view kUnused[] = {"multi-prog", "no-allocate", "relative",
                                                   "het-group", "bcast"};
    if (std::find(std::begin(kUnused), std::end(kUnused), name) != std::end(kUnused) &&
        !take_unused(call, name))
      return std::nullopt;
    if (option.row < table.size() - std::size(kOwn) &&
        std::find(kOfStep.begin(), kOfStep.end(), name) == kOfStep.end())
      out.for_job.push_back(fmt::format("--{}", name) + (option.value ? "=" + value : ""));
    if (name == "chdir" || name == "export")
      out.for_job.push_back(fmt::format("--{}={}", name, value));
  }
  return out;
}

}  // namespace sluice
