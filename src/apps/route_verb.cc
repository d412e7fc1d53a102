// sluice route: submits a job or an array to whichever accounts have room now.
#include "apps/route_verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/files.h"
#include "apps/held_submission.h"
#include "apps/move_notes.h"
#include "apps/mover.h"
#include "apps/routed_cluster.h"
#include "apps/routed_job.h"
#include "apps/routing_context.h"
#include "apps/submission_record.h"
#include "cli/command.h"
#include "cli/local_time.h"
#include "policyfile/account_commands.h"
#include "routing/awaited.h"
#include "routing/past_runtimes.h"
#include "routing/routed_spec.h"
#include "routing/router.h"
#include "text/array_spec.h"
#include "text/duration.h"
#include "views/pool_words.h"

namespace sluice {
namespace {

class Routing {
 public:
  Routing(RouteOptions options, JobHere job, RoutingSettings settings, RoutedCluster on)
      : options_(std::move(options)),
        job_(std::move(job)),
        settings_(std::move(settings)),
        on_(std::move(on)) {
    if (job_.spec.array) left_ = job_.spec.array->indices;
    job_.spec.launch.capture = options_.capture;
    options_.dry_run = options_.dry_run || job_.test_only;
    // What the script says of its account is meant as well as what is typed.
    if (options_.accounts.empty()) options_.accounts = listed_names({job_.spec.account});
  }

  Result<ExitCode> run() {
    if (!options_.dry_run) TRY_VOID(tidy_up(*on_.cluster, on_.notes));
    if (!options_.dry_run) TRY_VOID(finish_moves(on_));
    const Instant begin = now_here();
    for (;;) {
      TRY_VOID(look());
      if (route_.full && options_.wait && !options_.dry_run && may_have_room()) {
        const Duration waited = now_here() - begin;
        if (!options_.wait_limit || waited < *options_.wait_limit) {
          if (!said_waiting_) fmt::print(stderr, "{}", text());
          said_waiting_ = true;
          Duration pause = on_.look_again;
          if (options_.wait_limit) pause = std::min(pause, *options_.wait_limit - waited);
          fmt::print(stderr, "sluice: every pool is full; looking again in {} s\n",
                     std::max<std::int64_t>(1, to_seconds(pause)));
          wait_for(pause);
          continue;
        }
      }
      if (route_.full && submitted_.empty()) return full();
      if (route_.unplaced > 0 && !options_.keep_back)
        return bad_input(
            fmt::format("{} of {} tasks are more than may be submitted now", route_.unplaced,
                        tasks()),
            "nothing was submitted; --keep-back submits as many as fit and the rest later");
      if (options_.dry_run) {
        show_plan();
        return ExitCode::kDone;
      }
      if (!route_.full) TRY_VOID(submit());
      if (left_.empty() || !job_.spec.array || route_.kept_back == 0) break;
      fmt::print(stderr, "sluice: {} tasks are kept back; looking again in {} s\n", left_.size(),
                 to_seconds(on_.look_again));
      wait_for(on_.look_again);
    }
    return job_.wait ? wait_for_all() : ExitCode::kDone;
  }

 private:
  std::int64_t tasks() const {
    return job_.spec.array ? static_cast<std::int64_t>(left_.size()) : 1;
  }

  Result<void> look() {
    TRY(seen_, on_.cluster->describe());
    if (!seen_.behind.empty())
      return tl::unexpected<Error>(
          Error{ErrorKind::kUnreachable,
                fmt::format("{} does not answer: {}", on_.nickname, seen_.behind),
                {},
                submitted_.empty() ? "nothing was submitted" : ""});
    const TaskNeeds needs = needs_of(job_.spec, options_.device, settings_, seen_);
    pools_ = find_pools(seen_, settings_, needs);
    if (pools_.empty())
      return tl::unexpected<Error>(Error{
          ErrorKind::kNotAllowed,
          fmt::format("{} may use no account for this on {}", seen_.user, seen_.policy->cluster),
          {},
          "type: sluice pools"});
    TRY_VOID(check_accounts());
    RouteRequest request;
    request.tasks = tasks();
    request.array = job_.spec.array.has_value();
    request.accounts = options_.accounts;
    learn_runtimes(needs);
    request.gpu_runtime = options_.gpu_runtime;
    request.cpu_runtime = options_.cpu_runtime;
    request.keep_back = options_.keep_back;
    route_ = route(pools_, request);
    parts_ = tasks_of_shares(left_, route_);
    return {};
  }

