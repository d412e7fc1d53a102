// Gathers the options of the script, the environment and the command line, in that order.
#include "text/sbatch_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/batch_script.h"
#include "text/gpus.h"
#include "text/sbatch_settings.h"
#include "text/scan.h"
#include "text/spelling.h"
#include "text/typed_duration.h"

namespace sluice {
namespace {

constexpr const char* kTry = "Try \"sbatch --help\" for more information";

Result<GivenOptions> read(std::span<const std::string> arguments,
                          std::span<const OptionShape> more = {}) {
  auto given = read_options(arguments, sbatch_option_shapes(), more);
  if (!given && given.error().hint.empty()) given.error().hint = kTry;
  return given;
}

// A slip of the finger, with the option that was probably meant: ours or sbatch's.
Error with_suggestion(Error error, std::span<const OptionShape> more) {
  error.hint = "for all options, type: sluice submit --help";
  constexpr std::string_view kUnknown = "unrecognized option '";
  if (!error.what.starts_with(kUnknown)) return error;
  std::string typed = error.what.substr(kUnknown.size());
  typed = typed.substr(0, typed.find_first_of("='"));
  std::vector<std::string> known;
  for (const OptionShape& shape : sbatch_option_shapes())
    known.push_back("--" + std::string(shape.name));
  for (const OptionShape& shape : more) known.push_back("--" + std::string(shape.name));
  error.what = fmt::format("unknown option {}", quoted(std::string_view(typed)));
  if (const auto meant = nearest_word(typed, known))
    error.what += fmt::format("; did you mean '{}'?", *meant);
  return error;
}

// The options that environment variables stand for, in the order of the table.
std::vector<GivenOption> options_of_environment(std::span<const EnvironmentVariable> environment) {
  std::vector<GivenOption> given;
  const auto rows = sbatch_options();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const SbatchOptionRow& option = rows[row];
    for (std::string_view name : {option.other_environment, option.environment}) {
      if (name.empty()) continue;
      for (const EnvironmentVariable& variable : environment) {
        if (variable.name != name) continue;
        if (option.shape.argument == OptionArgument::kNone) {
          // Set by "", "yes" or a number other than zero.
          const bool set = variable.value.empty() || same_ignoring_case(variable.value, "yes") ||
                           signed_number(variable.value).value_or(0) != 0;
          if (set) given.push_back({row, std::nullopt});
        } else if (option.shape.argument == OptionArgument::kOptional && variable.value.empty()) {
          given.push_back({row, std::nullopt});
        } else {
          given.push_back({row, variable.value});
        }
      }
    }
  }
  return given;
}

Result<void> set_all(SbatchSettings& settings, const std::vector<GivenOption>& options,
                     const SbatchContext& context) {
  for (const GivenOption& given : options)
    TRY_VOID(set_option(settings, sbatch_options()[given.row], given.value, context));
  return {};
}

bool asks_for_memory(const GivenOption& given) {
  const std::string_view name = sbatch_options()[given.row].shape.name;
  return name == "mem" || name == "mem-per-cpu" || name == "mem-per-gpu";
}

Result<void> settle_memory(SbatchSettings& settings) {
  const int ways =
      (settings.mem ? 1 : 0) + (settings.mem_per_cpu ? 1 : 0) + (settings.mem_per_gpu ? 1 : 0);
  if (ways > 1)
    return bad_input("--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.",
                     "leave one of them, on the command line or in the script");
  auto& memory = settings.request.spec.memory;
  if (settings.mem) memory = MemoryRequest{MemoryPer::kNode, *settings.mem};
  // Nothing for each CPU is everything, as --mem=0 is.
  if (settings.mem_per_cpu)
    memory = MemoryRequest{*settings.mem_per_cpu == 0 ? MemoryPer::kNode : MemoryPer::kCpu,
                           *settings.mem_per_cpu};
  if (settings.mem_per_gpu) memory = MemoryRequest{MemoryPer::kGpu, *settings.mem_per_gpu};
  return {};
}

std::int32_t tasks_bounded(std::int64_t tasks) {
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(tasks, std::numeric_limits<std::int32_t>::max()));
}

