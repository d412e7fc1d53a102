// Feeds a workload to an engine in virtual time.
#include "sim/simulation.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "engine/codec.h"
#include "model/event.h"
#include "policy/conservative.h"
#include "policy/gates.h"
#include "sim/checkpoint.h"
#include "sim/virtual_time.h"
#include "sim/workloads/request_table.h"

namespace sluice {
namespace {

// How long a job may wait for nothing but the decay of past usage: eight of Slurm's half-lives.
constexpr Duration kPatience = std::chrono::hours(24 * 7 * 8);

// Whether a limit on past usage can let a job go just because time passes.
bool usage_can_free(const Policy& policy) {
  const auto decays = [](const GroupLimits& group) {
    return !group.tres_minutes.empty() || group.wall.has_value();
  };
  for (const Association& assoc : policy.associations)
    if (decays(assoc.group)) return true;
  for (const Qos& qos : policy.qos)
    if (decays(qos.group)) return true;
  return false;
}

class Replay {
 public:
  Replay(const Workload& workload, const SimulationOptions& options)
      : workload_(workload),
        options_(options),
        engine_(Engine::Explain::kNo, options.passes),
        time_(
            engine_, [this](const Job& job) { return fate_of(job); },
            [this](const Turn& turn) { take(turn); }) {
    if (options.observe) {
      choose_observed();
      observer_.emplace(out_.timeline_accounts.size(), out_.timeline_users.size());
    }
  }

  Result<Simulation> run(std::shared_ptr<const Policy> policy) {
    out_.jobs.resize(workload_.items.size());
    running_since_.assign(workload_.items.size(), SimulatedJob::kNever);
    const Instant begin = workload_.items.empty() ? Instant{} : workload_.items.front().submit;
    out_.first_submit = begin;
    if (observer_) {
      observer_->begin(begin);
      slot_of_.assign(workload_.items.size(), 0);
    }
    first_job_ = policy->jobs.first_job_id;
    overtaking_is_backfill_ = policy->scheduler.type == SchedulerType::kEasy ||
                              policy->scheduler.type == kConservativeScheduler;
    widen_requests();
    specs_.assign(widest_.size(), std::nullopt);
    item_of_job_.reserve(workload_.items.size());
    if (options_.keep) kept_turns_ = journal_header();
    if (options_.resume != nullptr) {
      TRY_VOID(resume(*options_.resume));
    } else {
      time_.give(AdoptPolicy{std::move(policy)}, begin);
    }
    for (std::size_t i = out_.submitted; i < workload_.items.size() && !failure_ && goes_on();
         ++i) {
      if (is_too_late(workload_.items[i].submit)) break;
      submit(i);
      ++out_.submitted;
    }
    run_to_the_end();
    if (out_.stopped_early && !out_.reached_until) keep_checkpoint();
    if (failure_) return tl::unexpected<Error>(*failure_);
    if (out_.stopped_early)
      stop_the_clock();
    else
      explain_first_left();
    if (observer_) {
      observer_->advance(out_.last_end, engine_);
      out_.timeline = observer_->timeline(out_.last_end);
      out_.wait_causes = observer_->causes(out_.last_end);
    }
    return std::move(out_);
  }

 private:
  // Everything that happened before, turn by turn, as if it happened now.
  Result<void> resume(const SimulationCheckpoint& from) {
    for (const std::uint32_t item : from.refused) out_.jobs[item].refused = true;
    TRY(JournalReader reader, JournalReader::of_journal(from.turns));
    Turn turn;
    std::size_t item = 0;
    while (true) {
      TRY(const bool more, reader.next(turn.events));
      if (!more) break;
      std::size_t submitted = out_.submitted;
      for (const Event& event : turn.events) {
        const auto* job = std::get_if<JobSubmitted>(&event.body);
        if (job == nullptr) continue;
        while (item < workload_.items.size() && out_.jobs[item].refused) ++item;
        if (item >= workload_.items.size() || workload_.items[item].submit != event.at)
          return bad_input("the checkpoint is of other submissions",
                           "give the same workload as when it was written");
        specs_[asked_[workload_.items[item].request].widest] = job->spec;
        out_.submitted = next_item_ = item;
        submitted = ++item;
      }
      time_.replay(turn, turn.events.front().at);
      out_.submitted = submitted;
    }
    if (reader.cut_off()) return bad_input("the checkpoint is cut off");
    out_.submitted = from.submitted;
    out_.refusals = from.refusals;
    out_.first_refusal = from.first_refusal;
    out_.first_refused = from.first_refused;
    out_.backfilled = from.backfilled;
    out_.turns = from.turn_count;
    engine_.set_pulse(from.engine);
    time_.set_pulse(from.time);
    if (options_.resume_under == nullptr) return {};
    const Reply reply = time_.give(AdoptPolicy{options_.resume_under}, time_.now());
    if (const auto* refused = std::get_if<Refused>(&reply))
      return bad_input("the policy cannot take over: " + refused->refusal.message);
    return {};
  }

