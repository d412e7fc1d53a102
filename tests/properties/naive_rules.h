// For property tests: the rules of starting, recomputed from the jobs alone, the slow and obvious
// way. Nothing here looks at the books that the state keeps, past usage excepted.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/billing.h"
#include "policy/dependency.h"
#include "state/state.h"

namespace sluice {

// What the jobs that `counts` picks hold now.
struct Held {
  TresVector tres;
  std::array<std::int64_t, kMaxTres> millionths_left{};  // Of seconds, times UsageFactor.
  std::set<NodeId> nodes;
  std::int64_t jobs = 0;
};

template <class Counts>
Held held_by(const State& state, Instant now, Counts counts) {
  Held held;
  state.for_each_job([&](const Job& job) {
    if (!holds_nodes(job.state) || !counts(job)) return;
    const Run& run = state.run_of(job);
    ++held.jobs;
    held.tres += run.tres;
    for (const NodeShare& share : run.allocation.shares()) held.nodes.insert(share.node);
    // Time goes on for a suspended job too, but it never has less than nothing left.
    const std::int64_t left = std::max<std::int64_t>(
        0, to_seconds(run.planned_end - state.origin()) - to_seconds(now - state.origin()));
    const std::optional<QosId>& qos = state.shape_of_job(job).qos;
    const std::int64_t factor =
        qos ? state.policy().qos[qos->index()].usage_factor_millionths : 1'000'000;
    for (std::uint8_t i = 0; i < state.policy().tres.size(); ++i)
      held.millionths_left[i] += run.tres[TresIndex(i)] * left * factor;
  });
  return held;
}

// When backfill looks at what runs leave: ends are taken together up to half a minute after the
// first, counted to the next half minute, then those of the next minute, two, four and so on.
class NaiveLooks {
 public:
  explicit NaiveLooks(const State& state) {
    state.for_each_job([&](const Job& job) {
      if (!holds_nodes(job.state)) return;
      const Run& run = state.run_of(job);
      std::int32_t most_cpus = 0;
      for (const NodeShare& share : run.allocation.shares())
        most_cpus = std::max(most_cpus, state.policy().nodes[share.node.index()].cpus);
      ends_.emplace_back(run.expected_end, most_cpus);
    });
    std::sort(ends_.begin(), ends_.end());
  }
  // The last end of the group in which this time lies, for a job that only needs nodes of so many
  // CPUs; the time itself where no run ends later.
  Instant look_at(Instant time, std::int32_t cpus) const {
    Instant group = Instant::min();  // Up to then.
    Instant last = Instant::min();   // End of a run in it.
    Duration length = seconds(30);
    for (const auto& [end, most_cpus] : ends_) {
      if (most_cpus < cpus) continue;
      if (group == Instant::min())
        group = end + length - seconds(to_seconds(end.time_since_epoch()) % 30);
      if (end > group && last >= time) return last;
      while (end > group) group += length *= 2;
      last = end;
    }
    return std::max(time, last);
  }

 private:
  std::vector<std::pair<Instant, std::int32_t>> ends_;
};

// Every limit that binds a job that is about to start; broken() names one it would break.
class NaiveLimits {
 public:
  NaiveLimits(const State& state, const Shape& shape, PartitionId partition, Duration limit,
              const TresVector& tres, Instant now, const Allocation* allocation = nullptr)
      : state_(state),
        policy_(state.policy()),
        shape_(shape),
        limit_(limit),
        tres_(before_start(partition, tres)),
        now_(now),
        allocation_(allocation),
        pair_(qos_in_order(policy_, partition, shape.qos)) {}

  std::string broken() {
    if (!policy_.enforce.limits) return {};
    for (const auto& qos : {pair_.first, pair_.second})
      if (qos) look_at(*qos);
    look_at_associations();
    return broken_;
  }

