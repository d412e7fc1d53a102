// Puts together what the keeper is told.
#include "host/machine/assignment.h"

#include <sys/resource.h>

#include <array>
#include <charconv>
#include <utility>

#include "host/keeper/job_environment.h"
#include "text/output_pattern.h"

namespace sluice {
namespace {

struct NamedLimit {
  std::string_view name;
  int resource;
};
constexpr std::array kLimits{
    NamedLimit{"SLURM_RLIMIT_CPU", RLIMIT_CPU},
    NamedLimit{"SLURM_RLIMIT_FSIZE", RLIMIT_FSIZE},
    NamedLimit{"SLURM_RLIMIT_DATA", RLIMIT_DATA},
    NamedLimit{"SLURM_RLIMIT_STACK", RLIMIT_STACK},
    NamedLimit{"SLURM_RLIMIT_CORE", RLIMIT_CORE},
    NamedLimit{"SLURM_RLIMIT_RSS", RLIMIT_RSS},
    NamedLimit{"SLURM_RLIMIT_NPROC", RLIMIT_NPROC},
    NamedLimit{"SLURM_RLIMIT_NOFILE", RLIMIT_NOFILE},
    NamedLimit{"SLURM_RLIMIT_MEMLOCK", RLIMIT_MEMLOCK},
    NamedLimit{"SLURM_RLIMIT_AS", RLIMIT_AS},
};

std::optional<std::uint64_t> number_in(const std::string& text, int base) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

void take_shell_settings(const JobSpec& request, Assignment& assignment) {
  for (const EnvironmentVariable& variable : request.launch.environment) {
    if (!variable.name.starts_with("SLURM_")) continue;
    if (variable.name == "SLURM_UMASK") {
      const auto mask = number_in(variable.value, 8);
      if (mask && *mask <= 0777) assignment.umask = static_cast<std::uint32_t>(*mask);
      continue;
    }
    for (const NamedLimit& limit : kLimits) {
      if (variable.name != limit.name) continue;
      if (const auto soft = number_in(variable.value, 10)) {
        assignment.limits.push_back(ResourceLimit{limit.resource, *soft});
      }
    }
  }
}

}  // namespace

ArrayFacts array_facts(JobId id, std::uint32_t task, const IndexSet& tasks) {
  ArrayFacts facts;
  facts.id = id;
  facts.task = task;
  facts.count = static_cast<std::uint32_t>(tasks.size());
  facts.least = tasks.first().value_or(0);
  facts.most = tasks.last().value_or(0);
  const auto second = tasks.first(facts.least + 1);
  if (second && facts.count > 1) {
    // Only where all of it is one range.
    const std::uint32_t step = *second - facts.least;
    if ((facts.most - facts.least) / step + 1 == facts.count) facts.step = step;
  }
  return facts;
}

Assignment assignment_of(const RunFacts& facts, const Identity& identity) {
  const JobSpec& request = facts.request;
  const Launch& launch = request.launch;
  const NodeShare& share = facts.allocation.shares()[0];
  const Node& node = facts.policy.nodes[share.node.index()];

  Assignment assignment;
  assignment.run = facts.run;
  assignment.identity = identity;
  assignment.script = launch.script;
  assignment.program = launch.script.empty() ? launch.program : std::string();
  assignment.arguments = launch.arguments;
  assignment.working_directory =
      launch.working_directory.empty() ? identity.home : launch.working_directory;

  PatternFacts pattern;
  pattern.job = facts.run.job;
  if (facts.array) {
    pattern.array = facts.array->id;
    pattern.task = facts.array->task;
  }
  pattern.user = identity.user;
  pattern.job_name = request.name;
  pattern.first_node = node.name;
  const auto fill = [&](std::string_view text) {
    return text.empty() ? std::string() : fill_pattern(text, pattern, assignment.working_directory);
  };
  assignment.node = node.name;
  assignment.stdin_path = fill(launch.stdin_path);
  assignment.capture = launch.capture;
  if (!launch.capture) {
    assignment.stdout_path =
        fill(launch.stdout_path.empty() ? default_output(pattern) : launch.stdout_path);
    assignment.stderr_path = fill(launch.stderr_path);
    if (assignment.stderr_path == assignment.stdout_path) assignment.stderr_path.clear();
  }
  assignment.append = launch.open_mode == OpenMode::kAppend;
  assignment.environment = job_environment(facts, identity);
  take_shell_settings(request, assignment);

  // One keeper runs the script; on several nodes that all live here it has what they have together.
  for (const NodeShare& each : facts.allocation.shares()) {
    assignment.cpus += each.cpus;
    assignment.memory_mb += each.memory_mb;
    const Node& holder = facts.policy.nodes[each.node.index()];
    for (std::size_t i = 0; i < holder.gpus.size(); ++i) {
      if (holder.gpus[i].device.empty()) continue;
      const bool mine = (each.gpus >> i & 1U) != 0;
      (mine ? assignment.devices : assignment.other_devices).push_back(holder.gpus[i].device);
    }
  }
  assignment.prolog = facts.policy.jobs.prolog;
  assignment.epilog = facts.policy.jobs.epilog;
  assignment.prolog_limit = facts.policy.jobs.prolog_epilog_timeout;
  assignment.own_cpus = facts.node_is_this_machine && facts.allocation.size() == 1;
  return assignment;
}

}  // namespace sluice