  // Where both devices would do and run times decide, tasks of the same name tell them. What was
  // said with --runtime counts before them.
  void learn_runtimes(const TaskNeeds& needs) {
    if (learnt_ || !job_.spec.array || !needs.gpu || !needs.cpu) return;
    learnt_ = true;
    if (options_.gpu_runtime && options_.cpu_runtime) return;
    const auto runs = on_.cluster->past_runs(job_.spec.name);
    if (!runs) return;  // Then they are not known.
    const PastRuntimes known = past_runtimes(*runs);
    const auto take = [&](std::optional<Duration>& said, const std::optional<PastRuntime>& past,
                          std::string_view device) {
      if (said || !past) return;
      said = past->median;
      runtimes_from_ +=
          fmt::format("{}{} on {} (the middle of {} finished tasks named {})",
                      runtimes_from_.empty() ? "" : ", ", format_friendly_duration(past->median),
                      device, past->tasks, job_.spec.name);
    };
    take(options_.gpu_runtime, known.gpu, "a GPU");
    take(options_.cpu_runtime, known.cpu, "CPUs");
  }

  RoutePage page() const {
    RoutePage out;
    out.runtimes_from = runtimes_from_;
    if (options_.gpu_runtime && !options_.cpu_runtime) out.not_known_on = "CPUs";
    if (!options_.gpu_runtime && options_.cpu_runtime) out.not_known_on = "GPUs";
    out.pools = {&seen_, pools_, date_, now_here(), terminal_width()};
    out.route = &route_;
    for (std::size_t i = 0; i < route_.shares.size(); ++i)
      out.tasks.push_back(job_.spec.array ? compress_indices(parts_[i]) : "");
    return out;
  }
  std::string text() const { return options_.json ? route_json(page()) : route_table(page()); }

  // Whether waiting helps: some pool that may be used could take a task, were it empty. What is
  // drained or closed now may come back.
  bool may_have_room() const {
    const std::vector<Partition>& partitions = seen_.policy->partitions;
    if (std::any_of(seen_.nodes.begin(), seen_.nodes.end(),
                    [](const auto& node) { return !node.usable; }) ||
        std::any_of(partitions.begin(), partitions.end(),
                    [](const Partition& it) { return it.state != PartitionState::kUp; }))
      return true;
    return std::any_of(pools_.begin(), pools_.end(), [&](const Pool& pool) {
      const auto& named = options_.accounts;
      return pool.left_out == LeftOut::kNo && pool.at_most > 0 &&
             (named.empty() || std::find(named.begin(), named.end(), pool.account) != named.end());
    });
  }

  // A name that is mistyped is no pool that is full. Of several a list may name one that others
  // of the group have and this user has not.
  Result<void> check_accounts() {
    std::vector<std::string> known;
    for (const Pool& pool : pools_)
      if (std::find(known.begin(), known.end(), pool.account) == known.end())
        known.push_back(pool.account);
    std::vector<std::string> unknown;
    for (const std::string& name : options_.accounts)
      if (std::find(known.begin(), known.end(), name) == known.end()) unknown.push_back(name);
    if (unknown.empty()) return {};
    const std::string what = fmt::format("{} has no account '{}' for this on {}", seen_.user,
                                         fmt::join(unknown, "', '"), seen_.policy->cluster);
    if (unknown.size() == options_.accounts.size())
      return tl::unexpected<Error>(
          Error{ErrorKind::kNotAllowed,
                what,
                {},
                fmt::format("nothing was submitted; there are: {}", fmt::join(known, ", "))});
    if (!std::exchange(said_unknown_, true)) fmt::print(stderr, "sluice: {}: left out\n", what);
    return {};
  }

