// sluice update: changes a job that waits, or the limit of one that runs.
#include <fmt/format.h>

#include <memory>

#include "cli/action.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/local_time.h"
#include "cli/submission_notes.h"
#include "cli/verbs.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/gpus.h"
#include "text/memory.h"
#include "text/node_count.h"
#include "text/scan.h"
#include "text/typed_duration.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Options {
  std::vector<std::string> jobs;
  std::optional<std::string> account;
  std::optional<std::string> qos;
  std::optional<std::string> partition;
  std::optional<std::string> time;
  std::optional<std::string> memory;
  std::optional<std::string> memory_per_cpu;
  std::optional<std::string> gres;
  std::optional<std::int32_t> tasks;
  std::optional<std::int32_t> cpus_per_task;
  std::optional<std::int32_t> nodes;
  std::optional<std::int64_t> nice;
  std::optional<std::int64_t> priority;
  std::optional<std::string> begin;
  std::optional<std::string> dependency;
  std::optional<std::string> name;
  std::optional<std::string> comment;
  std::optional<std::uint32_t> throttle;
  std::optional<std::string> reservation;
  bool json = false;
  bool quiet = false;
};

Result<JobChange> change_of(const Options& options) {
  JobChange change;
  change.account = options.account;
  change.qos = options.qos;
  if (options.partition) {
    change.partitions.emplace();
    for (const std::string_view name : split(*options.partition, ','))
      change.partitions->emplace_back(name);
  }
  if (options.time) {
    TRY(const TimeLimit limit, parse_job_time_limit(plain_time_limit(*options.time)));
    if (limit.unlimited()) return bad_input("--time needs a limit here", "--time=1:00:00");
    change.time_limit = limit.duration;
  }
  if (options.memory) {
    TRY(const std::int64_t mb, parse_memory_mb(*options.memory));
    change.memory = MemoryRequest{MemoryPer::kNode, mb};
  }
  if (options.memory_per_cpu) {
    TRY(const std::int64_t mb, parse_memory_mb(*options.memory_per_cpu));
    change.memory = MemoryRequest{MemoryPer::kCpu, mb};
  }
  if (options.gres) {
    TRY(change.gpus, parse_gres(*options.gres));
  }
  change.tasks = options.tasks;
  change.cpus_per_task = options.cpus_per_task;
  change.min_nodes = options.nodes;
  change.nice = options.nice;
  change.priority = options.priority;
  if (options.begin) {
    const Instant now = now_here();
    TRY(change.begin, parse_begin_time(plain_begin_time(*options.begin), now, local_offset(now)));
  }
  if (options.dependency) {
    TRY(const std::string named, dependencies_meant_by(*options.dependency, "embedded"));
    TRY(change.dependencies, parse_dependencies(named));
  }
  change.name = options.name;
  change.comment = options.comment;
  change.throttle = options.throttle;
  change.reservation = options.reservation;
  return change;
}

Result<ExitCode> run(const Options& options) {
  Action action;
  action.method = "PATCH";
  TRY(const std::vector<std::string> jobs, meant_by(options.jobs));
  TRY(action.jobs, joined_references(jobs));
  TRY(const JobChange change, change_of(options));
  action.body = to_json(change);
  if (action.body == to_json(JobChange{}))
    return bad_input("nothing is to be changed", "for instance: sluice update 12 --time=1:00:00");
  action.done = "changed";
  action.json = options.json;
  action.quiet = options.quiet;
  return carry_out(action);
}

}  // namespace

void add_update(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand(
      "update", "Change a waiting job, the limit of a running one, or an array's throttle");
  auto options = std::make_shared<Options>();
  verb->add_option("JOBS", options->jobs, "Jobs as 12, tasks as 12_3 or 12_[1-5]")->required();
  verb->add_option("-A,--account", options->account, "Charge this account")->type_name("NAME");
  verb->add_option("-q,--qos", options->qos, "Use this QoS")->type_name("NAME");
  verb->add_option("-p,--partition", options->partition, "Run in one of these")->type_name("NAMES");
  verb->add_option("-t,--time", options->time, "Time limit; may only be lowered of a running job")
      ->type_name("TIME");
  verb->add_option("--mem", options->memory, "Memory per node")->type_name("SIZE");
  verb->add_option("--mem-per-cpu", options->memory_per_cpu, "Memory per CPU")->type_name("SIZE");
  verb->add_option("--gres", options->gres, "GPUs per node: gpu:2")->type_name("LIST");
  verb->add_option("-n,--ntasks", options->tasks, "Tasks")->type_name("N");
  verb->add_option("-c,--cpus-per-task", options->cpus_per_task, "CPUs per task")->type_name("N");
  verb->add_option("-N,--nodes", options->nodes, "Nodes")->type_name("N");
  verb->add_option("--nice", options->nice, "Lower its priority by this much")->type_name("N");
  verb->add_option("--priority", options->priority, "Set its priority; for operators")
      ->type_name("N");
  verb->add_option("--begin", options->begin, "Not before: now, 16:00, now+1hour")
      ->type_name("TIME");
  verb->add_option("-d,--dependency", options->dependency, "Wait for other jobs; empty: for none")
      ->type_name("LIST");
  verb->add_option("-J,--job-name", options->name, "Its name")->type_name("NAME");
  verb->add_option("--comment", options->comment, "A comment")->type_name("TEXT");
  verb->add_option("--throttle", options->throttle, "Tasks of the array that run at once; 0: any")
      ->type_name("N");
  verb->add_option("--reservation", options->reservation, "Use this reservation; empty: none")
      ->type_name("NAME");
  verb->add_flag("-Q,--quiet", options->quiet, "Print nothing on success");
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "Examples:\n  sluice update 12 --time=30 --mem=2G\n  sluice update 12 --qos=short\n"
      "  sluice update 12 --throttle=4");
  verb->callback([options, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