// So many tasks for each GPU, whatever --ntasks says: so does sbatch 22.05.
void settle_tasks_of_gpus(SbatchSettings& settings) {
  JobSpec& spec = settings.request.spec;
  std::int64_t gpus = 0;
  for (const GpuRequest& each : spec.gpus) {
    if (each.per == GpusPer::kJob) gpus += each.count;
    if (each.per == GpusPer::kNode) gpus += std::int64_t{each.count} * spec.min_nodes.value_or(1);
  }
  if (settings.tasks_per_gpu && gpus > 0)
    spec.tasks = tasks_bounded(std::min<std::int64_t>(gpus, 1 << 24) * *settings.tasks_per_gpu);
}

// -B 1:2 without a number of tasks: as many as it names cores and threads.
void settle_tasks_of_cores(SbatchSettings& settings) {
  JobSpec& spec = settings.request.spec;
  if (!settings.cores_named || spec.tasks) return;
  std::int64_t tasks = spec.min_nodes.value_or(1);
  for (const auto& part : {spec.min_sockets, spec.min_cores_per_socket, spec.threads_per_core})
    tasks = tasks_bounded(tasks * part.value_or(1));
  spec.tasks = static_cast<std::int32_t>(tasks);
}

Result<void> settle_gpus(SbatchSettings& settings) {
  JobSpec& spec = settings.request.spec;
  TRY(spec.gpus, merge_gpus(settings.gpus_per_node, settings.gres));
  for (const auto* more : {&settings.gpus, &settings.gpus_per_task, &settings.gpus_per_socket})
    spec.gpus.insert(spec.gpus.end(), more->begin(), more->end());
  // The number of nodes or tasks follows where both were named.
  const auto parts = [&](const std::vector<GpuRequest>& each) -> std::optional<std::int32_t> {
    if (settings.gpus.size() != 1 || each.size() != 1 || each.front().count <= 0) return {};
    const std::int32_t total = settings.gpus.front().count;
    if (total % each.front().count != 0) return {};
    return total / each.front().count;
  };
  if (const auto nodes = parts(settings.gpus_per_node); nodes && !spec.min_nodes) {
    spec.min_nodes = nodes;
    spec.max_nodes = nodes;
  }
  if (const auto tasks = parts(settings.gpus_per_task); tasks && !spec.tasks) spec.tasks = tasks;
  settle_tasks_of_gpus(settings);
  if (settings.mem_per_gpu && spec.gpus.empty())
    return bad_input(fmt::format("Requested mem_per_tres=gres:gpu:{} but did not request any GPU.\n"
                                 "Invalid generic resource (gres) specification",
                                 *settings.mem_per_gpu),
                     "add --gpus=1, or ask with --mem");
  if (!settings.gpus_per_task.empty() && !spec.tasks && settings.gpus.empty())
    return bad_input(
        "Failed to validate job spec. --gpus-per-task used without either --gpus or -n/--ntasks is "
        "not allowed.\nInvalid generic resource (gres) specification",
        "--gpus-per-task needs the number of tasks: add --ntasks");
  if (settings.tasks_per_gpu && spec.gpus.empty() && !spec.tasks && !spec.min_nodes)
    return bad_input(
        "gres_job_state_validate: --ntasks-per-tres needs either a GRES GPU specification or a "
        "node/ntask specification\nInvalid generic resource (gres) specification",
        "add --gpus, --ntasks or --nodes");
  return {};
}

