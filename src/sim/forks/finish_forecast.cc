#include "sim/forks/finish_forecast.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "engine/engine.h"
#include "model/event.h"
#include "sim/forks/drawn_runs.h"
#include "sim/forks/steps.h"
#include "sim/virtual_time.h"

namespace sluice {
namespace {

using Counts = std::vector<std::int64_t>;  // Tasks, by pool.

// When the tasks of each pool ended.
struct Ends {
  std::vector<std::vector<Instant>> by_pool;  // Each in order.
  std::string refused;
  bool complete = false;
  bool given_up = false;  // It was too much work,
  Duration reached{0};    // and came so far.
  std::uint64_t work = 0;
};

// The cluster once more, with the tasks in the pools of one plan, until the last has ended.
class TaskFork {
 public:
  TaskFork(const StateSnapshot& from, Instant now, const FinishQuestion& question,
           const LearntRunTimes& learnt, std::uint64_t draw, Duration grain,
           std::uint64_t most_work)
      : now_(now),
        question_(question),
        most_work_(most_work),
        draws_(learnt, now, draw),
        steps_(now, grain, draw),
        drawn_(learnt.runs() > 0),
        engine_(Engine::Explain::kNo),
        time_(
            engine_, [this](const Job& job) { return fate(job); },
            [this](const Turn& turn) { take(turn); }) {
    engine_.restore(from);
    out_.by_pool.resize(question.pools.size());
  }
  TaskFork(const TaskFork&) = delete;
  TaskFork& operator=(const TaskFork&) = delete;

  Ends run(const Counts& plan) {
    time_.take_over(now_);
    for (std::size_t pool = 0; pool < plan.size() && out_.refused.empty(); ++pool)
      submit(pool, plan[pool]);
    if (!out_.refused.empty()) return out_;
    while (left_ > 0 && out_.work <= most_work_) {
      const auto next = time_.next();
      if (!next || *next - now_ > kHorizon) break;
      steps_.go_on(time_, *next);
    }
    out_.complete = left_ == 0;
    out_.given_up = left_ > 0 && out_.work > most_work_;
    out_.reached = time_.now() - now_;
    for (auto& ends : out_.by_pool) std::sort(ends.begin(), ends.end());
    return out_;
  }

 private:
  // What has not ended within a year is not waited for.
  static constexpr Duration kHorizon = minutes(std::int64_t{366} * 24 * 60);

  struct Target {
    std::size_t pool = 0;
    std::uint64_t number = 0;  // Of the task, among all; of an array's first.
  };

  void submit(std::size_t pool, std::int64_t tasks) {
    const auto most = static_cast<std::int64_t>(
        std::max<std::uint32_t>(1, engine_.state().policy().jobs.max_array_size));
    while (tasks > 0 && out_.refused.empty()) {
      const std::int64_t now = question_.array ? std::min(tasks, most) : 1;
      JobSpec request = question_.pools[pool].request;
      request.launch = Launch{};
      request.array.reset();
      const JobId next = engine_.state().next_job_id();
      if (question_.array) {
        request.array.emplace();
        request.array->indices.insert_range(0, static_cast<std::uint32_t>(now - 1), 1);
        if (question_.throttle)
          request.array->throttle = static_cast<std::uint32_t>(std::max<std::int64_t>(
              1, *question_.throttle * now / std::max<std::int64_t>(question_.tasks, 1)));
        arrays_[next] = {pool, numbered_};
      } else {
        targets_[next] = {pool, numbered_};
      }
      numbered_ += static_cast<std::uint64_t>(now);
      left_ += now;
      tasks -= now;
      const Reply reply = time_.give(SubmitJob{std::move(request), 1}, now_);
      if (const auto* refused = std::get_if<Refused>(&reply))
        out_.refused = refused->refusal.message;
    }
  }

  void take(const Turn& turn) {
    out_.work += Steps::work_of(turn, engine_.state());
    for (const Event& event : turn.events) {
      if (const auto* split = std::get_if<TaskSplit>(&event.body)) {
        if (const auto array = arrays_.find(split->array); array != arrays_.end())
          targets_[split->job] = {array->second.pool, array->second.number + split->task};
      } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
        const auto target = targets_.find(ended->job);
        // What was preempted comes back, or never ends.
        if (target == targets_.end() || ended->outcome.state == JobState::kPreempted) continue;
        out_.by_pool[target->second.pool].push_back(event.at);
        targets_.erase(target);
        --left_;
      }
    }
  }

