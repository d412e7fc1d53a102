#include "sim/forks/start_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/changed_request.h"
#include "model/event.h"
#include "sim/forks/drawn_runs.h"
#include "sim/virtual_time.h"
#include "text/duration.h"
#include "text/memory.h"

namespace sluice {
namespace {

enum class RunTimes : std::uint8_t { kLimits, kDrawn };

struct Variant {
  RunTimes times = RunTimes::kDrawn;
  std::uint64_t number = 0;  // The draws: the same number gives every job the same run time.
  const JobChange* change = nullptr;
  Engine::Explain explain = Engine::Explain::kNo;
};

struct OneRun {
  std::optional<Refusal> refusal;
  std::optional<Instant> running;
  bool ended = false;
  std::optional<Instant> first_start;
  std::optional<JobStarted> first;
  std::optional<Instant> last_start;
  Instant end{};
  Reason reason;
  bool cut_short = false;
  std::size_t tasks = 1;
  std::uint64_t turns = 0;
};

// The cluster once more, in virtual time, until the job in question has started.
class Fork {
 public:
  Fork(const StateSnapshot& from, Instant now, const LearntRunTimes& learnt,
       const ForecastBounds& bounds, const Variant& variant)
      : now_(now),
        bounds_(bounds),
        variant_(variant),
        draws_(learnt, now, bounds.seed + variant.number),
        engine_(variant.explain),
        time_(
            engine_, [this](const Job& job) { return fate(job); },
            [this](const Turn& turn) { take(turn); }) {
    engine_.restore(from);
  }
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  OneRun run(const StartQuestion& question) {
    if (question.job) {
      if (!aim_at(*question.job)) return out_;
      if (variant_.change != nullptr && !change_first(*question.job)) return out_;
      time_.take_over(now_);
    } else {
      time_.take_over(now_);
      submit(*question.request);
      if (out_.refusal) return out_;
    }
    out_.tasks = left_ + started_;
    while (left_ > 0 && out_.turns < bounds_.run_turns && time_.now() - now_ < kHorizon)
      if (!time_.step()) break;
    if (left_ > 0) {
      out_.cut_short = out_.turns >= bounds_.run_turns;
      if (!out_.cut_short) out_.first_start.reset();
      if (variant_.explain == Engine::Explain::kYes && !targets_.empty())
        out_.reason = engine_.explanation(*targets_.begin()).reason;
    }
    return out_;
  }

 private:
  // What has not started within a year is not waited for.
  static constexpr Duration kHorizon = minutes(std::int64_t{366} * 24 * 60);

  const State& state() const { return engine_.state(); }

  bool aim_at(const JobRef& ref) {
    const Job* job = state().find_job(ref.job);
    array_ = state().find_array(ref.job) != nullptr ? ref.job : JobId{};
    task_ = ref.task;
    if (ref.task)
      if (const Job* own = state().find_task(ref.job, *ref.task)) job = own;
    if (job == nullptr && array_ == JobId{}) {
      out_.ended = true;
      return false;
    }
    if (array_ != JobId{} && !ref.task) {
      const Array& array = *state().find_array(array_);
      left_ = array.waiting.size();
      for (const JobId id : state().task_records(array_)) {
        const Job& each = state().job(id);
        if (each.is_array || each.state != JobState::kPending) continue;
        targets_.insert(id);
        ++left_;
      }
      if (job != nullptr && job->is_array) targets_.insert(job->id);
      out_.ended = left_ == 0;
      return left_ > 0;
    }
    if (job->state != JobState::kPending) {
      out_.ended = has_ended(job->state);
      if (!out_.ended) out_.running = state().run_of(*job).started;
      return false;
    }
    if (ref.task && job->is_array && !state().find_array(array_)->waiting.contains(*ref.task)) {
      out_.ended = true;
      return false;
    }
    targets_.insert(job->id);
    left_ = 1;
    return true;
  }

  // Before the pass that takes over: the change is made now, and the job has not started.
  bool change_first(const JobRef& ref) {
    Turn turn;
    const std::string user = state().shape_of_job(state().job(*targets_.begin())).request->user;
    // Only what its owner may change is advice.
    engine_.handle(UpdateJob{ref, *variant_.change, Actor{user, false}}, now_, turn);
    if (const auto* refused = std::get_if<Refused>(&turn.replies.front())) {
      out_.refusal = refused->refusal;
      return false;
    }
    take(turn);
    return left_ > 0 || out_.first_start.has_value();
  }

  void submit(const JobSpec& request) {
    JobSpec asked =
        variant_.change == nullptr ? request : changed_request(request, *variant_.change);
    left_ = asked.array ? asked.array->indices.size() : 1;
    next_ = state().next_job_id();
    targets_.insert(*next_);
    if (asked.array) array_ = *next_;
    const Reply reply = time_.give(SubmitJob{std::move(asked), 1}, now_);
    if (const auto* refused = std::get_if<Refused>(&reply)) out_.refusal = refused->refusal;
  }

