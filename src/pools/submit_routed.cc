// A job or an array for whichever accounts have room now: look, decide, submit, and look again
// where it waits for room or keeps tasks back.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "chains/routed_submission.h"
#include "cli/local_time.h"
#include "cli/own_user.h"
#include "cli/submission_notes.h"
#include "escalation/next_step.h"
#include "escalation/spread_along.h"
#include "pools/ahead.h"
#include "pools/asked.h"
#include "pools/chain_context.h"
#include "pools/counters.h"
#include "pools/notify.h"
#include "pools/routed_cluster.h"
#include "pools/routing_context.h"
#include "pools/submit_line.h"
#include "routing/past_runtimes.h"
#include "routing/simulated_route.h"
#include "text/array_spec.h"
#include "text/duration.h"
#include "views/notice.h"
#include "views/pool_words.h"
#include "views/refusal_text.h"
#include "views/when_fields.h"

namespace sluice {
namespace {

ChainTerms terms_of(const Asked& asked) {
  const OwnOptions& own = asked.request.own;
  ChainTerms out;
  out.engine = asked.engine;
  out.spread = true;
  out.device = own.device;
  out.shape = own.shape;
  // One account that the job names is meant as well as several.
  out.accounts =
      asked.accounts.empty() ? listed_names({asked.request.spec.account}) : asked.accounts;
  out.keep_back = own.keep_back;
  out.gpu_runtime = own.gpu_runtime;
  out.cpu_runtime = own.cpu_runtime;
  return out;
}

class Routing {
 public:
  Routing(Asked asked, RoutingSettings settings, RoutedCluster on)
      : own_(asked.request.own),
        request_(asked.request),
        settings_(std::move(settings)),
        on_(std::move(on)),
        chain_(routed_chain(asked.request.spec, terms_of(asked))),
        submission_(chain_ports(), chain_) {
    own_.dry_run = own_.dry_run || request_.test_only;
  }

  Result<ExitCode> run() {
    const Instant begin = now_here();
    for (;;) {
      TRY_VOID(look());
      if (route().full && own_.wait_for_capacity && !own_.dry_run && may_have_room()) {
        const Duration waited = now_here() - begin;
        if (!own_.capacity_limit || waited < *own_.capacity_limit) {
          wait_for_room(waited);
          continue;
        }
      }
      if (route().full && !submitted_) return full();
      if (route().unplaced > 0 && !own_.keep_back)
        return tl::unexpected<Error>(
            Error{ErrorKind::kNoCapacity,
                  fmt::format("{} of {} tasks are more than may be submitted now", route().unplaced,
                              tasks()),
                  {},
                  "nothing was submitted; --keep-back submits as many as fit and the rest later"});
      if (own_.dry_run) {
        show_plan();
        return ExitCode::kDone;
      }
      if (!route().full) TRY_VOID(submit());
      if (left().empty() || !chain_.array || route().kept_back == 0) break;
      fmt::print(stderr, "sluice: {} tasks are kept back; looking again in {} s\n", left().size(),
                 to_seconds(on_.look_again));
      wait_for(on_.look_again);
    }
    if (!request_.wait) return ExitCode::kDone;
    TRY(const bool completed, submission_.wait_for_end(on_.look_again, wait_for));
    if (chain_.array && !request_.quiet) fmt::print(stderr, "{}", ends_text());
    return completed ? ExitCode::kDone : ExitCode::kWorkFailed;
  }

 private:
  // "4 tasks: 3 completed, 1 failed".
  std::string ends_text() const {
    IndexSet failed;
    std::size_t all = 0;
    for (const Task& task : submission_.chain().tasks) {
      ++all;
      if (task.state != TaskState::kCompleted) failed.insert_range(task.index, task.index);
    }
    std::string out =
        fmt::format("{} task{}: {} completed", all, all == 1 ? "" : "s", all - failed.size());
    if (failed.size() == 0) return out + "\n";
    return out +
           fmt::format(", {} not\n  not completed: {}\n", failed.size(), compress_indices(failed));
  }

  const Route& route() const { return spreading_.route; }
  const std::vector<Pool>& pools() const { return spreading_.pools; }
  IndexSet left() const { return submission_.left(); }
  std::int64_t tasks() const { return static_cast<std::int64_t>(left().size()); }