  Fate fate(const Job& job) {
    Fate out;
    out.run = job.limit;
    out.outcome.state = JobState::kCompleted;
    const auto target = targets_.find(job.id);
    if (target == targets_.end()) {
      if (drawn_) out.run = draws_.of(engine_.state(), job);
    } else if (const auto& known = question_.pools[target->second.pool].run) {
      out.run = std::min(*known, job.limit);
    } else if (drawn_) {
      // The same task takes the same time in whichever pool.
      out.run = draws_.of(engine_.state(), job, (std::uint64_t{1} << 40) + target->second.number);
    }
    out.run = steps_.rounded(engine_.state(), job, out.run);
    return out;
  }

  Instant now_;
  const FinishQuestion& question_;
  std::uint64_t most_work_;
  DrawnRuns draws_;
  Steps steps_;
  bool drawn_;
  Engine engine_;
  VirtualTime time_;
  std::map<JobId, Target> arrays_;
  std::map<JobId, Target> targets_;
  std::uint64_t numbered_ = 0;
  std::int64_t left_ = 0;
  Ends out_;
};

// One plan, over all its runs ahead.
struct Tried {
  Counts plan;
  bool complete = false;
  std::string refused;
  double last = 0;    // Milliseconds until the last task has ended, the mean of the runs,
  double middle = 0;  // until half of them have,
  double mean = 0;    // and of all tasks.
  std::vector<double> pool_last;
  std::vector<std::vector<Instant>> ends;  // Of the first run ahead.

  bool better_than(const Tried& other) const {
    if (complete != other.complete) return complete;
    // A second is no difference.
    if (last + 1000 <= other.last || other.last + 1000 <= last) return last < other.last;
    return mean + 1 < other.mean;
  }
};

class Chooser {
 public:
  Chooser(const StateSnapshot& from, Instant now, const FinishQuestion& question,
          const LearntRunTimes& learnt, const FinishBounds& bounds)
      : from_(from), now_(now), question_(question), learnt_(learnt), bounds_(bounds) {}

  FinishCard choose() {
    FinishCard out;
    out.asked = now_;
    out.learnt = static_cast<std::int64_t>(learnt_.runs());
    std::optional<Tried> best;
    const auto consider = [&](Tried tried) {
      if (tried.complete && (!best || tried.better_than(*best))) best = std::move(tried);
    };
    std::vector<Tried> alone;
    for (std::size_t i = 0; i < question_.pools.size(); ++i) {
      Counts all(question_.pools.size(), 0);
      all[i] = std::min(question_.tasks, question_.pools[i].most);
      if (all[i] <= 0) {
        out.alone.push_back({});
        alone.emplace_back();
        continue;
      }
      const bool whole = all[i] == question_.tasks;
      alone.push_back(attempt(std::move(all)));
      out.alone.push_back(
          {alone.back().complete ? std::optional(when(alone.back().last)) : std::nullopt,
           alone.back().refused});
      if (whole) consider(alone.back());
    }
    if (question_.array && question_.pools.size() > 1) {
      if (const auto merged = merge(alone)) consider(attempt(*merged));
    }
    if (!question_.by_slots.empty()) {
      Tried slots = attempt(question_.by_slots);
      if (slots.complete) out.done_by_slots = when(slots.last);
      // Where nothing is gained, what is free now decides as without the simulation.
      if (slots.complete && (!best || !best->better_than(slots))) best = std::move(slots);
    }
    if (best && question_.array && question_.pools.size() > 1) improve(*best);
    out.tried = static_cast<std::int64_t>(tried_);
    if (!best) return out;
    out.tasks = best->plan;
    out.done = when(best->last);
    out.middle = when(best->middle);
    return out;
  }

 private:
  Instant when(double after) const { return now_ + Duration(static_cast<std::int64_t>(after)); }

  Tried attempt(Counts plan) {
    ++tried_;
    Tried out;
    out.plan = std::move(plan);
    out.pool_last.assign(question_.pools.size(), 0);
    const std::uint32_t draws = learnt_.runs() == 0 ? 1 : std::max(1U, bounds_.draws);
    std::uint32_t done = 0;
    for (std::uint32_t i = 0; i < draws; ++i) {
      // One run ahead says enough where all of them would take too long.
      if (i > 0 && work_ > bounds_.work / 2) break;
      Ends ends = run_ahead(out.plan, i);
      out.refused = ends.refused;
      if (!ends.complete) return out;
      add(ends, out);
      ++done;
      if (i == 0) out.ends = std::move(ends.by_pool);
    }
    out.complete = true;
    for (double* sum : {&out.last, &out.middle, &out.mean}) *sum /= done;
    for (double& each : out.pool_last) each /= done;
    return out;
  }