 private:
  void say(const std::string& what, bool good) {
    if (!good && broken_.empty()) broken_ = what;
  }
  // Of one kind and dimension the first QoS that sets it counts, and hides it from associations.
  bool first(const std::string& kind, std::uint8_t tres = 255) {
    return set_.insert({kind, tres}).second;
  }
  bool hidden(const std::string& kind, std::uint8_t tres = 255) const {
    return set_.count({kind, tres}) > 0;
  }
  template <class Look>
  void each(const TresLimits& limits, Look look) const {
    for (std::uint8_t i = 0; i < policy_.tres.size(); ++i)
      if (auto limit = limits.get(TresIndex(i))) look(i, *limit);
  }
  // A type of GPU is known before the start only where the job names it.
  TresVector before_start(PartitionId partition, const TresVector& held) const {
    TresVector out = held;
    for (std::uint8_t i = 0; i < policy_.tres.size(); ++i) {
      const std::string& name = policy_.tres.name(TresIndex(i));
      if (!name.starts_with("gres/gpu:") || shape_.request == nullptr) continue;
      const bool is_named =
          std::any_of(shape_.request->gpus.begin(), shape_.request->gpus.end(),
                      [&](const GpuRequest& gpu) { return "gres/gpu:" + gpu.type == name; });
      if (!is_named) out[TresIndex(i)] = 0;
    }
    if (out != held) out[kTresBilling] = billing_of(policy_, partition, out);
    return out;
  }
  std::int64_t minutes_asked(std::uint8_t i) const {
    std::int64_t factor = 1'000'000;
    for (const auto& qos : {pair_.second, pair_.first})
      if (qos && policy_.enforce.safe && policy_.qos[qos->index()].flags.usage_factor_safe)
        factor = policy_.qos[qos->index()].usage_factor_millionths;
    const std::int64_t minutes = tres_[TresIndex(i)] * ((to_seconds(limit_) + 59) / 60);
    return static_cast<std::int64_t>(static_cast<double>(minutes) * static_cast<double>(factor) /
                                     1e6);
  }
  bool fits(std::uint8_t i, std::int64_t limit, const Held& held) const {
    const TresIndex t(i);
    if (t == kTresNode) {
      std::set<NodeId> nodes = held.nodes;
      if (allocation_ == nullptr)
        return tres_[t] == 0 || static_cast<std::int64_t>(nodes.size()) + tres_[t] <= limit;
      for (const NodeShare& share : allocation_->shares()) nodes.insert(share.node);
      return static_cast<std::int64_t>(nodes.size()) <= limit;
    }
    return tres_[t] == 0 || held.tres[t] + tres_[t] <= limit;
  }
  static std::int64_t minutes_left(std::uint8_t i, const Held& held) {
    return held.millionths_left[i] / 1'000'000 / 60;
  }
  // What others use, or have used, does not count against a job whose own counts nothing.
  bool is_free() const {
    return shape_.qos && policy_.qos[shape_.qos->index()].usage_factor_millionths == 0;
  }
  bool run_minutes_fit(std::uint8_t i, std::int64_t limit, const Held& held) const {
    return tres_[TresIndex(i)] == 0 ||
           (is_free() ? 0 : minutes_left(i, held)) + minutes_asked(i) <= limit;
  }
  bool minutes_fit(std::uint8_t i, std::int64_t limit, const Held& held,
                   const PastUsage& past) const {
    if (tres_[TresIndex(i)] == 0) return true;
    const auto used = is_free() ? 0 : static_cast<std::int64_t>(past.tres_seconds[i] / 60);
    if (used >= limit) return false;
    return !policy_.enforce.safe ||
           used + (is_free() ? 0 : minutes_left(i, held)) + minutes_asked(i) <= limit;
  }
  std::int64_t per_node(std::uint8_t i) const {
    return tres_[TresIndex(i)] / std::max<std::int64_t>(1, tres_[kTresNode]);
  }

  void look_at(QosId id) {
    const Qos& qos = policy_.qos[id.index()];
    const auto in_qos = [&](const Job& job) {
      const QosPair pair =
          qos_in_order(policy_, state_.run_of(job).partition, state_.shape_of_job(job).qos);
      return pair.first == id || pair.second == id;
    };
    const auto account_of = [&](const Shape& shape) {
      return shape.assoc ? policy_.associations[shape.assoc->index()].parent : std::nullopt;
    };
    const Held all = held_by(state_, now_, in_qos);
    const Held users = held_by(state_, now_, [&](const Job& job) {
      return in_qos(job) && state_.shape_of_job(job).user == shape_.user;
    });
    const Held accounts = held_by(state_, now_, [&](const Job& job) {
      return in_qos(job) && account_of(shape_) &&
             account_of(state_.shape_of_job(job)) == account_of(shape_);
    });
    const std::string name = qos.name + " ";
    const auto tres_kind = [&](const std::string& kind, const TresLimits& limits, auto respected) {
      each(limits, [&](std::uint8_t i, std::int64_t limit) {
        if (first(kind, i)) say(name + kind, respected(i, limit));
      });
    };
    tres_kind("GrpTRES", qos.group.tres, [&](auto i, auto limit) { return fits(i, limit, all); });
    tres_kind("GrpTRESRunMins", qos.group.tres_run_minutes,
              [&](auto i, auto limit) { return run_minutes_fit(i, limit, all); });
    tres_kind("GrpTRESMins", qos.group.tres_minutes, [&](auto i, auto limit) {
      return minutes_fit(i, limit, all, state_.usage(id).past);
    });
    tres_kind("MaxTRESMins", qos.job.max_tres_minutes,
              [&](auto i, auto limit) { return minutes_asked(i) <= limit; });
    tres_kind("MaxTRES", qos.job.max_tres,
              [&](auto i, auto limit) { return tres_[TresIndex(i)] <= limit; });
    tres_kind("MaxTRESPerNode", qos.job.max_tres_node,
              [&](auto i, auto limit) { return per_node(i) <= limit; });
    tres_kind("MinTRES", qos.job.min_tres,
              [&](auto i, auto limit) { return tres_[TresIndex(i)] >= limit; });
    tres_kind("MaxTRESPerUser", qos.user.max_tres,
              [&](auto i, auto limit) { return fits(i, limit, users); });
    tres_kind("MaxTRESPerAccount", qos.account.max_tres,
              [&](auto i, auto limit) { return fits(i, limit, accounts); });
    if (qos.group.jobs && first("GrpJobs")) say(name + "GrpJobs", all.jobs < *qos.group.jobs);
    if (qos.user.max_jobs && first("MaxJobs"))
      say(name + "MaxJobsPerUser", users.jobs < *qos.user.max_jobs);
    if (qos.account.max_jobs && first("MaxJobsPA")) {
      say(name + "MaxJobsPerAccount", accounts.jobs < *qos.account.max_jobs);
      set_.insert({"MaxJobs of associations", 255});
    }
    if (qos.job.max_wall && first("MaxWall"))
      say(name + "MaxWall", shape_.limit_by_operator || limit_ <= *qos.job.max_wall);
    if (qos.group.wall && first("GrpWall"))
      say(name + "GrpWall",
          state_.usage(id).past.wall_seconds < static_cast<double>(to_seconds(*qos.group.wall)));
  }