  // Only between two inputs.
  void keep_checkpoint() {
    if (!options_.keep || failure_) return;
    SimulationCheckpoint out;
    out.workload = digest_of(workload_);
    out.items = workload_.items.size();
    out.submitted = out_.submitted;
    for (std::uint32_t i = 0; i < out_.submitted; ++i)
      if (out_.jobs[i].refused) out.refused.push_back(i);
    out.refusals = out_.refusals;
    out.first_refused = out_.first_refused;
    out.first_refusal = out_.first_refusal;
    out.engine = engine_.pulse();
    out.time = time_.pulse();
    out.turn_count = out_.turns;
    out.backfilled = out_.backfilled;
    out.turns = kept_turns_;
    if (auto kept = options_.keep(out); !kept) failure_ = kept.error();
  }

  void widen_requests() {
    RequestTable table(widest_);
    std::vector<Duration> longest;
    asked_.reserve(workload_.requests.size());
    for (WorkRequest request : workload_.requests) {
      const Duration limit = request.limit;
      request.limit = Duration(0);
      request.queue = request.log_section = request.program = 0;
      const std::uint32_t number = table.number_of(request);
      asked_.push_back({limit, number, false});
      longest.resize(widest_.size());
      longest[number] = std::max(longest[number], limit);
    }
    for (std::size_t i = 0; i < widest_.size(); ++i) widest_[i].limit = longest[i];
    for (Asked& asked : asked_) asked.longest = asked.limit == longest[asked.widest];
  }

  void submit(std::size_t index) {
    const WorkItem& item = workload_.items[index];
    if (index + kAhead < workload_.items.size())
      __builtin_prefetch(&asked_[workload_.items[index + kAhead].request]);
    // Requests that differ in their limit alone share the one with the longest.
    const Asked& asked = asked_[item.request];
    std::optional<SpecId>& spec = specs_[asked.widest];
    if (!spec) {
      auto request = std::make_shared<JobSpec>();
      fill_spec(workload_, widest_[asked.widest], *request);
      const Reply reply = time_.give(DefineSpec{std::move(request)}, item.submit);
      if (const auto* accepted = std::get_if<SpecAccepted>(&reply)) {
        spec = accepted->spec;
      } else {
        refuse(index, reply);
        return;
      }
    }
    next_item_ = index;
    // Written to when it starts, which is mostly at once.
    __builtin_prefetch(&out_.jobs[index], 1);
    __builtin_prefetch(&running_since_[index], 1);
    SubmitKnown& known = *std::get_if<SubmitKnown>(&submission_);
    known.spec = *spec;
    known.limit.reset();
    if (!asked.longest) known.limit = asked.limit;
    const Reply reply = time_.give(submission_, item.submit);
    if (!std::holds_alternative<Submitted>(reply)) refuse(index, reply);
  }

  // Everything has been submitted.
  void run_to_the_end() {
    const Duration patience = usage_can_free(engine_.state().policy()) ? kPatience : Duration(0);
    Instant idle_since = time_.now();
    while (!failure_ && goes_on()) {
      const auto next = time_.next();
      if (!next) return;
      if (is_too_late(*next)) break;
      if (something_is_due()) idle_since = *next;
      // Priorities are calculated for ever, even where a limit keeps the last jobs for ever.
      if (*next > idle_since + patience) return;
      time_.advance(*next);
    }
  }

  // Whether that is after the time to stop at; then it stops.
  bool is_too_late(Instant at) {
    if (!options_.until || at <= *options_.until) return false;
    time_.pass(*options_.until);
    keep_checkpoint();
    time_.advance(*options_.until);
    out_.stopped_early = out_.reached_until = true;
    return true;
  }

  // Asks from time to time whether anybody wants it to end.
  bool goes_on() {
    if (++asked_how_far_ % kAskEvery != 0 || out_.stopped_early) return !out_.stopped_early;
    if (options_.keeps && options_.keeps()) keep_checkpoint();
    if (!options_.go_on) return true;
    out_.stopped_early =
        !options_.go_on(SimulationProgress{workload_.items.size(), out_.submitted, ended_});
    return !out_.stopped_early;
  }

