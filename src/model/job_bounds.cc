#include "model/job_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace sluice {
namespace {

// Slurm counts nodes, tasks and CPUs in 32 bits.
constexpr std::int64_t kMostCount = std::numeric_limits<std::int32_t>::max();
// An exbibyte. Times a year in minutes, or four million tasks, it still fits into 64 bits.
constexpr std::int64_t kMostMemory = std::int64_t{1} << 40;
constexpr std::int64_t kMostSeconds = std::int64_t{1000} * 365 * 86'400;
constexpr std::int64_t kLastSecond = 253'402'300'799;

// Parts of one node have 16 bits in Slurm.
constexpr std::int64_t kMostPart = 65'533;

constexpr NumberBound kNumbers[] = {
    {"min_nodes", 0, kMostCount, "", "32 bits"},
    {"max_nodes", 1, kMostCount, "", "32 bits"},
    {"tasks", 1, kMostCount, "", "32 bits"},
    {"tasks_per_node", 0, kMostCount, "", "32 bits"},
    {"cpus_per_task", 1, kMostCount, "", "32 bits"},
    {"cpus_per_gpu", 0, kMostCount, "", "32 bits"},
    {"tasks_per_core", 1, kMostPart, "", "as sbatch"},
    {"tasks_per_socket", 1, kMostPart, "", "as sbatch"},
    {"min_cpus_per_node", 1, kMostPart, "", "as sbatch"},
    {"min_sockets", 1, kMostPart, "", "as sbatch"},
    {"min_cores_per_socket", 1, kMostPart, "", "as sbatch"},
    {"threads_per_core", 1, kMostPart, "", "as sbatch"},
    {"max_switches", 0, kMostCount, "", "32 bits"},
    {"CPUs in all", 0, kMostCount, "", "tasks times CPUs per task, or what all nodes have to have"},
    {"tasks in all", 0, kMostCount, "", "nodes times tasks per node"},
    {"memory.mb", 0, kMostMemory, "MB", "an exbibyte; 0 per node: all of the node's"},
    {"memory in all", 0, kMostMemory, "MB", "memory per node, CPU or GPU times how many there are"},
    {"gpus.count", 0, kMostCount, "", "32 bits"},
    {"GPUs in all", 0, kMostCount, "", "per node or task times how many there are"},
    {"licenses.count", 0, kMostCount, "", "32 bits"},
    {"time_limit", 0, kMostSeconds, "seconds", "a thousand years"},
    {"time_min", 0, kMostSeconds, "seconds", "a thousand years"},
    {"switch_wait", 0, kMostSeconds, "seconds", "a thousand years"},
    {"begin", 0, kLastSecond, "seconds since 1970", "the year 9999"},
    {"deadline", 0, kLastSecond, "seconds since 1970", "the year 9999"},
    {"nice", -2'147'483'645, 2'147'483'645, "", "as sbatch"},
    {"priority", 0, std::numeric_limits<std::uint32_t>::max() - 1, "", "as scontrol"},
    {"signal.signal", 0, 64, "", "the system's signals"},
    {"signal.before_end", 0, 65'535, "seconds", "as sbatch"},
    {"throttle", 0, 4'000'001, "", "as many as an array can have"},
    {"partitions", 0, 64, "", "a list"},
    {"gpus", 0, 64, "", "a list"},
    {"licenses", 0, 256, "", "a list"},
    {"dependencies", 0, 10'000, "", "jobs to wait for"},
    {"arguments", 0, 10'000, "", "a list"},
    {"environment", 0, 10'000, "", "variables"},
};

// Where Slurm has a bound it is the same: 1024 bytes for a text, PATH_MAX for a path.
constexpr std::int64_t kText = 1024;
constexpr std::int64_t kPath = 4096;
constexpr LengthBound kLengths[] = {
    {"name", kText, "as sbatch"},
    {"account", kText, "as sbatch"},
    {"qos", kText, "as sbatch"},
    {"partitions", kText, "as sbatch, all together"},
    {"comment", kText, "as sbatch"},
    {"wckey", kText, "as sbatch"},
    {"reservation", kText, "as sbatch"},
    {"constraint", kText, "as sbatch"},
    {"prefer", kText, "as sbatch"},
    {"gpus.type", kText, "as sbatch"},
    {"licenses.name", kText, "as sbatch"},
    {"require_nodes", 64 * 1024, "as sbatch, all together"},
    {"exclude_nodes", 64 * 1024, "as sbatch, all together"},
    {"working_directory", kPath, "PATH_MAX"},
    {"stdin_path", kPath, "PATH_MAX"},
    {"stdout_path", kPath, "PATH_MAX"},
    {"stderr_path", kPath, "PATH_MAX"},
    {"program", kPath, "PATH_MAX"},
    {"follower", kPath, "PATH_MAX"},
    {"command", 128 * 1024, "shown to people"},
    {"script", 4 * 1024 * 1024, "Slurm's max_script_size"},
    {"arguments.each", 128 * 1024 - 1, "what exec takes"},
    {"environment.each", 128 * 1024 - 1, "what exec takes"},
    {"arguments and environment", 1536 * 1024,
     "what exec takes, less the variables that the job gets"},
};

const NumberBound& number(std::string_view field) {
  for (const NumberBound& each : kNumbers)
    if (each.field == field) return each;
  CHECK(false, "every number has its bound");
  return kNumbers[0];
}

const LengthBound& length(std::string_view field) {
  for (const LengthBound& each : kLengths)
    if (each.field == field) return each;
  CHECK(false, "every text has its bound");
  return kLengths[0];
}

// Keeps the first thing that is out of bounds.
class Checks {
 public:
  std::string first() && { return std::move(first_); }
  bool failed() const { return !first_.empty(); }

  void check(std::string_view field, std::int64_t value) {
    if (failed()) return;
    const NumberBound& bound = number(field);
    if (value >= bound.least && value <= bound.most) return;
    first_ = fmt::format("{}: {} is not between {} and {}{}{}", field, value, bound.least,
                         bound.most, bound.unit.empty() ? "" : " ", bound.unit);
  }
  template <class T>
  void check(std::string_view field, const std::optional<T>& value) {
    if (value) check(field, std::int64_t{*value});
  }
  void check(std::string_view field, const std::optional<Duration>& value) {
    // Less than nothing must not round to nothing.
    if (value) check(field, std::chrono::floor<std::chrono::seconds>(*value).count());
  }
  void check(std::string_view field, const std::optional<Instant>& value) {
    if (value) check(field, std::optional<Duration>(value->time_since_epoch()));
  }
  void count(std::string_view field, std::size_t items) {
    check(field, static_cast<std::int64_t>(std::min<std::size_t>(items, INT64_MAX)));
  }

  void text(std::string_view field, std::string_view value) {
    if (failed()) return;
    size(field, value.size());
    // A path or an argument would end there, and mean something else.
    if (!failed() && value.find('\0') != std::string_view::npos)
      first_ = fmt::format("{}: has a byte 0 in it", field);
  }
  void text_if(std::string_view field, const std::optional<std::string>& value) {
    if (value) text(field, std::string_view(*value));
  }
  // Nobody could say what another path begins at.
  void full_path_if(std::string_view field, const std::optional<std::string>& value) {
    if (!failed() && value && !value->starts_with('/'))
      first_ = fmt::format("{}: '{}' is not a full path", field, *value);
  }
  void size(std::string_view field, std::size_t bytes) {
    if (failed()) return;
    const LengthBound& bound = length(field);
    if (bytes > static_cast<std::size_t>(bound.most))
      first_ = fmt::format("{}: has {} bytes; at most {} are possible", field, bytes, bound.most);
  }
  // A list that is written as one text, with a mark between two.
  void texts(std::string_view field, const std::vector<std::string>& list) {
    std::size_t all = 0;
    for (const std::string& each : list) {
      text(field, each);
      all += each.size() + 1;
    }
    size(field, all == 0 ? 0 : all - 1);
  }

 private:
  std::string first_;
};

// Never beyond the largest number: that is out of every bound.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

void check_gpus(Checks& checks, const std::vector<GpuRequest>& gpus) {
  checks.count("gpus", gpus.size());
  for (const GpuRequest& gpu : gpus) {
    checks.check("gpus.count", gpu.count);
    checks.text("gpus.type", gpu.type);
  }
}

void check_partitions(Checks& checks, const std::vector<std::string>& partitions) {
  checks.count("partitions", partitions.size());
  checks.texts("partitions", partitions);
}

// What the parts come to together. Each of them is within its bounds already.
void check_totals(Checks& checks, const JobSpec& spec) {
  const std::int64_t nodes = std::max(1, spec.min_nodes.value_or(1));
  const std::int64_t per_node = spec.tasks_per_node.value_or(0);
  const std::int64_t from_nodes = product(nodes, std::max<std::int64_t>(1, per_node));
  checks.check("tasks in all", from_nodes);
  const std::int64_t tasks = std::max<std::int64_t>(spec.tasks.value_or(1), from_nodes);
  std::int64_t gpus = 0;
  for (const GpuRequest& gpu : spec.gpus) {
    const std::int64_t times = gpu.per == GpusPer::kJob    ? 1
                               : gpu.per == GpusPer::kTask ? tasks
                                                           : nodes;
    gpus = sum(gpus, product(gpu.count, times));
  }
  checks.check("GPUs in all", gpus);
  std::int64_t cpus = product(tasks, spec.cpus_per_task.value_or(1));
  cpus = std::max(cpus, product(gpus, spec.cpus_per_gpu.value_or(0)));
  checks.check("CPUs in all", cpus);
  if (!spec.memory) return;
  const std::int64_t times = spec.memory->per == MemoryPer::kNode  ? nodes
                             : spec.memory->per == MemoryPer::kCpu ? std::max(cpus, nodes)
                                                                   : gpus;
  checks.check("memory in all", product(spec.memory->mb, times));
}

void check_licenses(Checks& checks, const std::vector<LicenseRequest>& licenses) {
  checks.count("licenses", licenses.size());
  if (checks.failed()) return;
  for (const LicenseRequest& license : licenses) {
    checks.check("licenses.count", license.count);
    checks.text("licenses.name", license.name);
  }
}

// Each costs a pointer and a byte for its end besides.
constexpr std::size_t kEach = 9;

// How much they take in all.
std::size_t check_environment(Checks& checks, const std::vector<EnvironmentVariable>& environment) {
  checks.count("environment", environment.size());
  if (checks.failed()) return 0;
  std::size_t all = 0;
  for (const EnvironmentVariable& variable : environment) {
    checks.size("environment.each", variable.name.size() + 1 + variable.value.size());
    checks.text("environment.each", variable.name);
    checks.text("environment.each", variable.value);
    all += variable.name.size() + 1 + variable.value.size() + kEach;
  }
  return all;
}

void check_launch(Checks& checks, const Launch& launch) {
  checks.size("script", launch.script.size());
  checks.text("command", launch.command);
  checks.text("working_directory", launch.working_directory);
  checks.text("stdin_path", launch.stdin_path);
  checks.text("stdout_path", launch.stdout_path);
  checks.text("stderr_path", launch.stderr_path);
  checks.text("program", launch.program);
  checks.text("follower", launch.follower);
  if (launch.signal) {
    checks.check("signal.signal", launch.signal->signal);
    checks.check("signal.before_end", std::optional<Duration>(launch.signal->before_end));
  }
  checks.count("arguments", launch.arguments.size());
  if (checks.failed()) return;
  std::size_t all = check_environment(checks, launch.environment);
  for (const std::string& argument : launch.arguments) {
    checks.text("arguments.each", argument);
    all += argument.size() + kEach;
  }
  checks.size("arguments and environment", all);
}

}  // namespace

std::span<const NumberBound> number_bounds() { return kNumbers; }
std::span<const LengthBound> length_bounds() { return kLengths; }

std::string out_of_bounds(const JobSpec& spec) {
  Checks checks;
  checks.check("min_nodes", spec.min_nodes);
  checks.check("max_nodes", spec.max_nodes);
  checks.check("tasks", spec.tasks);
  checks.check("tasks_per_node", spec.tasks_per_node);
  checks.check("cpus_per_task", spec.cpus_per_task);
  checks.check("cpus_per_gpu", spec.cpus_per_gpu);
  checks.check("tasks_per_core", spec.tasks_per_core);
  checks.check("tasks_per_socket", spec.tasks_per_socket);
  checks.check("max_switches", spec.max_switches);
  checks.check("min_cpus_per_node", spec.min_cpus_per_node);
  checks.check("min_sockets", spec.min_sockets);
  checks.check("min_cores_per_socket", spec.min_cores_per_socket);
  checks.check("threads_per_core", spec.threads_per_core);
  if (spec.memory) checks.check("memory.mb", spec.memory->mb);
  check_gpus(checks, spec.gpus);
  if (!checks.failed()) check_totals(checks, spec);
  check_licenses(checks, spec.licenses);
  checks.check("time_limit", spec.time_limit);
  checks.check("time_min", spec.time_min);
  checks.check("switch_wait", spec.switch_wait);
  checks.check("begin", spec.begin);
  checks.check("deadline", spec.deadline);
  checks.check("nice", spec.nice);
  checks.check("priority", spec.priority);
  if (spec.array && spec.array->throttle)
    checks.check("throttle", std::int64_t{*spec.array->throttle});
  checks.count("dependencies", spec.dependencies.terms.size());
  checks.text("name", spec.name);
  checks.text("account", spec.account);
  checks.text("qos", spec.qos);
  check_partitions(checks, spec.partitions);
  checks.text("comment", spec.comment);
  checks.text("wckey", spec.wckey);
  checks.text("reservation", spec.reservation);
  checks.text("constraint", spec.constraint.text);
  checks.text("prefer", spec.prefer.text);
  checks.texts("require_nodes", spec.require_nodes);
  checks.texts("exclude_nodes", spec.exclude_nodes);
  check_launch(checks, spec.launch);
  return std::move(checks).first();
}

std::string totals_out_of_bounds(const JobSpec& spec) {
  Checks checks;
  check_totals(checks, spec);
  return std::move(checks).first();
}

std::string out_of_bounds(const JobChange& change) {
  Checks checks;
  checks.check("min_nodes", change.min_nodes);
  checks.check("max_nodes", change.max_nodes);
  checks.check("tasks", change.tasks);
  checks.check("cpus_per_task", change.cpus_per_task);
  if (change.memory) checks.check("memory.mb", change.memory->mb);
  if (change.gpus) check_gpus(checks, *change.gpus);
  checks.check("time_limit", change.time_limit);
  checks.check("nice", change.nice);
  checks.check("priority", change.priority);
  checks.check("begin", change.begin);
  checks.check("throttle", change.throttle);
  if (change.dependencies) checks.count("dependencies", change.dependencies->terms.size());
  if (change.partitions) check_partitions(checks, *change.partitions);
  checks.text_if("account", change.account);
  checks.text_if("qos", change.qos);
  checks.text_if("name", change.name);
  checks.text_if("comment", change.comment);
  checks.text_if("reservation", change.reservation);
  checks.text_if("wckey", change.wckey);
  checks.text_if("stdout_path", change.stdout_path);
  checks.text_if("working_directory", change.working_directory);
  checks.full_path_if("working_directory", change.working_directory);
  if (change.require_nodes) checks.texts("require_nodes", *change.require_nodes);
  if (change.exclude_nodes) checks.texts("exclude_nodes", *change.exclude_nodes);
  if (change.constraint) checks.text("constraint", change.constraint->text);
  if (change.licenses) check_licenses(checks, *change.licenses);
  const auto check_unless_taken_back = [&](std::string_view field,
                                           const std::optional<std::int32_t>& count) {
    if (count != 0) checks.check(field, count);
  };
  check_unless_taken_back("tasks_per_node", change.tasks_per_node);
  check_unless_taken_back("min_cpus_per_node", change.min_cpus_per_node);
  check_unless_taken_back("min_sockets", change.min_sockets);
  check_unless_taken_back("min_cores_per_socket", change.min_cores_per_socket);
  check_unless_taken_back("threads_per_core", change.threads_per_core);
  check_unless_taken_back("cpus_per_gpu", change.cpus_per_gpu);
  check_unless_taken_back("max_switches", change.max_switches);
  checks.check("switch_wait", change.switch_wait);
  checks.check("time_min", change.time_min);
  checks.check("deadline", change.deadline);
  check_environment(checks, change.environment);
  return std::move(checks).first();
}

}  // namespace sluice