  // Event by event where that is little work; else in steps.
  Ends run_ahead(const Counts& plan, std::uint64_t draw) {
    while (true) {
      const bool exact = grain_ == Duration(0);
      Ends ends =
          TaskFork(exact ? from_ : *in_steps_, now_, question_, learnt_, bounds_.seed + draw,
                   grain_, exact ? bounds_.exact_work : bounds_.step_work)
              .run(plan);
      work_ += ends.work;
      if (!ends.given_up || Steps::are_longest(grain_)) return ends;
      grain_ = Steps::after(grain_, ends.reached);
      if (exact) in_steps_ = Steps::snapshot_for(from_);
    }
  }

  void add(const Ends& ends, Tried& out) const {
    std::vector<double> all;
    for (std::size_t pool = 0; pool < ends.by_pool.size(); ++pool) {
      for (const Instant end : ends.by_pool[pool])
        all.push_back(static_cast<double>((end - now_).count()));
      if (!ends.by_pool[pool].empty())
        out.pool_last[pool] += static_cast<double>((ends.by_pool[pool].back() - now_).count());
    }
    if (all.empty()) return;
    std::sort(all.begin(), all.end());
    out.last += all.back();
    out.middle += all[(all.size() - 1) / 2];
    out.mean += std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  }

  // The first ends of all pools, as if none took anything from another.
  std::optional<Counts> merge(const std::vector<Tried>& alone) const {
    Counts plan(question_.pools.size(), 0);
    for (std::int64_t placed = 0; placed < question_.tasks; ++placed) {
      std::optional<std::size_t> first;
      for (std::size_t i = 0; i < alone.size(); ++i) {
        if (!alone[i].complete) continue;
        const auto next = static_cast<std::size_t>(plan[i]);
        if (next >= alone[i].ends[i].size()) continue;
        const auto at = [&](std::size_t pool) {
          return std::pair(alone[pool].ends[pool][static_cast<std::size_t>(plan[pool])],
                           plan[pool]);
        };
        if (!first || at(i) < at(*first)) first = i;
      }
      if (!first) return std::nullopt;
      ++plan[*first];
    }
    return plan;
  }

  // Tasks leave the pool that ends last for those that end earlier, fewer and fewer of them.
  void improve(Tried& best) {
    double part = 0.5;
    for (std::uint32_t i = 0; i < bounds_.improvements && work_ < bounds_.work; ++i) {
      const auto last = static_cast<std::size_t>(
          std::max_element(best.pool_last.begin(), best.pool_last.end()) - best.pool_last.begin());
      std::optional<Tried> found;
      for (const std::size_t to : by_end(best)) {
        if (to == last || work_ >= bounds_.work) continue;
        const double early = best.pool_last[last] - best.pool_last[to];
        const auto wanted = static_cast<std::int64_t>(part * static_cast<double>(best.plan[last]) *
                                                      early / best.pool_last[last]);
        const std::int64_t moved = std::min({std::max<std::int64_t>(wanted, 1), best.plan[last],
                                             question_.pools[to].most - best.plan[to]});
        if (moved <= 0) continue;
        Counts plan = best.plan;
        plan[last] -= moved;
        plan[to] += moved;
        Tried tried = attempt(std::move(plan));
        if (!tried.complete || !tried.better_than(best)) continue;
        found = std::move(tried);
        break;
      }
      if (found) {
        best = std::move(*found);
        continue;
      }
      part /= 2;
      if (part * static_cast<double>(best.plan[last]) < 1) return;
    }
  }

  static std::vector<std::size_t> by_end(const Tried& tried) {
    std::vector<std::size_t> out(tried.pool_last.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
      return tried.pool_last[a] < tried.pool_last[b];
    });
    return out;
  }

  const StateSnapshot& from_;
  Instant now_;
  const FinishQuestion& question_;
  const LearntRunTimes& learnt_;
  const FinishBounds& bounds_;
  std::optional<StateSnapshot> in_steps_;
  Duration grain_{0};
  std::uint64_t work_ = 0;
  std::uint64_t tried_ = 0;
};

}  // namespace

FinishCard choose_by_finish(const StateSnapshot& from, Instant now, const FinishQuestion& question,
                            const LearntRunTimes& learnt, const FinishBounds& bounds) {
  return Chooser(from, now, question, learnt, bounds).choose();
}

}  // namespace sluice