  // What runs has held its CPUs up to now, and the figures are about all the time up to now.
  void stop_the_clock() {
    out_.last_end = time_.now();
    for (std::size_t item = 0; item < out_.submitted; ++item) pause(item, out_.last_end);
  }

  // Whether anything but the calculation of priorities will happen by itself.
  bool something_is_due() const {
    const State& state = engine_.state();
    return running_ > 0 || !state.begins().empty() || !state.warned().empty();
  }

  // The accounts and users with the most work, to be told apart over time.
  void choose_observed() {
    std::vector<double> accounts(workload_.accounts.size(), 0.0);
    std::vector<double> users(workload_.users.size(), 0.0);
    for (const WorkItem& item : workload_.items) {
      const WorkRequest& request = workload_.request_of(item);
      const double work = static_cast<double>(std::min(item.run, request.limit).count()) *
                          static_cast<double>(request.cpus);
      accounts[request.account] += work;
      users[request.user] += work;
    }
    account_place_ = choose_most(accounts, out_.timeline_accounts);
    user_place_ = choose_most(users, out_.timeline_users);
  }

  // Puts those with the most work into `chosen`; the answer has each one's place, counted from 1.
  static std::vector<std::uint32_t> choose_most(const std::vector<double>& work,
                                                std::vector<std::uint32_t>& chosen) {
    for (std::uint32_t i = 0; i < work.size(); ++i)
      if (work[i] > 0) chosen.push_back(i);
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return work[a] > work[b]; });
    if (chosen.size() > kObservedApart) chosen.resize(kObservedApart);
    std::vector<std::uint32_t> places(work.size(), 0);
    for (std::uint32_t i = 0; i < chosen.size(); ++i) places[chosen[i]] = i + 1;
    return places;
  }

  Observed observed(std::size_t item) const {
    const WorkRequest& request = workload_.request_of(workload_.items[item]);
    return {account_place_[request.account], user_place_[request.user]};
  }

  void refuse(std::size_t index, const Reply& reply) {
    out_.jobs[index].refused = true;
    step_over_settled();
    const auto* refused = std::get_if<Refused>(&reply);
    if (refused == nullptr) return;
    std::string why = refused->refusal.message;
    if (refused->refusal.reason.rule != Rule::kNone)
      why += " (" +
             std::string(slurm_word(refused->refusal.reason, engine_.state().policy().tres)) + ")";
    ++out_.refusals[why];
    if (!out_.first_refusal.empty()) return;
    out_.first_refusal = refused->refusal.message;
    out_.first_refused = index;
  }

  // Nothing will happen any more; jobs that are still there wait for ever.
  void explain_first_left() {
    for (std::size_t i = 0; i < item_of_job_.size(); ++i) {
      const std::size_t item = item_of_job_[i];
      if (out_.jobs[item].ended()) continue;
      const State& state = engine_.state();
      const Job* job = state.find_job(JobId(first_job_ + static_cast<std::uint32_t>(i)));
      if (job == nullptr) continue;
      Reason reason{.rule = Rule::kResources};
      const Shape& shape = state.shape_of_job(*job);
      for (const Gate& gate :
           gates_of(state, shape, shape.partitions.front(), job->limit, shape.asked, time_.now()))
        if (!gate.passed) {
          reason = gate.reason;
          break;
        }
      out_.first_left = item;
      out_.first_left_reason = slurm_word(reason, state.policy().tres);
      return;
    }
  }

  // Jobs are numbered in the order in which they were accepted.
  std::size_t item_of(JobId job) const { return item_of_job_[job.value() - first_job_]; }

  Fate fate_of(const Job& job) const {
    const WorkItem& item = workload_.items[item_of(job.id)];
    return Fate{item.run, Outcome{.state = item.ends, .exit_code = item.ends == JobState::kFailed}};
  }

  void take(const Turn& turn) {
    ++out_.turns;
    out_.events += turn.events.size();
    out_.backfilled += turn.backfilled;
    // Where nothing happened everything stays as it is.
    if (observer_ && !turn.events.empty()) observer_->advance(time_.now(), engine_);
    for (const Event& event : turn.events) take(event);
    out_.most_pending = std::max(out_.most_pending, engine_.state().pending_count());
    out_.most_live = std::max(out_.most_live, engine_.state().job_count());
    if (options_.on_instant && time_.now() != told_ && !out_.stopped_early) {
      told_ = time_.now();
      const SimulationMoment moment{told_, engine_.state().pending_count(), running_};
      out_.stopped_early = !options_.on_instant(moment);
    }
    if (options_.keep) {
      for (const Event& event : turn.events) turn_writer_.append(event);
      turn_writer_.end_batch();
    }
    if (options_.commit && !failure_)
      if (auto committed = options_.commit(turn.events); !committed) failure_ = committed.error();
  }

