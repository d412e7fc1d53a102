// srun: a step inside a job, or a job of its own around one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "cli/attached_job.h"
#include "cli/job_request.h"
#include "shims/help.h"
#include "shims/records.h"
#include "shims/shim.h"
#include "shims/srun_options.h"
#include "shims/step.h"
#include "shims/submission_words.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/multi_prog.h"
#include "text/scan.h"

namespace sluice {
namespace {

// What the allocation has, from "4(x2),8".
std::int64_t cpus_of_job() {
  std::int64_t total = 0;
  const std::string counts = variable("SLURM_JOB_CPUS_PER_NODE").value_or("");
  for (const std::string_view part : split(counts, ',')) {
    const std::size_t times = part.find("(x");
    const std::int64_t each = whole_number(part.substr(0, times)).value_or(0);
    const std::int64_t nodes =
        times == std::string_view::npos
            ? 1
            : whole_number(part.substr(times + 2, part.size() - times - 3)).value_or(1);
    total += each * nodes;
  }
  return total;
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

int run_inside(ShimCall& call, const SrunOptions& options) {
  StepPlan plan = options.step;
  plan.line = command_text(call);
  if (!options.tasks_given) {
    const auto known = [](const char* name) {
      return whole_number(variable(name).value_or("")).value_or(0);
    };
    std::int64_t tasks = options.nodes.value_or(0);
    if (tasks == 0) tasks = known("SLURM_NTASKS");
    if (tasks == 0) tasks = known("SLURM_JOB_NUM_NODES");
    plan.tasks = static_cast<std::int32_t>(std::clamp<std::int64_t>(tasks, 1, 100'000));
  }
  const std::int64_t nodes = std::max<std::int64_t>(
      1, whole_number(variable("SLURM_JOB_NUM_NODES").value_or("")).value_or(1));
  if (options.nodes && *options.nodes > nodes) {
    call.error(fmt::format("Only allocated {} nodes asked for {}", nodes, *options.nodes));
    return 1;
  }
  const std::int64_t cpus = cpus_of_job();
  const std::int64_t wanted = std::int64_t{plan.tasks} * plan.cpus_per_task.value_or(1);
  if (!options.overcommit && cpus > 0 && wanted > cpus) {
    call.error(
        fmt::format("Unable to create step for job {}: More processors requested than permitted",
                    variable("SLURM_JOB_ID").value_or("")));
    return 1;
  }
  plan.overlaps = options.overlap;
  plan.cpus = cpus > 0 ? std::min(wanted, cpus) : wanted;
  plan.ask.nodes = options.nodes.value_or(std::min<std::int64_t>(nodes, plan.tasks));
  plan.ask.whole = !options.exact || plan.cpus < wanted;
  if (!options.nodelist.empty()) {
    const auto hosts = expand_hostlist(options.nodelist);
    if (!hosts) {
      call.error(fmt::format("Invalid nodelist: {}", options.nodelist));
      return 1;
    }
    plan.ask.nodelist = fmt::format("{}", fmt::join(*hosts, ","));
    plan.ask.nodes =
        std::max<std::int64_t>(plan.ask.nodes, static_cast<std::int64_t>(hosts->size()));
  }
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
  if (!say_warnings(call, request->warnings)) return 1;
  JobSpec& spec = request->spec;
  if (spec.name.empty() || spec.name == "wrap") spec.name = options.step.name;
  add_surroundings(*request);
  const auto program = find_command(options.step.command.front());
  spec.launch.command = program ? *program : options.step.command.front();
  note_submit_line(call, spec);
  AttachedWork work;
  work.words = {"srun", spec.launch.working_directory};
  work.words.insert(work.words.end(), call.arguments.begin(), call.arguments.end());
  AttachedWatch watch;
  watch.queued = [&](std::uint32_t job) {
    if (!options.step.quiet)
      fmt::print(stderr, "srun: job {} queued and waiting for resources\n", job);
  };
  watch.allocated = [&](std::uint32_t job) {
    if (!options.step.quiet) fmt::print(stderr, "srun: job {} has been allocated resources\n", job);
  };
  call.flush();
  const auto end = run_attached(spec, work, watch);
  if (!end) return call.fail(end.error());
  if (end->refused) {
    complain_of_refusal(call, "Unable to allocate resources",
                        {{}, 1, end->refusal, end->reason, {}}, spec);
    return 1;
  }
  if (end->ended_as != "COMPLETED" && end->ended_as != "FAILED")
    call.error(fmt::format("job {} ended: {}", end->job, end->ended_as));
  return end->status;
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
  if (options->job && !(inside && *options->job == *own_job)) {
    const auto records = fetch_records(*call.engine, "job=" + url_escaped(*options->job));
    if (!records || records->empty()) {
      call.error("Unable to confirm allocation for job " + *options->job +
                 ": Invalid job id specified");
      call.complain("srun: Check SLURM_JOB_ID environment variable. Expired or invalid job " +
                    *options->job);
      return 1;
    }
    call.error("a step can only be started from inside its job; --jobid=" + *options->job +
               " names another one");
    return 1;
  }
  if (const auto socket = variable("SLUICE_STEP_SOCKET"); socket && !socket->empty())
    return run_through(call, *socket);
  return inside ? run_inside(call, *options) : run_outside(call, *options);
}

}  // namespace sluice
