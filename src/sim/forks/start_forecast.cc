#include "sim/forks/start_forecast.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/engine.h"
#include "model/event.h"
#include "sim/forks/steps.h"
#include "text/duration.h"
#include "text/memory.h"

namespace sluice {
namespace {

Instant part_of(std::vector<Instant>& sorted, std::size_t percent) {
  return sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
}

StartRange range_of(std::vector<Instant> starts) {
  std::sort(starts.begin(), starts.end());
  return {part_of(starts, 10), part_of(starts, 50), part_of(starts, 90)};
}

class Forecaster {
 public:
  Forecaster(const StateSnapshot& from, Instant now, const StartQuestion& question,
             const LearntRunTimes& learnt, const ForecastBounds& bounds)
      : from_(from), now_(now), question_(question), learnt_(learnt), bounds_(bounds) {}

  StartForecast forecast() {
    const StartRun first = once({.times = RunTimes::kLimits});
    out_.tasks = first.tasks;
    out_.refusal = first.refusal;
    out_.running = first.running;
    out_.ended = first.ended;
    if (out_.refusal || out_.running || out_.ended) return done();
    if (!first.first_start) {
      out_.cut_short = first.given_up;
      out_.after_endless = first.after_endless;
      if (!first.given_up && !first.after_endless)
        out_.never = once({.times = RunTimes::kLimits, .explain = true}).reason;
      find_sooner(nullptr);
      return done();
    }
    out_.by_limits = first.first_start;
    out_.place = first.first;
    // Without a past every job runs to its limit all the same.
    const std::vector<StartRun> all =
        learnt_.runs() == 0 ? std::vector<StartRun>{first} : repeat(nullptr, bounds_.runs);
    out_.runs = static_cast<std::uint32_t>(all.size());
    if (const auto endless = after_endless(all)) {
      // A bound is known, and no start.
      out_.after_endless = endless;
      find_sooner(nullptr);
      return done();
    }
    summarise(all);
    if (out_.start->likely > now_) find_sooner(&all);
    return done();
  }

 private:
  StartForecast done() {
    out_.work = work_;
    if (grain_ > Duration(0))
      out_.grain = Steps::at(out_.start ? out_.start->likely - now_ : Duration(0), grain_);
    return std::move(out_);
  }

  // Event by event where that is little work; else in steps.
  StartRun once(RunAhead how) {
    how.draw += bounds_.seed;
    while (true) {
      how.grain = grain_;
      const bool exact = grain_ == Duration(0);
      how.most_work = !exact                ? bounds_.step_work
                      : learnt_.runs() == 0 ? bounds_.exact_answer_work
                                            : bounds_.exact_work;
      StartRun run = run_ahead(exact ? from_ : *in_steps_, now_, question_, learnt_, how);
      work_ += run.work;
      if (!run.given_up || Steps::are_longest(grain_)) return run;
      // With earlier run times it may start much earlier than it would have by limits.
      grain_ = Steps::after(grain_, run.reached - now_);
      if (exact) in_steps_ = Steps::snapshot_for(from_);
    }
  }

  // As many as wanted, or as there is work left for: half of it is for what might help.
  std::vector<StartRun> repeat(const JobChange* change, std::uint32_t runs,
                               std::optional<Instant> until = {}) {
    std::vector<StartRun> out;
    for (std::uint32_t i = 0; i < runs; ++i) {
      if (i >= bounds_.enough_runs && work_ > bounds_.work / 2) break;
      StartRun run = once({.times = RunTimes::kDrawn, .draw = i, .change = change, .until = until});
      if (run.refusal || (!run.first_start && (!until || run.given_up))) return {};
      // Then or later is all the same.
      if (!run.first_start) run.first_start = run.end = *until;
      out.push_back(std::move(run));
    }
    return out;
  }

  // What most runs wait for.
  static std::optional<JobId> after_endless(const std::vector<StartRun>& runs) {
    std::size_t count = 0;
    std::optional<JobId> out;
    for (const StartRun& run : runs) {
      if (!run.after_endless) continue;
      ++count;
      if (!out) out = run.after_endless;
    }
    return 2 * count >= runs.size() ? out : std::nullopt;
  }