  void wait_for_room(Duration waited) {
    if (!said_waiting_) {
      fmt::print(stderr, "{}", text());
      for (const std::string& problem :
           deliver_notice(pools_notice_json(own_user(), request_.spec.name, now_here())))
        fmt::print(stderr, "sluice: a notice was not delivered: {}\n", problem);
    }
    said_waiting_ = true;
    Duration pause = on_.look_again;
    if (own_.capacity_limit) pause = std::min(pause, *own_.capacity_limit - waited);
    fmt::print(stderr, "sluice: every pool is full; looking again in {} s\n",
               std::max<std::int64_t>(1, to_seconds(pause)));
    wait_for(pause);
  }

  Result<void> look() {
    TRY_VOID(submission_.look());
    TRY(seen_, on_.cluster->describe());
    if (!seen_.behind.empty())
      return tl::unexpected<Error>(
          Error{ErrorKind::kUnreachable,
                fmt::format("{} does not answer: {}", on_.nickname, seen_.behind),
                {},
                submitted_ ? "" : "nothing was submitted"});
    TRY_VOID(check_accounts());
    TRY_VOID(check_partitions());
    // Tasks that were handed in before and still wait take up room.
    Chain now = submission_.chain();
    now.terms = chain_.terms;
    std::vector<Pool> found = pools_for(now, {}, seen_, settings_);
    if (found.empty()) return tl::unexpected<Error>(no_account_for_this(seen_, allowed_qos_text()));
    learn_runtimes(found);
    now.terms = chain_.terms;
    spreading_ = spread_over(now, left(), {}, std::move(found));
    if (own_.by_finish()) look_ahead(now);
    return {};
  }

  // Simulated runs of the cluster as it is decide, where they say something.
  void look_ahead(const Chain& chain) {
    const RouteRequest request = route_request(chain, left());
    const std::vector<std::size_t> may = pools_that_may_finish(pools(), request);
    if (may.empty()) return;
    FinishQuestion question;
    question.tasks = request.tasks;
    question.array = request.array;
    if (chain_.throttle) question.throttle = *chain_.throttle;
    const JobSpec spec = spec_asking(chain.spec, {});
    for (const std::size_t i : may) {
      const Pool& pool = pools()[i];
      FinishPool& one = question.pools.emplace_back();
      one.request = placement_in(spec, pool).shape;
      one.run = pool.device == Device::kGpu ? request.gpu_runtime : request.cpu_runtime;
      one.most = std::min(pool.submittable, request.tasks);
    }
    if (!route().full && route().unplaced == 0)
      for (const std::size_t i : may) question.by_slots.push_back(tasks_for(i));
    finish_names_.clear();
    for (const std::size_t i : may) finish_names_.push_back(pool_name(pools()[i]));
    auto card = finish_of(on_.slurm ? AheadOf::kSlurm : AheadOf::kDaemon, std::move(question));
    finish_.reset();
    if (!card || card->tasks.empty()) {
      fmt::print(stderr, "sluice: warning: when tasks would end cannot be simulated ({}): {}\n",
                 card ? "no way to share them out ends in sight" : card.error().what,
                 route().full ? "no pool has room now" : "what is free now decides");
      return;
    }
    for (const std::string& note : card->notes) fmt::print(stderr, "sluice: {}\n", note);
    std::vector<std::int64_t> tasks(pools().size(), 0);
    for (std::size_t i = 0; i < may.size(); ++i) tasks[may[i]] = card->tasks[i];
    std::vector<Pool> found = std::move(spreading_.pools);
    Route decided = route_by_simulation(found, request, tasks);
    spreading_ = spread_along(chain, left(), {}, std::move(found), std::move(decided));
    finish_ = std::move(*card);
  }

  std::int64_t tasks_for(std::size_t pool) const {
    for (const PoolShare& share : route().shares)
      if (share.pool == pool) return share.tasks;
    return 0;
  }

  // Where both devices would do and run times decide, tasks of the same name tell them. What was
  // said with --runtime counts before them.
  void learn_runtimes(const std::vector<Pool>& found) {
    const auto has = [&](Device device) {
      return std::any_of(found.begin(), found.end(),
                         [&](const Pool& pool) { return pool.device == device; });
    };
    if (learnt_ || !chain_.array || !has(Device::kGpu) || !has(Device::kCpu)) return;
    learnt_ = true;
    ChainTerms& terms = chain_.terms;
    if (terms.gpu_runtime && terms.cpu_runtime) return;
    const auto runs = on_.cluster->past_runs(chain_.spec.name);
    if (!runs) return;  // Then they are not known.
    const PastRuntimes known = past_runtimes(*runs);
    const auto take = [&](std::optional<Duration>& said, const std::optional<PastRuntime>& past,
                          std::string_view device) {
      if (said || !past) return;
      said = past->median;
      runtimes_from_ +=
          fmt::format("{}{} on {} (the middle of {} finished tasks named {})",
                      runtimes_from_.empty() ? "" : ", ", format_friendly_duration(past->median),
                      device, past->tasks, chain_.spec.name);
    };
    take(terms.gpu_runtime, known.gpu, "a GPU");
    take(terms.cpu_runtime, known.cpu, "CPUs");
  }

