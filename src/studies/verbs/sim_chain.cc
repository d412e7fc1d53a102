// sluice sim chain: a chain beside the jobs of others, in virtual time.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/progress_line.h"
#include "host/files/files.h"
#include "policyfile/files/ladder_file.h"
#include "sim/chains/chain_study.h"
#include "studies/verbs/sim_verb.h"
#include "studies/workload_options.h"
#include "text/array_spec.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

struct Options {
  std::shared_ptr<WorkloadOptions> others = std::make_shared<WorkloadOptions>();
  std::string policy;
  std::string user;
  std::string accounts;
  std::string array = "0-999";
  std::string memory = "1G";
  std::string time = "30m";
  std::string partition;
  std::string qos;
  std::int32_t cpus = 1;
  std::int32_t gpus = 0;
  std::string ladder;
  std::uint32_t max_level = 0;
  std::string needs;
  std::string at;
  bool json = false;
};

Result<Duration> time_of(const std::string& option, const std::string& text) {
  TRY(const TimeLimit time, parse_friendly_duration(text));
  if (time.unlimited())
    return bad_input(fmt::format("{} is '{}'", option, text), "give a time: 2h");
  return *time.duration;
}

Result<ChainStudy> read_study(const Options& options) {
  ChainStudy out;
  TRY(out.policy, load_policy(options.policy));
  for (const std::string_view name : split(options.accounts, ','))
    if (!name.empty()) out.accounts.emplace_back(name);
  for (const std::string& account : out.accounts)
    if (!out.policy->find_account(account))
      return bad_input(fmt::format("the policy has no account '{}'", account),
                       "see them: sluice policy show " + options.policy);
  out.user = options.user.empty() ? first_user_of(*out.policy, out.accounts) : options.user;
  if (!options.user.empty() && !out.policy->users.empty() && !out.policy->find_user(options.user))
    return bad_input(fmt::format("the policy has no user '{}'", options.user));
  if (out.user.empty()) out.user = "u1";
  TRY(out.array, parse_array_spec(options.array));
  TRY(const std::int64_t memory, parse_memory_mb(options.memory));
  out.spec.memory = MemoryRequest{MemoryPer::kNode, memory};
  TRY(out.spec.time_limit, time_of("--time", options.time));
  out.spec.name = "chain";
  out.spec.cpus_per_task = options.cpus;
  if (options.gpus > 0) out.spec.gpus.push_back(GpuRequest{GpusPer::kJob, {}, options.gpus});
  if (!options.partition.empty())
    for (const std::string_view name : split(options.partition, ','))
      out.spec.partitions.emplace_back(name);
  out.spec.qos = options.qos;
  if (options.ladder.empty()) {
    out.ladder.growth = Growth{};
  } else {
    TRY(const std::string text, read_file(options.ladder));
    TRY(out.ladder, read_ladder_file(text, options.ladder));
  }
  if (options.max_level > 0) out.ladder.max_level = options.max_level;
  TRY(out.needs, parse_needs(options.needs));
  return out;
}

Result<ExitCode> run(const Options& options) {
  if (options.policy.empty())
    return bad_input("no policy is named", "type: sluice sim chain --policy FILE");
  TRY(ChainStudy study, read_study(options));
  LoadedWorkload others;
  if (options.others->any()) {
    TRY(others, load_workload(*options.others, study.policy));
    study.others = &others.workload;
    // By then the queue is as it usually is.
    study.begin = (others.workload.items.back().submit - others.workload.items.front().submit) / 4;
  }
  if (!options.at.empty()) {
    TRY(study.begin, time_of("--at", options.at));
  }
  TRY(const ChainStudyReport report, study_chain(study));
  std::optional<ChainStudyReport> top;
  if (report.ladder.size() > 1) {
    TRY(top, study_top_alone(study));
  }
  fmt::print("{}",
             options.json ? chain_study_json(report, top) : chain_study_text(study, report, top));
  return report.completed == report.tasks ? ExitCode::kDone : ExitCode::kWorkFailed;
}

}  // namespace

void add_sim_chain(Command& sim, ExitCode& exit_code) {
  Command* verb = sim.add_subcommand(
      "chain",
      "A chain whose tasks climb a ladder, over accounts that fill up, beside others' jobs");
  auto options = std::make_shared<Options>();
  verb->add_option("--policy", options->policy, "The policy file")->type_name("FILE");
  verb->add_option("--array", options->array, "The tasks, as sbatch takes them")
      ->type_name("INDICES")
      ->capture_default_str();
  verb->add_option("--mem", options->memory, "Memory a task asks for first")
      ->type_name("M")
      ->capture_default_str();
  verb->add_option("--time", options->time, "Time a task asks for first")
      ->type_name("T")
      ->capture_default_str();
  verb->add_option("--cpus", options->cpus, "CPUs of a task")
      ->between(1, 1'000'000)
      ->type_name("N");
  verb->add_option("--gpus", options->gpus, "GPUs of a task")
      ->between(0, 1'000'000)
      ->type_name("N");
  verb->add_option("-p,--partition", options->partition, "Partitions, as sbatch takes them")
      ->type_name("NAME");
  verb->add_option("-q,--qos", options->qos, "The QoS")->type_name("NAME");
  verb->add_option("-A,--account", options->accounts,
                   "The account; several: tasks go to whichever has room")
      ->type_name("A,B");
  verb->add_option("--user", options->user,
                   "The user of the chain; else the first user who may use them")
      ->type_name("NAME");
  verb->add_option("--ladder", options->ladder,
                   "The levels to climb; else memory and time double as far as partitions go")
      ->type_name("FILE");
  verb->add_option("--max-level", options->max_level, "End the ladder there")->type_name("N");
  verb->add_option("--needs", options->needs,
                   "What tasks really take: mem=500M..6G,run=5m..2h[,fail=0.01,seed=1]")
      ->type_name("NEEDS");
  verb->add_option("--at", options->at,
                   "Submit it so long after the others' first job; else after a quarter of them")
      ->type_name("TIME");
  add_workload_options(*verb, options->others);
  verb->add_flag("--json", options->json, "As JSON");
  verb->footer(
      "The same code that carries chains forward on this machine and on Slurm runs here. A task\n"
      "that needs more memory than it asked for ends OUT_OF_MEMORY on its way, one that needs\n"
      "longer ends TIMEOUT. -w names the jobs of others, as for sluice sim. Exit code 1 where a\n"
      "task did not complete.\n\n"
      "Examples:\n"
      "  sluice sim chain --policy policy.yaml --needs mem=500M..6G,run=5m..2h --array=0-499\n"
      "  sluice sim chain --policy policy.yaml -A lab,dept --needs mem=1G..8G -w "
      "jobs=3000,load=0.9\n"
      "  sluice sim chain --policy policy.yaml --ladder ladder.yaml --needs fail=0.02 --json");
  verb->callback([options, &exit_code] {
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