  void look_at_associations() {
    std::optional<std::int64_t> max_jobs;
    std::optional<Duration> max_wall;
    for (std::optional<AssocId> a = shape_.assoc; a; a = policy_.associations[a->index()].parent) {
      const Association& assoc = policy_.associations[a->index()];
      const std::string name = assoc.account + "/" + assoc.user + " ";
      const Held held = held_by(state_, now_, [&](const Job& job) {
        for (auto b = state_.shape_of_job(job).assoc; b;
             b = policy_.associations[b->index()].parent)
          if (b == a) return true;
        return false;
      });
      each(assoc.group.tres, [&](std::uint8_t i, std::int64_t limit) {
        if (!hidden("GrpTRES", i)) say(name + "GrpTRES", fits(i, limit, held));
      });
      each(assoc.group.tres_run_minutes, [&](std::uint8_t i, std::int64_t limit) {
        if (!hidden("GrpTRESRunMins", i))
          say(name + "GrpTRESRunMins", run_minutes_fit(i, limit, held));
      });
      each(assoc.group.tres_minutes, [&](std::uint8_t i, std::int64_t limit) {
        if (!hidden("GrpTRESMins", i))
          say(name + "GrpTRESMins", minutes_fit(i, limit, held, state_.past(*a)));
      });
      if (assoc.group.jobs && !hidden("GrpJobs"))
        say(name + "GrpJobs", held.jobs < *assoc.group.jobs);
      // The nearest that says something.
      each(assoc.job.max_tres, [&](std::uint8_t i, std::int64_t limit) {
        if (first("MaxTRES", i)) say(name + "MaxTRES", tres_[TresIndex(i)] <= limit);
      });
      each(assoc.job.max_tres_minutes, [&](std::uint8_t i, std::int64_t limit) {
        if (first("MaxTRESMins", i)) say(name + "MaxTRESMins", minutes_asked(i) <= limit);
      });
      if (!max_jobs) max_jobs = assoc.max_jobs;
      if (!max_wall) max_wall = assoc.job.max_wall;
    }
    if (max_jobs && !hidden("MaxJobs") && !hidden("MaxJobs of associations")) {
      const Held own = held_by(state_, now_, [&](const Job& job) {
        return state_.shape_of_job(job).assoc == shape_.assoc;
      });
      say("MaxJobs", own.jobs < *max_jobs);
    }
    if (max_wall && !hidden("MaxWall"))
      say("MaxWall", shape_.limit_by_operator || limit_ <= *max_wall);
  }