  RoutePage page() const {
    RoutePage out;
    out.runtimes_from = runtimes_from_;
    const ChainTerms& terms = chain_.terms;
    if (terms.gpu_runtime && !terms.cpu_runtime) out.not_known_on = "CPUs";
    if (!terms.gpu_runtime && terms.cpu_runtime) out.not_known_on = "GPUs";
    out.pools = {&seen_, pools(), date_, now_here(), terminal_width()};
    out.route = &route();
    for (const Share& share : spreading_.shares)
      out.tasks.push_back(chain_.array ? compress_indices(share.tasks) : "");
    return out;
  }
  std::string text() const { return text_of(page()); }
  std::string text_of(const RoutePage& page) const {
    if (!own_.json)
      return route_table(page) + (finish_ ? "\n" + finish_text(*finish_, finish_names_) : "");
    std::string json = route_json(page);
    // What was simulated stands in the same object.
    if (finish_) json.insert(json.find('{') + 1, "\"simulated\": " + to_json(*finish_) + ", ");
    return json;
  }

  // Whether waiting helps: some pool that may be used could take a task, were it empty. What is
  // drained or closed now may come back.
  bool may_have_room() const {
    return std::any_of(pools().begin(), pools().end(), [](const Pool& pool) {
      return pool.left_out == LeftOut::kNo && !pool.never();
    });
  }

  Result<void> check_partitions() const {
    for (const std::string& name : chain_.spec.partitions)
      if (!seen_.policy->find_partition(name))
        return tl::unexpected<Error>(
            Error{ErrorKind::kNotAllowed,
                  fmt::format("there is no partition '{}' on {}", name, seen_.policy->cluster),
                  {},
                  "nothing was submitted; " + partitions_text(*seen_.policy)});
    return {};
  }

  // Where a QoS is asked for that none of the accounts may use.
  std::string allowed_qos_text() const {
    if (chain_.spec.qos.empty()) return {};
    std::string out;
    const Refusal refusal{Reason{.rule = Rule::kInvalidQos}, {}};
    for (const std::string& account : accounts_of(seen_))
      if (const std::string text =
              refusal_detail(*seen_.policy, {seen_.user, account, chain_.spec.qos, {}}, refusal);
          !text.empty())
        out += text + "\n  ";
    return out;
  }

  // A mistyped name is not a full pool. A list may name accounts that others of the group have and
  // this user has not.
  Result<void> check_accounts() {
    const std::vector<std::string> known = accounts_of(seen_);
    std::vector<std::string> unknown;
    for (const std::string& name : chain_.terms.accounts)
      if (std::none_of(known.begin(), known.end(),
                       [&](const std::string& one) { return is_same_account(one, name); }))
        unknown.push_back(name);
    if (unknown.empty()) return {};
    const std::string what = fmt::format("{} has no account '{}' on {}", seen_.user,
                                         fmt::join(unknown, "', '"), seen_.policy->cluster);
    if (unknown.size() == chain_.terms.accounts.size())
      return tl::unexpected<Error>(
          Error{ErrorKind::kNotAllowed,
                what,
                {},
                fmt::format("nothing was submitted; there are: {}", fmt::join(known, ", "))});
    if (!std::exchange(said_unknown_, true)) fmt::print(stderr, "sluice: {}: left out\n", what);
    return {};
  }

  ExitCode full() const {
    if (own_.json)
      fmt::print("{}", text());
    else
      fmt::print(stderr, "{}\n", text());
    if (!may_have_room())
      return report(Error{ErrorKind::kNotAllowed,
                          "no pool will ever take this, and nothing was submitted",
                          {},
                          "ask for less, or for another account or device: sluice pools"});
    for (const Pool& pool : pools())
      if (pool.left_out == LeftOut::kNo && pool.now == 0 && !pool.holders.empty())
        fmt::print(stderr, "{} is held by {} ({})\n", pool_name(pool), pool.holders.front().user,
                   amounts_text(pool.holders.front().tres, seen_.policy->tres));
    return report(Error{ErrorKind::kNoCapacity,
                        "every pool is full, and nothing was submitted",
                        {},
                        "wait with --wait-for-capacity, or look at: sluice pools"});
  }