  void take(const Turn& turn) {
    ++out_.turns;
    if (left_ == 0) return;
    for (const Event& event : turn.events) {
      if (const auto* split = std::get_if<TaskSplit>(&event.body)) {
        if (split->array == array_ && array_ != JobId{} && (!task_ || split->task == *task_))
          targets_.insert(split->job);
      } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
        if (left_ == 0 || !targets_.contains(started->job)) continue;
        if (task_ && state().find_job(started->job) != nullptr &&
            state().job(started->job).array != JobId{} && state().job(started->job).task != *task_)
          continue;
        if (!out_.first_start) {
          out_.first_start = event.at;
          out_.first = *started;
        }
        out_.last_start = event.at;
        --left_;
        ++started_;
        if (const Job* job = state().find_job(started->job))
          out_.end = std::max(out_.end, event.at + std::min(fate(*job).run, job->limit));
      }
    }
  }

  Fate fate(const Job& job) {
    Fate out;
    out.run = job.limit;
    out.outcome.state = JobState::kCompleted;
    if (variant_.times == RunTimes::kLimits) return out;
    out.run = draws_.of(state(), job);
    return out;
  }

  Instant now_;
  const ForecastBounds& bounds_;
  Variant variant_;
  DrawnRuns draws_;
  Engine engine_;
  VirtualTime time_;
  std::set<JobId> targets_;
  std::optional<JobId> next_;
  JobId array_{};
  std::optional<std::uint32_t> task_;
  std::size_t left_ = 0;
  std::size_t started_ = 0;
  OneRun out_;
};

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
    const OneRun first = once({.times = RunTimes::kLimits});
    out_.tasks = first.tasks;
    out_.turns = first.turns;
    out_.refusal = first.refusal;
    out_.running = first.running;
    out_.ended = first.ended;
    if (out_.refusal || out_.running || out_.ended) return out_;
    if (!first.first_start) {
      out_.cut_short = first.cut_short;
      if (!first.cut_short)
        out_.never = once({.times = RunTimes::kLimits, .explain = Engine::Explain::kYes}).reason;
      find_sooner(nullptr);
      return out_;
    }
    out_.by_limits = first.first_start;
    out_.place = first.first;
    // Without a past every job runs to its limit all the same.
    const std::vector<OneRun> all =
        learnt_.runs() == 0 ? std::vector<OneRun>{first} : repeat(nullptr, runs_for(first.turns));
    out_.runs = static_cast<std::uint32_t>(all.size());
    summarise(all);
    if (out_.start->likely > now_) find_sooner(&all);
    return out_;
  }

 private:
  OneRun once(const Variant& variant) {
    return Fork(from_, now_, learnt_, bounds_, variant).run(question_);
  }

  std::uint32_t runs_for(std::uint64_t turns) const {
    const std::uint64_t affordable = bounds_.turns / std::max<std::uint64_t>(1, turns);
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(affordable, bounds_.enough_runs, bounds_.runs));
  }

  std::vector<OneRun> repeat(const JobChange* change, std::uint32_t runs) {
    std::vector<OneRun> out;
    for (std::uint32_t i = 0; i < runs; ++i) {
      OneRun run = once({.times = RunTimes::kDrawn, .number = i, .change = change});
      out_.turns += run.turns;
      if (run.refusal || !run.first_start) return {};
      out.push_back(std::move(run));
    }
    return out;
  }

  static StartRange starts_of(const std::vector<OneRun>& runs) {
    std::vector<Instant> starts;
    for (const OneRun& run : runs) starts.push_back(*run.first_start);
    return range_of(std::move(starts));
  }
  static Instant end_of(const std::vector<OneRun>& runs) {
    std::vector<Instant> ends;
    for (const OneRun& run : runs) ends.push_back(run.end);
    return range_of(std::move(ends)).likely;
  }

  void summarise(const std::vector<OneRun>& runs) {
    if (runs.empty()) {  // Some draws keep it waiting for ever: an array that is too long to
                         // follow.
      out_.start = StartRange{*out_.by_limits, *out_.by_limits, *out_.by_limits};
      return;
    }
    out_.start = starts_of(runs);
    out_.end = end_of(runs);
    std::vector<Instant> last;
    for (const OneRun& run : runs) last.push_back(*run.last_start);
    if (out_.tasks > 1) out_.last_start = range_of(std::move(last)).likely;
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

  void find_sooner(const std::vector<OneRun>* as_it_is) {
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
    const auto try_out = [&](std::string what, JobChange change) {
      if (out_.turns > 2 * bounds_.turns) return;
      const std::vector<OneRun> runs = repeat(&change, few);
      if (runs.empty()) return;
      const StartRange start = starts_of(runs);
      if (as_it_is != nullptr) {
        const std::vector<OneRun> same(as_it_is->begin(), as_it_is->begin() + few);
        const Instant likely = starts_of(same).likely;
        // What gains less than a minute, or a twentieth of the wait, is not worth a command.
        const Duration worth = std::max(minutes(1), (likely - now_) / 20);
        if (likely - start.likely < worth) return;
      }
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
    } else if (job.limit > minutes(1)) {
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
      change.tasks = job.shape.tasks / 2;
      try_out("ask for half the tasks", std::move(change));
    }
  }

  const StateSnapshot& from_;
  Instant now_;
  const StartQuestion& question_;
  const LearntRunTimes& learnt_;
  const ForecastBounds& bounds_;
  StartForecast out_;
};

}  // namespace

StartForecast forecast_start(const StateSnapshot& from, Instant now, const StartQuestion& question,
                             const LearntRunTimes& learnt, const ForecastBounds& bounds) {
  return Forecaster(from, now, question, learnt, bounds).forecast();
}

}  // namespace sluice