  ExitCode full() const {
    if (options_.json)
      fmt::print("{}", text());
    else
      fmt::print(stderr, "{}\n", text());
    if (!may_have_room())
      return report(Error{ErrorKind::kNotAllowed,
                          "no pool will ever take this, and nothing was submitted",
                          {},
                          "ask for less, or for another account or device: sluice pools"});
    for (const Pool& pool : pools_)
      if (pool.left_out == LeftOut::kNo && pool.now == 0 && !pool.holders.empty())
        fmt::print(stderr, "{} is held by {} ({})\n", pool_name(pool), pool.holders.front().user,
                   amounts_text(pool.holders.front().tres, seen_.policy->tres));
    return report(Error{ErrorKind::kNoCapacity,
                        "every pool is full, and nothing was submitted",
                        {},
                        "wait with --wait-for-capacity, or look at: sluice pools"});
  }

  JobSpec spec_of(std::size_t share) const {
    std::optional<IndexSet> part;
    if (job_.spec.array) part = parts_[share];
    return spec_for(job_.spec, pools_[route_.shares[share].pool], part,
                    job_.spec.array ? job_.spec.array->indices.size() : 1);
  }

  void show_plan() const {
    fmt::print("{}", text());
    if (options_.json) return;
    fmt::print("\nWould run, and then release:\n");
    for (std::size_t i = 0; i < route_.shares.size(); ++i)
      fmt::print("  {}\n", shell_quoted(on_.submit_line(spec_of(i))));
  }

  Result<void> submit() {
    std::vector<JobSpec> specs;
    for (std::size_t i = 0; i < route_.shares.size(); ++i) specs.push_back(spec_of(i));
    TRY(const std::vector<RemoteJob> jobs,
        submit_all(*on_.cluster, std::move(specs), on_.notes, on_.requests));
    if (options_.json) {
      RoutePage with_jobs = page();
      with_jobs.jobs = jobs;
      fmt::print("{}", route_json(with_jobs));
    } else if (!job_.parsable) {
      fmt::print("{}\n", text());
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      submitted_.push_back(jobs[i]);
      for (const std::uint32_t task :
           parts_.empty() ? std::vector<std::uint32_t>{} : parts_[i].to_vector())
        left_.erase(task);
      if (options_.json) continue;
      if (job_.parsable)
        fmt::print("{}\n", jobs[i].job.value());
      else
        fmt::print("Submitted batch job {} to {}\n", jobs[i].job.value(),
                   pool_name(pools_[route_.shares[i].pool]));
    }
    std::fflush(stdout);
    return {};
  }

  // Until all have ended, as sbatch --wait; failed where one of them was not completed.
  Result<ExitCode> wait_for_all() {
    Awaited awaited(submitted_);
    const MoveNotes notes(on_.moves, seen_.policy->cluster);
    for (;;) {
      // Moves after the jobs: one that is seen cancelled for a move has its note by then.
      TRY(const std::vector<Sighting> seen, on_.cluster->observe(awaited.refs()));
      TRY(const std::vector<Replacement> moves, notes.known());
      const Awaited::End end = awaited.look(seen, moves);
      if (end == Awaited::End::kCompleted) return ExitCode::kDone;
      if (end == Awaited::End::kFailed) return ExitCode::kWorkFailed;
      wait_for(on_.look_again);
    }
  }