Result<void> settle_rest(SbatchSettings& settings) {
  SbatchRequest& request = settings.request;
  JobSpec& spec = request.spec;
  settle_tasks_of_cores(settings);
  if (request.verbosity > 0 && request.quiet)
    return bad_input("don't specify both --verbose (-v) and --quiet (-Q)");
  if (spec.begin && spec.deadline && *spec.deadline < *spec.begin)
    return bad_input("Incompatible begin and deadline time specification",
                     "the deadline must not come before the begin");
  // The nodes that --nodelist names count as asked for.
  const auto named = static_cast<std::int32_t>(spec.require_nodes.size());
  if (named > spec.max_nodes.value_or(named))
    return bad_input(fmt::format("invalid number of nodes (-N {}-{})", named, *spec.max_nodes));
  const std::int32_t nodes = std::max(spec.min_nodes.value_or(0), named);
  if (spec.tasks && *spec.tasks < nodes)
    request.warnings.push_back(
        fmt::format("Warning: can't run {} processes on {} nodes, setting nnodes to {}",
                    *spec.tasks, nodes, *spec.tasks));
  if (spec.tasks && spec.min_nodes && *spec.tasks < *spec.min_nodes) {
    spec.min_nodes = spec.tasks;
    if (spec.max_nodes && *spec.max_nodes > *spec.min_nodes) spec.max_nodes = spec.min_nodes;
  }
  return {};
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') == std::string_view::npos ? 0
                                                                      : path.find_last_of('/') + 1);
}

// Inside a job SLUICE_DEVICE says where the job itself runs, not where its own jobs should.
Result<void> set_own_options(OwnOptions& options, std::span<const GivenOption> directives,
                             std::span<const EnvironmentVariable> environment,
                             std::span<const GivenOption> typed) {
  // With --as-is #SLUICE lines, and variables but the engine's, say nothing.
  const bool as_is = std::any_of(typed.begin(), typed.end(), [](const GivenOption& given) {
    return own_option_shapes()[given.row].name == "as-is";
  });
  if (!as_is)
    for (const GivenOption& given : directives)
      TRY_VOID(set_own_option(options, given.row, given.value));
  const bool in_job = std::any_of(environment.begin(), environment.end(),
                                  [](const auto& one) { return one.name == "SLURM_JOB_ID"; });
  for (std::size_t row = 0; row < own_option_shapes().size() && !in_job; ++row)
    for (const EnvironmentVariable& variable : environment)
      if (!variable.value.empty() && variable.name == own_option_variable(row) &&
          (!as_is || variable.name == "SLUICE_ON"))
        TRY_VOID(set_own_option(options, row, variable.value));
  for (const GivenOption& given : typed) TRY_VOID(set_own_option(options, given.row, given.value));
  return {};
}

Result<SbatchCommandLine> command_line(GivenOptions given) {
  SbatchCommandLine line;
  const std::size_t own = sbatch_option_shapes().size();
  std::erase_if(given.options, [&](GivenOption& option) {
    if (option.row < own) return false;
    line.own.push_back({option.row - own, std::move(option.value)});
    return true;
  });
  for (const GivenOption& option : given.options) {
    const std::string_view name = sbatch_options()[option.row].shape.name;
    if (name == "wrap") line.wrap = option.value;
    // As with getopt the first of them is carried out.
    if (line.action != SbatchAction::kSubmit) continue;
    if (name == "help") line.action = SbatchAction::kHelp;
    if (name == "usage") line.action = SbatchAction::kUsage;
    if (name == "version") line.action = SbatchAction::kVersion;
  }
  line.options = std::move(given.options);
  if (line.action != SbatchAction::kSubmit) return line;
  if (!given.rest.empty()) {
    if (given.rest.front() == ":")
      return bad_input("heterogeneous jobs are not supported", "submit a job for each part");
    line.script = std::move(given.rest.front());
    line.arguments.assign(given.rest.begin() + 1, given.rest.end());
  }
  return line;
}

// "1h" and "30min", which sbatch does not take, as it does; anything else stays for its readers.
void say_time_as_sbatch(GivenOption& option) {
  if (option.row >= sbatch_options().size() || !option.value) return;
  const std::string_view name = sbatch_options()[option.row].shape.name;
  if (name == "begin")
    option.value = plain_begin_time(*option.value);
  else if (name == "time" || name == "time-min")
    option.value = plain_time_limit(*option.value);
}

}  // namespace

