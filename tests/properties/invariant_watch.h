// For property tests: follows an engine event by event and says what must not have happened.
#pragma once

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "policy/placement.h"
#include "policy/preemption.h"
#include "policy/shared_nodes.h"
#include "tests/properties/naive_rules.h"
#include "tests/properties/random_cluster.h"

namespace sluice {

class InvariantWatch {
 public:
  explicit InvariantWatch(Kind kind) : kind_(kind) {}

  // The first thing that was wrong, or "".
  const std::string& problem() const { return problem_; }

  void follow(const Turn& turn, const Engine& engine) {
    for (std::size_t i = 0; i < turn.events.size(); ++i) {
      const Event& event = turn.events[i];
      now_ = event.at;
      if (shadow_.has_policy()) {
        if (const auto* start = std::get_if<JobStarted>(&event.body)) before_start(*start);
        if (const auto* split = std::get_if<TaskSplit>(&event.body))
          eligible_[split->job] = shadow_.job(split->array).eligible;
        if (const auto* decided = std::get_if<DependencyDecided>(&event.body))
          before_decision(*decided);
        if (const auto* ended = std::get_if<JobEnded>(&event.body))
          expect(shadow_.job(ended->job).attempt == ended->attempt, ended->job,
                 "ended an attempt that is not its last");
        if (preemptor_of(event.body) != JobId{}) before_push_out(turn.events, i);
        dependencies_.follow(shadow_, event.body);
      }
      shadow_.apply(event);
      queue_.apply(shadow_, event);
    }
    if (!engine.state().has_policy()) return;
    after_turn(engine);
  }

  // Once nothing happens by itself any more: the first who may start has no room even so.
  void at_rest(const Engine& engine) {
    const State& state = engine.state();
    if (state.cpus_taken() > 0 || !state.suspended().empty()) return;
    std::vector<NodeFree> free;
    read_free(state, free);
    const Topology topology(state.policy());
    for (const QueueEntry& entry : engine.queue().entries()) {
      if (entry.gone) continue;
      const Job& job = state.job(entry.job);
      const Shape& shape = state.shape_of_job(job);
      const auto found = place(topology, shape, entry.partition, free);
      // Who needs a node that is down may keep everybody behind him waiting.
      if (!found) return;
      const Rule rule = engine.explanation(entry.job).reason.rule;
      if (rule != Rule::kResources && rule != Rule::kPriority && rule != Rule::kNone) continue;
      const TresVector tres = tres_of(state.policy(), shape, entry.partition, *found);
      if (!gates_are_open(job, entry.partition, tres)) continue;
      fail(entry.job, "waits (" +
                          slurm_word(engine.explanation(entry.job).reason, state.policy().tres) +
                          ") though nothing runs");
      return;
    }
  }

 private:
  void fail(JobId job, const std::string& what) {
    if (problem_.empty())
      problem_ = "at " + std::to_string(now_.time_since_epoch().count() / 1000) + " s job " +
                 std::to_string(job.value()) + " " + what;
  }
  void expect(bool good, JobId job, const std::string& what) {
    if (!good) fail(job, what);
  }

  bool gates_are_open(const Job& job, PartitionId partition, const TresVector& tres) const {
    const Shape& shape = shadow_.shape_of_job(job);
    const Partition& there = shadow_.policy().partitions[partition.index()];
    if (there.state != PartitionState::kUp || !throttle_allows(job)) return false;
    const Qos* qos = shape.qos ? &shadow_.policy().qos[shape.qos->index()] : nullptr;
    if (there.max_time && job.limit > *there.max_time &&
        !(qos != nullptr && qos->flags.partition_time_limit))
      return false;
    if (there.max_nodes && shape.min_nodes > *there.max_nodes) return false;
    return NaiveLimits(shadow_, shape, partition, job.limit, tres, now_).broken().empty();
  }

  bool throttle_allows(const Job& job) const {
    if (job.array == JobId{}) return true;
    const auto throttle = shadow_.find_array(job.array)->throttle;
    std::uint32_t holding = 0;
    shadow_.for_each_job([&](const Job& other) {
      if (other.array == job.array && holds_nodes(other.state)) ++holding;
    });
    return !throttle || holding < *throttle;
  }