  static StartRange starts_of(const std::vector<StartRun>& runs) {
    std::vector<Instant> starts;
    for (const StartRun& run : runs) starts.push_back(*run.first_start);
    return range_of(std::move(starts));
  }
  static Instant end_of(const std::vector<StartRun>& runs) {
    std::vector<Instant> ends;
    for (const StartRun& run : runs) ends.push_back(run.end);
    return range_of(std::move(ends)).likely;
  }

  void summarise(const std::vector<StartRun>& runs) {
    if (runs.empty()) {  // Some draws keep it waiting for ever: an array that is too long to
                         // follow.
      out_.start = StartRange{*out_.by_limits, *out_.by_limits, *out_.by_limits};
      return;
    }
    out_.start = starts_of(runs);
    out_.end = end_of(runs);
    std::vector<Instant> last;
    for (const StartRun& run : runs)
      if (run.last_start) last.push_back(*run.last_start);
    if (last.size() < runs.size() ||
        std::any_of(runs.begin(), runs.end(), [](const StartRun& run) { return !run.ends; }))
      out_.end.reset();  // Of some tasks it was not found out, or nobody knows.
    if (last.size() == runs.size() && out_.tasks > 1)
      out_.last_start = range_of(std::move(last)).likely;
  }

  // The request as it would be taken, with everything filled in.
  struct Asked {
    JobSpec request;
    Shape shape;
    Duration limit{0};
  };
  std::optional<Asked> asked() {
    Engine engine(Engine::Explain::kNo);
    engine.restore(from_);
    const State& state = engine.state();
    const Job* job = nullptr;
    if (question_.request) {
      Turn turn;
      engine.handle(SubmitJob{*question_.request, 1}, now_, turn);
      const auto* taken = std::get_if<Submitted>(&turn.replies.front());
      if (taken == nullptr) return std::nullopt;
      job = state.find_job(taken->job);
    } else {
      job = state.find_job(question_.job->job);
      if (question_.job->task)
        if (const Job* own = state.find_task(question_.job->job, *question_.job->task)) job = own;
    }
    if (job == nullptr) return std::nullopt;
    const Shape& shape = state.shape_of_job(*job);
    return Asked{question_.request ? *question_.request : *shape.request, shape, job->limit};
  }

  void find_sooner(const std::vector<StartRun>* as_it_is) {
    const auto job = asked();
    if (!job) return;
    out_.limit = job->limit;
    const std::string& user = job->shape.request->user;
    const auto own = learnt_.of(user, job->shape.request->name, job->limit);
    out_.own_runs = own.same_name() ? own.runs() : 0;
    if (as_it_is != nullptr && as_it_is->empty()) return;
    // A fifth of the runs is enough to see which helps; one where each takes long.
    const auto all = static_cast<std::uint32_t>(as_it_is == nullptr ? 1 : as_it_is->size());
    const std::uint32_t few =
        all <= bounds_.enough_runs ? 1U : std::max(bounds_.enough_runs, all / 5);
    Instant worth_it = Instant::max();
    std::optional<Instant> latest;
    if (as_it_is != nullptr) {
      const std::vector<StartRun> same(as_it_is->begin(), as_it_is->begin() + few);
      const StartRange start = starts_of(same);
      // What gains less than a minute, or a twentieth of the wait, is not worth a command.
      worth_it = start.likely - std::max(minutes(1), (start.likely - now_) / 20);
      // No run need be followed beyond the latest of these: it gains nothing.
      latest = start.late;
    }
    const auto try_out = [&](std::string what, JobChange change) {
      if (work_ > bounds_.work) return;
      const std::vector<StartRun> runs = repeat(&change, few, latest);
      if (runs.empty() || after_endless(runs)) return;
      const StartRange start = starts_of(runs);
      if (start.likely > worth_it) return;
      out_.sooner.push_back({std::move(what), std::move(change), start, end_of(runs)});
    };
    try_names(*job, try_out);
    try_sizes(*job, own, try_out);
    std::stable_sort(out_.sooner.begin(), out_.sooner.end(), [](const Sooner& a, const Sooner& b) {
      return a.start.likely < b.start.likely;
    });
  }