  RouteOptions options_;
  JobHere job_;
  RoutingSettings settings_;
  RoutedCluster on_;
  std::string date_ = today();
  Description seen_;
  std::vector<Pool> pools_;
  Route route_;
  std::vector<IndexSet> parts_;
  IndexSet left_;
  std::vector<RemoteJob> submitted_;
  bool said_waiting_ = false;
  bool said_unknown_ = false;
  bool learnt_ = false;
  std::string runtimes_from_;
};

}  // namespace

Destination destination_of(std::span<char* const> argv) {
  const std::vector<std::string> words(argv.begin() + (argv.empty() ? 0 : 1), argv.end());
  Destination out;
  out.slurm = usual_engine() == "slurm";
  if (words.empty()) return out;
  const bool submission = words.front() == "submit";
  const auto rest = std::span(words).subspan(1);
  if (const auto engine = named_engine(rest, submission)) {
    out.slurm = *engine == "slurm";
    out.routed = submission;
  }
  out.routed = out.routed || out.slurm || (submission && asks_for_routing(rest));
  return out;
}

std::optional<ExitCode> run_route(std::span<const std::string> arguments) {
  auto options = read_route_options(arguments);
  if (!options) return report(options.error());
  if (options->help) return std::nullopt;
  auto settings = load_routing_settings();
  if (!settings) return report(settings.error());
  auto on = open_cluster(options->engine, Look::kNow);
  if (!on) return report(on.error());
  if (on->slurm && options->capture)
    return report(Error{ErrorKind::kBadInput,
                        "--capture: Slurm keeps no output by itself",
                        {},
                        "name a file with --output"});
  auto job = read_job_here(options->rest);
  if (!job) return report(job.error());
  for (const std::string& warning : job->warnings) fmt::print(stderr, "sluice: {}\n", warning);
  const auto done =
      Routing(std::move(*options), std::move(*job), std::move(*settings), std::move(*on)).run();
  return done ? *done : report(done.error());
}

static void add_as(const char* name, Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand(name, "Submit to whichever of your accounts have room now");
  verb->prefix_command();
  verb->footer(
      "Options:\n"
      "  --on embedded|slurm         where: this machine, or Slurm; else what SLUICE_ON says\n"
      "  --device gpu|cpu|any        which pools to use; else what the job asks for, and the "
      "other\n"
      "                              device too where routing.yaml says what a task needs there\n"
      "  --account a,b               only these accounts\n"
      "  --runtime gpu=22m,cpu=282m  known run times: what finishes first decides, not slots; "
      "else\n"
      "                              those of finished tasks of the same name, where there are "
      "some\n"
      "  --dry-run                   every decision and its reason, and the exact lines to type\n"
      "  --wait-for-capacity[=TIME]  wait while every pool is full\n"
      "  --keep-back                 submit what can start now, the rest as pools free up\n"
      "  --json                      the decision and the jobs' numbers as JSON\n"
      "  --capture                   on this machine: keep the output for `sluice logs`\n"
      "  --chain, --ladder FILE      what runs out of memory or time comes back with more:\n"
      "                              sluice submit --chain --help\n"
      "Everything else is sbatch's: --array, --mem, --time, --gres, --parsable, #SBATCH lines.\n"
      "Tasks find SLUICE_DEVICE (gpu or cpu) and SLUICE_ACCOUNT in their environment.\n\n"
      "Exit codes: 69 nobody answers, 75 every pool is full, 77 no pool will ever take it (with "
      "both\n"
      "nothing is submitted), 76 an answer was lost (the message says what to do).\n\n"
      "Examples:\n"
      "  sluice route --dry-run --array=0-99 --gres=gpu:1 --mem=125G decon.sh\n"
      "  sluice route --device any --runtime gpu=22m,cpu=282m --array=0-199 decon.sh\n"
      "  sluice route --wait-for-capacity=2h --mem=62G qc.sh 'sample one'\n");
  verb->callback([verb, &exit_code] {
    if (const auto done = run_route(verb->remaining())) exit_code = *done;
  });
}

void add_route(Command& root, ExitCode& exit_code) { add_as("route", root, exit_code); }
void add_routed_submit(Command& root, ExitCode& exit_code) { add_as("submit", root, exit_code); }

}  // namespace sluice