  void take(const Event& event) {
    if (const auto* started = std::get_if<JobStarted>(&event.body)) {
      const std::size_t item = item_of(started->job);
      SimulatedJob& job = out_.jobs[item];
      if (!job.started()) job.start = event.at;
      job.cpus = job.gpus = 0;
      for (const NodeShare& share : started->allocation.shares()) {
        job.cpus += share.cpus;
        job.gpus += std::popcount(share.gpus);
      }
      running_since_[item] = event.at;
      ++running_;
      ++out_.starts;
      job.state = JobState::kRunning;
      step_over_settled();
      if (oldest_waiting_ < item) {
        ++out_.overtakes;
        // Where one reservation or all places are kept, a job that overtakes was backfilled.
        if (overtaking_is_backfill_) ++out_.backfilled;
      }
      if (observer_) observe_start(item, *started, event.at);
    } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
      const std::size_t item = item_of(ended->job);
      SimulatedJob& job = out_.jobs[item];
      pause(item, event.at);
      --running_;
      ++ended_;
      job.end = event.at;
      job.state = ended->outcome.state;
      if (has_run_out(item)) job.state = workload_.items[item].ends;
      if (observer_) observe_end(item, event.at);
      if (job.state == JobState::kPreempted) {
        ++job.preemptions;
        job.lost_ms = job.cpu_ms;
      }
      out_.last_end = std::max(out_.last_end, event.at);
    } else if (std::holds_alternative<JobSubmitted>(event.body)) {
      item_of_job_.push_back(static_cast<std::uint32_t>(next_item_));
      if (observer_) observer_->waits(1, observed(next_item_));
    } else if (const auto* suspended = std::get_if<JobSuspended>(&event.body)) {
      const std::size_t item = item_of(suspended->job);
      pause(item, event.at);
      if (observer_) observe_pause(item, true);
      if (suspended->by == SuspendedBy::kPreemption) ++out_.jobs[item].preemptions;
    } else if (const auto* resumed = std::get_if<JobResumed>(&event.body)) {
      const std::size_t item = item_of(resumed->job);
      running_since_[item] = event.at;
      if (observer_) observe_pause(item, false);
    } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
      const std::size_t item = item_of(requeued->job);
      out_.jobs[item].state = JobState::kPending;
      oldest_waiting_ = std::min(oldest_waiting_, item);
      if (observer_) observer_->waits(1, observed(item));
    }
  }

  // Whether a job that its limit ended had just done all there was to do: where a log knows no
  // limits, run times stand for them.
  bool has_run_out(std::size_t item) const {
    const SimulatedJob& job = out_.jobs[item];
    return job.state == JobState::kTimeout &&
           job.cpu_ms - job.lost_ms == workload_.items[item].run.count() * job.cpus;
  }

  // Items before this one have started or were refused.
  void step_over_settled() {
    while (oldest_waiting_ < out_.submitted &&
           (out_.jobs[oldest_waiting_].refused ||
            out_.jobs[oldest_waiting_].state != JobState::kPending))
      ++oldest_waiting_;
  }

  void observe_start(std::size_t item, const JobStarted& started, Instant now) {
    observer_->waits(-1, observed(item));
    observer_->holds(started.allocation, observed(item), 1);
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::uint32_t>(held_.size()));
      held_.emplace_back();
    }
    slot_of_[item] = free_slots_.back() + 1;
    Held& held = held_[free_slots_.back()];
    free_slots_.pop_back();
    held.allocation = started.allocation;
    held.paused = false;
    held.bar = kNoBar;
    if (out_.bars.size() < kMostBars && !started.allocation.empty()) {
      held.bar = out_.bars.size();
      RunBar bar;
      bar.item = static_cast<std::uint32_t>(item);
      bar.node = started.allocation.shares().front().node.value();
      bar.nodes = static_cast<std::uint32_t>(started.allocation.size());
      bar.start = now;
      out_.bars.push_back(bar);
    }
  }

  // While it is suspended others have what it held.
  void observe_pause(std::size_t item, bool paused) {
    const std::uint32_t slot = slot_of_[item];
    if (slot == 0 || held_[slot - 1].paused == paused) return;
    held_[slot - 1].paused = paused;
    observer_->holds(held_[slot - 1].allocation, observed(item), paused ? -1 : 1);
  }

  void observe_end(std::size_t item, Instant now) {
    std::uint32_t& slot = slot_of_[item];
    if (slot == 0) {
      observer_->waits(-1, observed(item));  // It ended without having started.
      return;
    }
    const Held& held = held_[slot - 1];
    if (!held.paused) observer_->holds(held.allocation, observed(item), -1);
    if (held.bar != kNoBar) out_.bars[held.bar].end = now;
    free_slots_.push_back(slot - 1);
    slot = 0;
  }

  void pause(std::size_t item, Instant now) {
    SimulatedJob& job = out_.jobs[item];
    Instant& since = running_since_[item];
    if (since == SimulatedJob::kNever) return;
    job.cpu_ms += (now - since).count() * job.cpus;
    job.gpu_ms += (now - since).count() * job.gpus;
    since = SimulatedJob::kNever;
  }

  static constexpr std::size_t kAhead = 8;  // Submissions, whose memory is asked for meanwhile.
  const Workload& workload_;
  const SimulationOptions& options_;
  Engine engine_;
  VirtualTime time_;
  Simulation out_;
  std::uint32_t first_job_ = 1;
  std::size_t next_item_ = 0;
  Input submission_{SubmitKnown{}};
  std::vector<WorkRequest> widest_;
  // By request: what it asks for beside the widest of its kind.
  struct Asked {
    Duration limit{0};
    std::uint32_t widest = 0;
    bool longest = false;
  };
  std::vector<Asked> asked_;
  std::vector<std::optional<SpecId>> specs_;
  std::vector<std::uint32_t> item_of_job_;
  static constexpr std::uint64_t kAskEvery = 16;
  std::string kept_turns_;  // Where checkpoints are wanted: a batch for each turn.
  JournalWriter turn_writer_{kept_turns_};
  std::uint64_t asked_how_far_ = 0;
  Instant told_ = Instant::min();
  std::size_t ended_ = 0;               // Runs.
  std::size_t running_ = 0;             // Jobs that hold nodes.
  std::vector<Instant> running_since_;  // As the items; kNever while a job does not run.
  std::optional<Error> failure_;
  std::size_t oldest_waiting_ = 0;
  bool overtaking_is_backfill_ = false;
  static constexpr std::size_t kObservedApart = 8;
  static constexpr std::size_t kMostBars = 20'000;
  std::optional<Observer> observer_;
  std::vector<std::uint32_t> account_place_;  // By account, counted from 1; 0: not told apart.
  std::vector<std::uint32_t> user_place_;
  // What an observed run holds, and its bar.
  static constexpr std::size_t kNoBar = static_cast<std::size_t>(-1);
  struct Held {
    Allocation allocation;
    std::size_t bar = kNoBar;
    bool paused = false;
  };
  std::vector<Held> held_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> slot_of_;  // By item, counted from 1; 0: does not run.
};

}  // namespace