  void before_start(const JobStarted& start) {
    const Job& job = shadow_.job(start.job);
    const Shape& shape = shadow_.shape_of_job(job);
    const auto split = eligible_.find(job.id);
    expect(job.eligible || (split != eligible_.end() && split->second), job.id,
           "started though it was not eligible");
    expect(job.held == HeldBy::kNobody, job.id, "started though it was held");
    expect(job.begin <= now_, job.id, "started before its begin time");
    expect(
        job.dependency == DependencyState::kNone || job.dependency == DependencyState::kSatisfied,
        job.id, "started with an unmet dependency");
    expect(throttle_allows(job), job.id, "started beyond the throttle of its array");
    expect(start.attempt == ++attempts_[job.id], job.id, "has an attempt number out of order");
    expect(std::find(shape.partitions.begin(), shape.partitions.end(), start.partition) !=
               shape.partitions.end(),
           job.id, "started in a partition it did not ask for");
    look_at_place(job, shape, start);
    const TresVector tres = tres_of(shadow_.policy(), shape, start.partition, start.allocation);
    const std::string limit =
        NaiveLimits(shadow_, shape, start.partition, job.limit, tres, now_, &start.allocation)
            .broken();
    expect(limit.empty(), job.id, "started beyond " + limit);
    look_at_licenses(job, shape);
    if (kind_ == Kind::kQueue) look_at_order(job);
  }

  // It gets what it asked for, on nodes it may use.
  void look_at_place(const Job& job, const Shape& shape, const JobStarted& start) {
    const Policy& policy = shadow_.policy();
    const JobSpec& asked = *shape.request;
    const auto& candidates = policy.partitions[start.partition.index()].nodes;
    const auto shares = start.allocation.shares();
    const auto nodes = static_cast<std::int32_t>(shares.size());
    expect(nodes >= shape.min_nodes && nodes <= shape.max_nodes, job.id, "has too many nodes");
    std::int64_t cpus = 0;
    std::map<std::string, std::int32_t> gpus;
    std::vector<std::string> names;
    for (const NodeShare& share : shares) {
      const Node& node = policy.nodes[share.node.index()];
      names.push_back(node.name);
      cpus += share.cpus;
      expect(share.cpus > 0, job.id, "has a node without a CPU");
      expect(std::find(candidates.begin(), candidates.end(), share.node) != candidates.end(),
             job.id, "has a node outside its partition");
      expect(shadow_.nodes()[share.node.index()].state == NodeState::kUp, job.id,
             "started on a node that is not up");
      const auto has = [&](const std::string& feature) {
        return std::find(node.features.begin(), node.features.end(), feature) !=
               node.features.end();
      };
      const auto& any_of = asked.constraint.any_of;
      expect(any_of.empty() || std::any_of(any_of.begin(), any_of.end(),
                                           [&](const std::vector<std::string>& all) {
                                             return std::all_of(all.begin(), all.end(), has);
                                           }),
             job.id, "has a node without the features");
      for (std::size_t i = 0; i < node.gpus.size(); ++i)
        if (((share.gpus >> i) & 1U) != 0) ++gpus[node.gpus[i].type], ++gpus["any"];
    }
    expect(cpus >= std::int64_t{shape.tasks} * shape.cpus_per_task, job.id, "has too few CPUs");
    std::map<std::string, std::int32_t> wanted;
    for (const GpuNeed& need : shape.gpus) {
      std::int32_t count = need.count;
      if (need.per == GpusPer::kNode) count *= nodes;
      if (need.per == GpusPer::kTask) count *= shape.tasks;
      if (need.per == GpusPer::kSocket) continue;
      wanted["any"] += count;
      if (!need.type.empty()) wanted[need.type] += count;
    }
    for (const auto& [type, count] : wanted)
      expect(gpus[type] >= count, job.id, "has too few GPUs (" + type + ")");
    for (const std::string& name : asked.require_nodes)
      expect(std::find(names.begin(), names.end(), name) != names.end(), job.id,
             "has not the node it named");
    for (const std::string& name : asked.exclude_nodes)
      expect(std::find(names.begin(), names.end(), name) == names.end(), job.id,
             "has a node it excluded");
  }

  void look_at_licenses(const Job& job, const Shape& shape) {
    for (const License& license : shadow_.policy().licenses) {
      std::int64_t taken = 0;
      const auto count = [&](const Shape& of) {
        for (const LicenseRequest& wanted : of.request->licenses)
          if (wanted.name == license.name) taken += wanted.count;
      };
      count(shape);
      if (taken == 0) continue;
      shadow_.for_each_job([&](const Job& other) {
        if (holds_nodes(other.state)) count(shadow_.shape_of_job(other));
      });
      expect(taken <= license.count, job.id, "started without a license");
    }
  }