  // The jobs as they would be handed in: each array within MaxArraySize, with its part of the
  // throttle.
  void show_plan() const {
    fmt::print("{}", text());
    if (own_.json) return;
    PackingLimits limits;
    limits.max_array_size = seen_.capabilities.max_array_size;
    Chain chain = chain_;
    // The copy that the nodes would read is not made: the script itself takes its place.
    const std::string& file = chain_.spec.launch.command;
    if (file.starts_with('/')) chain.script_path = file;
    std::vector<Share> shares = spreading_.shares;
    const auto intended =
        hand_in(chain, limits, now_here(), [&](const Chain&, const IndexSet&, const Request&) {
          return Result<std::vector<Share>>(std::exchange(shares, {}));
        });
    fmt::print("\nWould run:\n");
    for (const Batch& batch : intended.value().batches) {
      JobSpec spec = batch_job(chain, batch);
      if (batch.offset > 0) {
        if (::access(chain.script_path.c_str(), X_OK) != 0)
          fmt::print("  # the next line needs {} as a program: chmod +x\n",
                     file.starts_with('/') ? file : "the script in a file");
        spec.launch.command.clear();  // What is submitted starts the script.
      }
      fmt::print("  {}\n", submit_line(spec, on_.slurm));
    }
  }

  Result<void> submit() {
    const auto say = [](const std::string& note) { fmt::print(stderr, "sluice: {}\n", note); };
    TRY(const std::vector<SubmittedShare> jobs,
        submission_.hand_in(spreading_.shares, say, wait_for));
    submitted_ = true;
    // On Slurm others name what was submitted: the last of them is as good as any.
    std::string ids;
    for (const SubmittedShare& one : jobs)
      ids = (ids.empty() || on_.slurm ? "" : ids + ",") + std::to_string(one.job.job.value());
    if (!jobs.empty())
      remember_last({on_.slurm ? SubmittedAs::kOnSlurm : SubmittedAs::kJob, std::move(ids)});
    for (const Share& share : spreading_.shares) {
      if (!share.placement) continue;
      const Placement& to = *share.placement;
      count_up(CountOf::kRoute,
               fmt::format("{} {} {}", to.shape.account, to.shape.qos,
                           to.pool.ends_with("/gpu") ? "gpu" : "cpu"),
               static_cast<std::int64_t>(chain_.array ? share.tasks.size() : 1));
    }
    if (own_.json) {
      RoutePage with_jobs = page();
      for (const SubmittedShare& one : jobs) with_jobs.jobs.push_back(one.job);
      fmt::print("{}", text_of(with_jobs));
    } else if (!request_.parsable) {
      fmt::print("{}\n", text());
    }
    for (const SubmittedShare& one : jobs) {
      if (own_.json) continue;
      if (request_.parsable)
        fmt::print("{}\n", one.job.job.value());
      else
        fmt::print("Submitted batch job {} to {}\n", one.job.job.value(), one.pool);
    }
    std::fflush(stdout);
    return {};
  }

  OwnOptions own_;
  SbatchRequest request_;
  RoutingSettings settings_;
  RoutedCluster on_;
  Chain chain_;  // As asked for; what was handed in of it stands in the submission.
  RoutedSubmission submission_;
  std::string date_ = today();
  Description seen_;
  Spreading spreading_;
  bool submitted_ = false;
  bool said_waiting_ = false;
  bool said_unknown_ = false;
  bool learnt_ = false;
  std::string runtimes_from_;
  std::optional<FinishCard> finish_;  // Where simulated runs decided.
  std::vector<std::string> finish_names_;
};

}  // namespace

Result<ExitCode> submit_routed(Asked asked) {
  const OwnOptions& own = asked.request.own;
  if (own.by_finish() && (own.keep_back || own.wait_for_capacity))
    return bad_input("--by finish submits everything now, to the pools that finish it first",
                     "leave out --keep-back and --wait-for-capacity");
  TRY(RoutingSettings settings, load_routing_settings());
  TRY_VOID(check_shape(settings, asked.request.own.shape));
  TRY(RoutedCluster on, open_cluster(asked.engine, Look::kNow));
  if (on.slurm && asked.request.own.capture)
    return bad_input("--capture: Slurm keeps no output by itself", "name a file with --output");
  return Routing(std::move(asked), std::move(settings), std::move(on)).run();
}

}  // namespace sluice