Result<Simulation> simulate(std::shared_ptr<const Policy> policy, const Workload& workload,
                            const SimulationOptions& options) {
  return Replay(workload, options).run(std::move(policy));
}

SchedulerType machine_scheduler(std::string_view name) {
  if (name == "fifo") return SchedulerType::kBuiltin;
  if (name == "conservative") return kConservativeScheduler;
  return name == "backfill" ? SchedulerType::kBackfill : SchedulerType::kEasy;
}

Policy machine_of(const Workload& workload, SchedulerType scheduler) {
  Policy policy;
  policy.cluster = workload.name;
  Node node;
  node.name = "machine";
  node.cpus = workload.machine_cpus;
  policy.nodes.push_back(node);
  Partition partition;
  partition.name = "main";
  partition.is_default = true;
  partition.nodes.push_back(NodeId(0));
  policy.partitions.push_back(partition);
  Association root;
  root.account = "root";
  policy.associations.push_back(root);
  policy.scheduler.type = scheduler;
  policy.enforce = EnforceSettings{false, false, false, false};
  policy.jobs.memory_is_consumable = false;
  // What is larger than the machine would wait for ever, and everybody behind it.
  policy.jobs.enforce_part_limits = EnforcePartLimits::kAll;
  policy.jobs.min_job_age = Duration(0);
  policy.jobs.max_job_count = std::numeric_limits<std::uint32_t>::max();
  // A run at its limit ends in its turn, and not before everything else at that instant.
  if (scheduler == kConservativeScheduler) policy.jobs.over_time_limit = kForever;
  return policy;
}

}  // namespace sluice
