// srun: a step inside a job, or a job of its own around one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <numeric>
#include <sstream>

#include "cli/attached_job.h"
#include "cli/job_request.h"
#include "shims/help.h"
#include "shims/other_job.h"
#include "shims/records.h"
#include "shims/shim.h"
#include "shims/srun_options.h"
#include "shims/step.h"
#include "shims/submission_words.h"
#include "shims/test_only.h"
#include "shims/words.h"
#include "text/counts_per_node.h"
#include "text/hostlist.h"
#include "text/multi_prog.h"
#include "text/scan.h"

namespace sluice {
namespace {

std::int64_t number_of(const char* name) {
  return whole_number(variable(name).value_or("")).value_or(0);
}

std::int64_t cpus_of_job() {
  const auto counts = parse_counts_per_node(variable("SLURM_JOB_CPUS_PER_NODE").value_or(""));
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// --multi-prog: the command is a file that says which task runs what.
bool read_programs(ShimCall& call, StepPlan& plan) {
  const std::string& name = plan.command.front();
  std::ifstream file(name);
  if (!file) return call.error("Could not open multi_prog config file " + name), false;
  std::ostringstream text;
  text << file.rdbuf();
  auto commands = parse_multi_prog(text.str(), name, static_cast<std::uint32_t>(plan.tasks));
  if (!commands) {
    for (const std::string_view line : split(commands.error().what, '\n')) call.error(line);
    return false;
  }
  plan.commands = *std::move(commands);
  return true;
}

// What --nodelist, --exclude and --relative leave of the job's nodes; nothing where none of them
// is given.
Result<std::vector<std::string>> nodes_left(const SrunOptions& options) {
  std::vector<std::string> out;
  if (!options.nodelist.empty()) {
    auto named = expand_hostlist(options.nodelist);
    if (!named) return bad_input("Invalid nodelist: " + options.nodelist);
    out = *std::move(named);
  } else if (!options.exclude.empty() || options.relative > 0) {
    const auto all = expand_hostlist(variable("SLURM_JOB_NODELIST").value_or(""));
    if (!all) return out;
    const auto first =
        std::min<std::int64_t>(options.relative, static_cast<std::int64_t>(all->size()));
    out.assign(all->begin() + first, all->end());
  }
  if (options.exclude.empty()) return out;
  const auto without = expand_hostlist(options.exclude);
  if (!without) return bad_input("Invalid nodelist: " + options.exclude);
  std::erase_if(out, [&](const std::string& name) {
    return std::find(without->begin(), without->end(), name) != without->end();
  });
  return out;
}

int run_inside(ShimCall& call, const SrunOptions& options) {
  StepPlan plan = options.step;
  plan.line = command_text(call);
  plan.attached = call.attached;
  const std::int64_t of_job = std::max<std::int64_t>(1, number_of("SLURM_JOB_NUM_NODES"));
  // Inside, the job's variables ask for all of its nodes.
  const auto least = options.nodes ? std::int64_t{options.nodes->least} : plan.outside ? 1 : of_job;
  std::int64_t nodes = options.nodes ? std::int64_t{options.nodes->most} : of_job;
  if (!options.tasks_given) {
    std::int64_t tasks = number_of("SLURM_NTASKS");
    if (tasks == 0) tasks = nodes * options.tasks_per_node.value_or(1);
    plan.tasks = static_cast<std::int32_t>(std::clamp<std::int64_t>(tasks, 1, 100'000));
  }
  const auto refuse = [&](std::string_view why) {
    call.error(fmt::format("Unable to create step for job {}: {}",
                           variable("SLURM_JOB_ID").value_or(""), why));
    return 1;
  };
  if (least > plan.tasks && !plan.quiet)
    call.complain(
        fmt::format("srun: Warning: can't run {} processes on {} nodes, setting nnodes to {}",
                    plan.tasks, least, plan.tasks));
  nodes = std::min<std::int64_t>(nodes, plan.tasks);
  if (std::min<std::int64_t>(least, nodes) > of_job) {
    call.error(fmt::format("Only allocated {} nodes asked for {}", of_job, nodes));
    return 1;
  }
  nodes = std::min(nodes, of_job);
  if (const auto each = options.tasks_per_node;
      each && !plan.quiet && (plan.tasks % nodes != 0 || *each * nodes < plan.tasks))
    call.complain(fmt::format(
        "srun: Warning: can't honor --ntasks-per-node set to {} which doesn't match the "
        "requested tasks {} with the number of requested nodes {}. Ignoring "
        "--ntasks-per-node.",
        *each, plan.tasks, nodes));
  const std::int64_t cpus = cpus_of_job();
  const std::int64_t wanted = std::int64_t{plan.tasks} * plan.cpus_per_task.value_or(1);
  if (!options.overcommit && cpus > 0 && wanted > cpus)
    return refuse("More processors requested than permitted");
  plan.overlaps = options.overlap;
  plan.cpus = cpus > 0 ? std::min(wanted, cpus) : wanted;
  plan.ask.nodes = nodes;
  plan.ask.whole = !options.exact || plan.cpus < wanted;
  plan.ask.overcommit = options.overcommit;
  if (plan.gpus_per_task) plan.ask.gpus = *plan.gpus_per_task * plan.tasks;
  const auto left = nodes_left(options);
  if (!left) return call.error(left.error().what), 1;
  if (options.relative + nodes > of_job) {
    call.error(
        fmt::format("--relative and SLURM_JOB_NUM_NODES option incompatible with count of "
                    "allocated nodes ({}+{}>{})",
                    options.relative, nodes, of_job));
    return 1;
  }
  const bool limited = !options.exclude.empty() || options.relative > 0;
  if (limited && static_cast<std::int64_t>(left->size()) < nodes)
    return refuse("Requested node configuration is not available");
  plan.ask.nodelist = fmt::format("{}", fmt::join(*left, ","));
  if (!limited)
    plan.ask.nodes = std::min<std::int64_t>(
        plan.tasks, std::max<std::int64_t>(nodes, static_cast<std::int64_t>(left->size())));
  if (options.memory && options.memory->mb > 0) {
    plan.ask.memory_mb = options.memory->mb;
    plan.ask.memory_per_cpu = options.memory->per == MemoryPer::kCpu;
  }
  if (options.multi_prog && !read_programs(call, plan)) return 1;
  call.flush();
  return run_step(*call.engine, plan);
}

// In the shell of a salloc: the step runs where the allocation is.
int run_through(ShimCall& call, const std::string& socket) {
  const auto connection = connect_to(socket);
  if (!connection) {
    call.error("Unable to confirm allocation for job " + variable("SLURM_JOB_ID").value_or("") +
               ": Invalid job id specified");
    return 1;
  }
  AttachedWork work;
  work.words = {"srun"};
  char* folder = ::getcwd(nullptr, 0);
  work.words.push_back(folder != nullptr ? folder : "/");
  std::free(folder);
  work.words.insert(work.words.end(), call.arguments.begin(), call.arguments.end());
  call.flush();
  if (!send_work(*connection, work)) return 1;
  unsigned char status = 1;
  ssize_t got = 0;
  do {
    got = ::read(*connection, &status, 1);
  } while (got < 0 && errno == EINTR);
  ::close(*connection);
  return got == 1 ? status : 1;
}

int run_outside(ShimCall& call, SrunOptions& options) {
  auto line = read_sbatch_arguments(options.for_job);
  if (!line) return complain_of_options(call, line.error());
  line->wrap = "srun";
  auto request = request_of(*line, SbatchVariables::kIgnored);
  if (!request) return complain_of_options(call, request.error());
  if (!take_request(call, *request)) return 1;
  if (!say_warnings(call, request->warnings)) return 1;
  JobSpec& spec = request->spec;
  if (spec.name.empty() || spec.name == "wrap") spec.name = options.step.name;
  if (const auto folder = check_folder_of(*request); !folder)
    return call.error(folder.error().what), 1;
  add_surroundings(*request);
  if (request->test_only) return test_only(call, *request);
  const auto program = find_command(options.step.command.front());
  spec.launch.command = program ? *program : options.step.command.front();
  note_submit_line(call, spec);
  AttachedWork work;
  work.words = {"srun", spec.launch.working_directory};
  work.words.insert(work.words.end(), call.arguments.begin(), call.arguments.end());
  AttachedWatch watch;
  bool queued = false;
  bool allocated = false;
  watch.queued = [&](std::uint32_t job) {
    queued = true;
    if (!options.step.quiet && spec.hold)
      fmt::print(stderr, "srun: Job is in held state, pending scheduler release\n");
    if (!options.step.quiet)
      fmt::print(stderr, "srun: job {} queued and waiting for resources\n", job);
  };
  watch.allocated = [&](std::uint32_t job) {
    allocated = true;
    if (!options.step.quiet) fmt::print(stderr, "srun: job {} has been allocated resources\n", job);
  };
  watch.patience = options.step.patience;
  call.flush();
  const auto end = run_attached(spec, work, watch);
  if (!end) return call.fail(end.error());
  if (end->gave_up)
    return call.error("Unable to allocate resources: " + why_not_now(end->reason)), 1;
  if (end->refused) {
    complain_of_refusal(call, "Unable to allocate resources",
                        {{}, 1, end->refusal, end->reason, {}}, spec);
    return 1;
  }
  if (end->ended_as == "CANCELLED" && queued && !allocated) {
    call.complain("srun: Job has been cancelled");
    call.error("Unable to allocate resources: Job/step already completing or completed");
    return 1;
  }
  if (end->ended_as != "COMPLETED" && end->ended_as != "FAILED")
    call.error(fmt::format("job {} ended: {}", end->job, end->ended_as));
  return end->ended_as == "OUT_OF_MEMORY" ? 1 : end->status;
}

// The job that --jobid names, or outside of every job SLURM_JOB_ID.
std::optional<std::string> job_to_enter(ShimCall& call, const SrunOptions& options, bool inside) {
  const auto own_job = variable("SLURM_JOB_ID");
  if (options.job) return inside && *options.job == *own_job ? std::nullopt : options.job;
  if (inside || !own_job || own_job->empty() || !is_named_by_environment(call, *own_job))
    return std::nullopt;
  return own_job;
}

}  // namespace

int run_srun(ShimCall& call) {
  const auto own_job = variable("SLURM_JOB_ID");
  const bool inside = own_job && variable("SLUICE_JOB_ID");
  auto options = read_srun_options(call, inside ? InJob::kYes : InJob::kNo);
  if (!options) return call.err.find("Invalid numeric value") != std::string::npos ? 1 : 255;
  if (options->help) return call.say(shim_help("srun")), 0;
  if (options->usage) return call.say(shim_usage("srun")), 0;
  if (options->version) return call.say(kShimVersion), 0;
  if (options->step.command.empty())
    return call.complain("srun: fatal: No command given to execute."), 1;
  const auto other = job_to_enter(call, *options, inside);
  if (other) {
    if (!enter_job(call, *other)) return 1;
    options = read_srun_options(call, InJob::kYes);
    if (!options) return 255;
    options->step.outside = true;
    return run_inside(call, *options);
  }
  if (const auto socket = variable("SLUICE_STEP_SOCKET"); socket && !socket->empty())
    return run_through(call, *socket);
  return inside ? run_inside(call, *options) : run_outside(call, *options);
}

}  // namespace sluice