  void before_decision(const DependencyDecided& decided) {
    const Job& job = shadow_.job(decided.job);
    const auto verdict = dependencies_.verdict(shadow_, job, now_);
    if (!verdict) return;
    expect(*verdict == (decided.never ? DependencyVerdict::kNever : DependencyVerdict::kSatisfied),
           job.id,
           decided.never ? "was told its dependency can never be met"
                         : "was told its dependency is met");
  }

  static JobId preemptor_of(const EventBody& body) {
    if (const auto* ending = std::get_if<JobEnding>(&body)) return ending->preemptor;
    if (const auto* warned = std::get_if<PreemptionWarned>(&body)) return warned->preemptor;
    if (const auto* paused = std::get_if<JobSuspended>(&body)) return paused->preemptor;
    return {};
  }
  static JobId victim_of(const EventBody& body) {
    if (const auto* ending = std::get_if<JobEnding>(&body)) return ending->job;
    if (const auto* warned = std::get_if<PreemptionWarned>(&body)) return warned->job;
    return std::get<JobSuspended>(body).job;
  }

  // Each victim of one push-out was needed, and the preemptor could start but for room.
  void before_push_out(const std::vector<Event>& events, std::size_t at) {
    const JobId preemptor = preemptor_of(events[at].body);
    if (at > 0 && preemptor_of(events[at - 1].body) == preemptor) return;  // Looked at already.
    std::vector<JobId> victims;
    for (; at < events.size() && preemptor_of(events[at].body) == preemptor; ++at) {
      const JobId victim = victim_of(events[at].body);
      // The grace of one picked earlier is over.
      if (shadow_.run_of(shadow_.job(victim)).warned) return;
      victims.push_back(victim);
    }
    const Job& job = shadow_.job(preemptor);
    const Shape& shape = shadow_.shape_of_job(job);
    expect(job.state == JobState::kPending && job.eligible, preemptor,
           "pushed others out though it does not wait for room");
    expect(throttle_allows(job), preemptor, "pushed others out beyond the throttle of its array");
    queue_.tidy();
    // Only of the first in the queue is it known that all nodes were open to it.
    if (queue_.head() >= queue_.entries().size()) return;
    const QueueEntry& first = queue_.entries()[queue_.head()];
    if (first.job != preemptor || shape.partitions.size() > 1) return;
    TresVector asked = shape.asked;
    asked[kTresBilling] = 0;
    asked[kTresNode] = 0;  // It may share nodes with others of its group.
    const std::string limit =
        NaiveLimits(shadow_, shape, first.partition, job.limit, asked, now_).broken();
    expect(limit.empty() || limit.find("MinTRES") != std::string::npos, preemptor,
           "pushed others out though it may not start: " + limit);
    const Topology topology(shadow_.policy());
    for (JobId spared : victims) {
      std::vector<NodeFree> free;
      read_free(shadow_, free);
      shadow_.for_each_job([&](const Job& other) {
        if (!holds_nodes(other.state)) return;
        const Run& run = shadow_.run_of(other);
        if (other.state == JobState::kCompleting ||
            (other.state == JobState::kRunning && run.warned))
          give(free, run.allocation);
      });
      for (JobId victim : victims) {
        if (victim == spared) continue;
        const Job& other = shadow_.job(victim);
        const auto mode = may_push_out(shadow_, shape, first.partition, other, now_);
        expect(mode.has_value(), victim, "was preempted by one that may not");
        if (!mode) return;
        for (const NodeShare& share : shadow_.run_of(other).allocation.shares())
          if (*mode == PreemptMode::kSuspend && share.layer == 0)
            free[share.node.index()].cpus += share.cpus;
        if (*mode != PreemptMode::kSuspend) give(free, shadow_.run_of(other).allocation);
      }
      // Where those stay that it never shares a node with, it has no place.
      close_nodes(nodes_closed_to(shadow_, shape, first.partition,
                                  [&](const Job& other) {
                                    if (other.id == spared) return true;
                                    if (std::find(victims.begin(), victims.end(), other.id) ==
                                        victims.end())
                                      return true;
                                    return may_push_out(shadow_, shape, first.partition, other,
                                                        now_) == PreemptMode::kSuspend;
                                  }),
                  free);
      expect(!place(topology, shape, first.partition, free), spared, "was preempted for nothing");
    }
  }