  template <class TryOut>
  void try_names(const Asked& job, const TryOut& try_out) {
    constexpr std::size_t kMost = 6;  // Of each kind.
    const Policy& policy = *from_.policy;
    const std::string& user = job.shape.request->user;
    const std::string account =
        job.shape.assoc ? policy.associations[job.shape.assoc->index()].account : std::string();
    std::size_t tried = 0;
    for (const Association& each : policy.associations) {
      if (each.user.empty() || each.user != user || each.account == account || tried == kMost)
        continue;
      ++tried;
      JobChange change;
      change.account = each.account;
      try_out("charge account " + each.account, std::move(change));
    }
    tried = 0;
    if (job.shape.assoc)
      for (const QosId qos : policy.allowed_qos(*job.shape.assoc)) {
        if (job.shape.qos == qos || tried == kMost) continue;
        ++tried;
        JobChange change;
        change.qos = policy.qos[qos.index()].name;
        try_out("use QoS " + policy.qos[qos.index()].name, std::move(change));
      }
    tried = 0;
    for (std::size_t i = 0; i < policy.partitions.size() && tried < kMost; ++i) {
      const PartitionId id(static_cast<PartitionId::rep>(i));
      if (std::find(job.shape.partitions.begin(), job.shape.partitions.end(), id) !=
          job.shape.partitions.end())
        continue;
      ++tried;
      JobChange change;
      change.partitions = std::vector<std::string>{policy.partitions[i].name};
      try_out("use partition " + policy.partitions[i].name, std::move(change));
    }
  }

  template <class TryOut>
  void try_sizes(const Asked& job, const LearntRunTimes::Choice& own, const TryOut& try_out) {
    const auto in_minutes = [](Duration time) -> Duration {
      return std::max<Duration>(minutes(1), std::chrono::ceil<std::chrono::minutes>(time));
    };
    // A fifth more than its earlier runs took; or else a half, if it knows better.
    const Duration known = in_minutes(own.long_one() * 6 / 5);
    if (own.is_known() && own.same_name() && known < job.limit) {
      JobChange change;
      change.time_limit = known;
      try_out(fmt::format("ask for less time (its {} earlier runs took up to {})", own.runs(),
                          format_duration(std::chrono::ceil<std::chrono::seconds>(own.long_one()))),
              std::move(change));
    } else if (job.limit > minutes(1) && job.limit < kForever) {
      JobChange change;
      change.time_limit = in_minutes(job.limit / 2);
      try_out("ask for half the time", std::move(change));
    }
    const std::int64_t memory = job.shape.asked[kTresMem] / std::max(1, job.shape.min_nodes);
    if (memory > 1) {
      JobChange change;
      change.memory = MemoryRequest{MemoryPer::kNode, memory / 2};
      try_out("ask for half the memory", std::move(change));
    }
    if (job.shape.cpus_per_task > 1) {
      JobChange change;
      change.cpus_per_task = job.shape.cpus_per_task / 2;
      try_out("ask for half the CPUs", std::move(change));
    } else if (job.shape.tasks > 1 && job.shape.request->tasks) {
      JobChange change;
      change.tasks = *job.shape.request->tasks / 2;
      try_out("ask for half the tasks", std::move(change));
    }
  }

  const StateSnapshot& from_;
  Instant now_;
  const StartQuestion& question_;
  const LearntRunTimes& learnt_;
  const ForecastBounds& bounds_;
  std::optional<StateSnapshot> in_steps_;
  Duration grain_{0};
  std::uint64_t work_ = 0;
  StartForecast out_;
};

}  // namespace

StartForecast forecast_start(const StateSnapshot& from, Instant now, const StartQuestion& question,
                             const LearntRunTimes& learnt, const ForecastBounds& bounds) {
  return Forecaster(from, now, question, learnt, bounds).forecast();
}

}  // namespace sluice