Result<SbatchCommandLine> read_sbatch_arguments(std::span<const std::string> arguments) {
  TRY(GivenOptions given, read(arguments));
  return command_line(std::move(given));
}

Result<SbatchCommandLine> read_submit_arguments(std::span<const std::string> arguments) {
  auto given = read_options(arguments, sbatch_option_shapes(), own_option_shapes());
  if (!given)
    return tl::unexpected<Error>(with_suggestion(std::move(given.error()), own_option_shapes()));
  for (GivenOption& option : given->options) say_time_as_sbatch(option);
  return command_line(std::move(*given));
}

Result<SbatchRequest> make_sbatch_request(const SbatchCommandLine& command_line,
                                          std::string_view script_text,
                                          const SbatchContext& context) {
  SbatchSettings settings;
  SbatchRequest& request = settings.request;
  const std::string_view script = command_line.script;
  const std::string_view script_name = script.empty() ? "stdin" : script;
  GivenOptions directives;
  GivenOptions own;
  if (command_line.wrap) {
    request.spec.launch.script = wrap_script(*command_line.wrap);
  } else {
    TRY_VOID(check_batch_script(script_text));
    request.spec.launch.script = script_text;
    TRY(Directives found, read_directives(script_text, script_name));
    request.warnings = std::move(found.warnings);
    TRY(directives, read(found.arguments));
    if (!directives.rest.empty())
      return bad_input(
          fmt::format("Invalid directive found in batch script: {}", directives.rest.front()),
          "a directive is #SBATCH and options that begin with a dash");
    auto ours = read_options(found.own, own_option_shapes());
    if (!ours || !ours->rest.empty())
      return bad_input(
          fmt::format("{}: #SLUICE: {}", script_name,
                      ours ? quoted(ours->rest.front()) + " is not an option" : ours.error().what),
          "these lines take sluice's own options; sbatch's stand on #SBATCH lines");
    own = std::move(*ours);
  }
  auto environment = options_of_environment(context.environment);
  // A way of asking for memory in the environment gives way to any other.
  const auto& given = command_line.options;
  if (std::any_of(given.begin(), given.end(), asks_for_memory) ||
      std::any_of(directives.options.begin(), directives.options.end(), asks_for_memory))
    std::erase_if(environment, asks_for_memory);
  TRY_VOID(set_all(settings, directives.options, context));
  // A script cannot keep sbatch from saying the number.
  request.quiet = false;
  TRY_VOID(set_all(settings, environment, context));
  TRY_VOID(set_all(settings, command_line.options, context));
  if (command_line.wrap && !script.empty())
    return bad_input("Script arguments not permitted with --wrap option",
                     fmt::format("leave out {}, or --wrap", quoted(script)));
  TRY_VOID(set_own_options(request.own, own.options, context.environment, command_line.own));
  TRY_VOID(settle_memory(settings));
  TRY_VOID(settle_gpus(settings));
  TRY_VOID(settle_rest(settings));
  // What is held has no priority, whatever was asked for.
  if (request.spec.hold) request.spec.priority.reset();
  request.spec.launch.arguments = command_line.arguments;
  if (settings.name)
    request.spec.name = *settings.name;
  else if (command_line.wrap)
    request.spec.name = "wrap";
  else
    request.spec.name = script.empty() ? "sbatch" : base_name(script);
  return std::move(request);
}

std::optional<std::size_t> line_of_mistake(std::string_view script_text,
                                           const SbatchContext& context) {
  const auto lines = split(script_text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // Below the first command nothing is a directive.
    const std::string_view line = without_blanks_around(lines[i]);
    if (!line.empty() && line.front() != '#') break;
    const auto found = read_directives(lines[i], "");
    if (!found) return i + 1;
    const auto options = read(found->arguments);
    SbatchSettings settings;
    if (!options || !options->rest.empty() || !set_all(settings, options->options, context))
      return i + 1;
  }
  return std::nullopt;
}

}  // namespace sluice