  // First come, first served; and what was last promised to the first of the queue is kept.
  void look_at_order(const Job& job) {
    if (shadow_.policy().scheduler.type == SchedulerType::kBuiltin)
      expect(job.id > last_started_, job.id, "started after one that came later");
    last_started_ = std::max(last_started_, job.id);
    if (auto promise = promises_.find(job.id); promise != promises_.end())
      expect(now_ <= promise->second, job.id, "started later than promised");
  }

  // Every plan keeps what the one before promised, be it an earlier time. But backfill groups ends
  // anew for each plan, counted from the first that is left, as slurmctld does: where jobs have
  // started behind this one, or ended, the end that was promised may lie in a group that goes on
  // for longer, and the plan is for the last end of that. Nothing else moves it back.
  void look_at_promise(JobId first, Instant expected) {
    const auto [promise, is_new] = promises_.try_emplace(first, expected);
    if (is_new) return;
    Instant latest = promise->second;
    if (shadow_.policy().scheduler.type == SchedulerType::kBackfill)
      latest = NaiveLooks(shadow_).look_at(latest,
                                           shadow_.shape_of_job(shadow_.job(first)).cpus_per_task);
    expect(expected <= latest, first, "is planned later than promised");
    promise->second = expected;
  }

  void after_turn(const Engine& engine) {
    const State& state = engine.state();
    const std::string broken = state.broken_invariant();
    if (!broken.empty()) fail({}, broken);
    look_at_queue(engine);
    state.for_each_job([&](const Job& job) {
      if (job.state != JobState::kPending || job.dependency != DependencyState::kWaiting) return;
      if (job.held != HeldBy::kNobody) return;
      const auto& terms = state.shape_of_job(job).request->dependencies.terms;
      const bool by_task = std::any_of(terms.begin(), terms.end(), [](const Dependency& term) {
        return term.type == DependencyType::kAfterCorr;
      });
      if (by_task && job.is_array) return;
      const auto verdict = dependencies_.verdict(shadow_, job, now_);
      expect(!verdict || *verdict == DependencyVerdict::kWaiting, job.id,
             "waits for a dependency that is decided");
    });
    if (kind_ == Kind::kQueue && engine.queue().head() < engine.queue().entries().size()) {
      const JobId first = engine.queue().entries()[engine.queue().head()].job;
      if (const auto expected = engine.explanation(first).expected)
        look_at_promise(first, *expected);
    }
    if (state.policy().priority.type == PriorityType::kMultifactor) {
      const Fairshare& fairshare = engine.queue().fairshare();
      for (std::size_t i = 0; i < fairshare.rows.size(); ++i)
        if (!state.policy().associations[i].user.empty() &&
            !(fairshare.rows[i].factor >= (state.policy().priority.fair_tree ? 1e-9 : 0) &&
              fairshare.rows[i].factor <= 1))
          fail({}, "a fairshare factor is not in (0, 1]");
    }
  }

  // Every eligible job stands in the queue once for each of its partitions, in order.
  void look_at_queue(const Engine& engine) {
    const State& state = engine.state();
    std::map<std::pair<JobId, PartitionId>, int> places;
    const QueueEntry* previous = nullptr;
    for (const QueueEntry& entry : engine.queue().entries()) {
      if (entry.gone) continue;
      ++places[{entry.job, entry.partition}];
      if (previous != nullptr)
        expect(previous->merit > entry.merit ||
                   (previous->merit == entry.merit && previous->order <= entry.order),
               entry.job, "is out of order");
      previous = &entry;
    }
    std::size_t expected = 0;
    state.for_each_job([&](const Job& job) {
      if (job.state != JobState::kPending || !job.eligible) return;
      for (PartitionId partition : state.shape_of_job(job).partitions) {
        ++expected;
        expect(places[{job.id, partition}] == 1, job.id, "is not in the queue once");
      }
    });
    expect(places.size() == expected, {}, "the queue holds jobs that are not eligible");
  }

  Kind kind_;
  State shadow_;
  Queue queue_;
  NaiveDependencies dependencies_;
  Instant now_{};
  std::map<JobId, std::uint32_t> attempts_;
  std::map<JobId, bool> eligible_;  // Tasks that left their array: whether it was eligible.
  std::map<JobId, Instant> promises_;
  JobId last_started_;
  std::string problem_;
};

}  // namespace sluice