  const State& state_;
  const Policy& policy_;
  const Shape& shape_;
  Duration limit_;
  TresVector tres_;
  Instant now_;
  const Allocation* allocation_;  // Where it starts, if that is known.
  QosPair pair_;
  std::set<std::pair<std::string, std::uint8_t>> set_;
  std::string broken_;
};

// What became of jobs, forgotten or not, so that dependencies can be judged anew.
class NaiveDependencies {
 public:
  // To be told every event before the state takes it in.
  void follow(const State& state, const EventBody& body) {
    if (const auto* ended = std::get_if<JobEnded>(&body)) {
      const Job& job = state.job(ended->job);
      if (job.is_array)
        for (std::uint32_t task : state.find_array(job.array)->waiting.to_vector())
          ends_[{job.array, task}] = ended->outcome.state;
      else if (job.array != JobId{})
        ends_[{job.array, job.task}] = ended->outcome.state;
    } else if (const auto* start = std::get_if<JobStarted>(&body)) {
      const Job& job = state.job(start->job);
      if (job.array != JobId{}) started_.insert({job.array, job.task});
    } else if (const auto* cancelled = std::get_if<TasksCancelled>(&body)) {
      for (std::uint32_t task : cancelled->tasks.to_vector())
        ends_[{cancelled->array, task}] = JobState::kCancelled;
    }
  }

  // Nothing where a job it waits for is no longer remembered.
  std::optional<DependencyVerdict> verdict(const State& state, const Job& job, Instant now) const {
    const Dependencies& all = state.shape_of_job(job).request->dependencies;
    std::size_t satisfied = 0;
    std::size_t never = 0;
    for (const Dependency& term : all.terms) {
      const auto one = term_verdict(state, job, term, now);
      if (!one) return std::nullopt;
      if (*one == DependencyVerdict::kSatisfied) ++satisfied;
      if (*one == DependencyVerdict::kNever) ++never;
    }
    const std::size_t count = all.terms.size();
    if (all.any ? satisfied > 0 : satisfied == count) return DependencyVerdict::kSatisfied;
    if (all.any ? never == count : never > 0) return DependencyVerdict::kNever;
    return DependencyVerdict::kWaiting;
  }

 private:
  std::optional<DependencyVerdict> term_verdict(const State& state, const Job& job,
                                                const Dependency& term, Instant now) const {
    if (term.type == DependencyType::kSingleton) return singleton(state, job);
    std::optional<std::uint32_t> task = term.task;
    if (term.type == DependencyType::kAfterCorr && job.array != JobId{} && !job.is_array)
      task = job.task;
    bool any = false;
    bool any_started = false;
    bool unfinished = false;
    bool failed = false;
    std::optional<Instant> started;
    const bool is_array = state.find_array(term.job) != nullptr;
    state.for_each_job([&](const Job& other) {
      if (is_array ? other.array != term.job : other.id != term.job) return;
      if (is_array && task && !other.is_array && other.task != *task) return;
      if (is_array && task && other.is_array &&
          !state.find_array(other.array)->waiting.contains(*task))
        return;
      any = true;
      unfinished |= !has_ended(other.state);
      failed |= has_ended(other.state) && other.state != JobState::kCompleted;
      any_started |= other.attempt > 0;
      if (other.run != 0 && (task || !is_array)) started = state.run_of(other).started;
    });
    if (is_array)
      for (const auto& [key, end] : ends_) {
        if (key.first != term.job || (task && key.second != *task)) continue;
        const Job* own = state.find_task(key.first, key.second);
        if (own == nullptr || has_ended(own->state)) failed |= end != JobState::kCompleted;
      }
    for (const auto& [array, index] : started_)
      any_started |= array == term.job && (!task || index == *task);
    if (!any) return std::nullopt;
    const bool ended = !unfinished;
    const auto when = [](bool good, bool decided) {
      return good      ? DependencyVerdict::kSatisfied
             : decided ? DependencyVerdict::kNever
                       : DependencyVerdict::kWaiting;
    };
    switch (term.type) {
      case DependencyType::kAfter:
        if (started) return when(now >= *started + term.delay, false);
        return when(ended || any_started, false);
      case DependencyType::kAfterAny:
        return when(ended, false);
      case DependencyType::kAfterNotOk:
        return when(ended && failed, ended);
      default:
        return when(ended && !failed, ended);
    }
  }

  static DependencyVerdict singleton(const State& state, const Job& job) {
    const Shape& mine = state.shape_of_job(job);
    const auto number = [](const Job& j) { return j.array != JobId{} ? j.array : j.id; };
    bool alone = true;
    state.for_each_job([&](const Job& other) {
      if (other.id == job.id || has_ended(other.state)) return;
      if (other.array != JobId{} && other.array == job.array) return;
      const Shape& theirs = state.shape_of_job(other);
      if (theirs.user != mine.user || theirs.request->name != mine.request->name) return;
      if (holds_nodes(other.state) || number(other) < number(job)) alone = false;
    });
    return alone ? DependencyVerdict::kSatisfied : DependencyVerdict::kWaiting;
  }

  std::map<std::pair<JobId, std::uint32_t>, JobState> ends_;  // Of tasks, by array and index.
  std::set<std::pair<JobId, std::uint32_t>> started_;
};

}  // namespace sluice
