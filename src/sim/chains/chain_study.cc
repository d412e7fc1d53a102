// The chain's own code carries it forward, on a cluster in virtual time.
#include "sim/chains/chain_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "escalation/advance.h"
#include "escalation/ceilings.h"
#include "escalation/spread.h"
#include "sim/chains/simulated_cluster.h"
#include "sim/workloads/splitmix.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr std::uint64_t kNeedsStream = 11;
// The chain is looked at so often while no pool has room.
constexpr Duration kBetweenLooks = minutes(5);
// Nothing that the chain waits for comes this late.
constexpr Duration kPatience = minutes(std::int64_t{366} * 24 * 60);
constexpr std::string_view kOthers = "of others ";

double in_hours(Duration time) { return static_cast<double>(time.count()) / 3.6e6; }

// Log-uniform, by a fraction between 0 and 1.
double between(double low, double high, double at) { return low * std::pow(high / low, at); }

Result<std::pair<std::string_view, std::string_view>> bounds_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::pair(text, text);
  return std::pair(text.substr(0, dots), text.substr(dots + 2));
}

Result<Duration> time_of(std::string_view text) {
  const auto time = parse_friendly_duration(text);
  if (!time || time->unlimited() || *time->duration <= Duration(0))
    return bad_input(fmt::format("needs: '{}' is not a time", text), "write 5m, 2h or 5m..2h");
  return *time->duration;
}

std::int64_t memory_asked(const JobSpec& spec) {
  if (!spec.memory) return 0;
  const std::int64_t cpus =
      static_cast<std::int64_t>(spec.tasks.value_or(1)) * spec.cpus_per_task.value_or(1);
  return spec.memory->per == MemoryPer::kCpu ? spec.memory->mb * cpus : spec.memory->mb;
}

double cpus_of(const JobSpec& spec) {
  return static_cast<double>(spec.tasks.value_or(1)) *
         static_cast<double>(spec.cpus_per_task.value_or(1));
}

class MemoryStore final : public ChainStore {
 public:
  Result<void> commit(std::span<const ChainEvent> events) override {
    for (const ChainEvent& event : events)
      if (const auto* settled = std::get_if<TasksSettled>(&event))
        for (const Settlement& one : settled->settlements) ended_.push_back(one.run);
    return {};
  }
  Result<std::vector<TaskRun>> runs() const override { return ended_; }
  const std::vector<TaskRun>& ended() const { return ended_; }

 private:
  std::vector<TaskRun> ended_;
};

class Study {
 public:
  explicit Study(const ChainStudy& study)
      : study_(study),
        cluster_(study.policy, study.user,
                 [this](const JobSpec& spec, std::optional<std::uint32_t> task) {
                   return fate(spec, task);
                 }) {}

  Result<ChainStudyReport> run() {
    pass_others_until(begin());
    cluster_.pass_until(begin());
    TRY(Chain chain, make_chain_here());
    MemoryStore store;
    Advance advance(chain, cluster_, store, {}, {}, spread());
    for (const auto& level : chain.ladder.levels)
      out_.ladder.push_back(describe(request_of(level)));
    out_.ladder_top = chain.ladder.top;
    out_.tasks = chain.tasks.size();
    TRY_VOID(carry_on(chain, advance));
    report(chain, store.ended());
    return std::move(out_);
  }

 private:
  Instant begin() const {
    const Instant first = study_.others == nullptr || study_.others->items.empty()
                              ? Instant{}
                              : study_.others->items.front().submit;
    return first + study_.begin;
  }

  Result<Chain> make_chain_here() {
    TRY(const Description seen, cluster_.describe());
    const CeilingsFor ceilings = [&](const JobSpec& asking) {
      return ceilings_of(seen, asking, study_.accounts);
    };
    JobSpec spec = study_.spec;
    if (study_.accounts.size() == 1) spec.account = study_.accounts.front();
    TRY(Ladder ladder, settle_ladder(study_.ladder, spec, ceilings));
    Chain chain =
        make_chain("study", cluster_.now(), std::move(spec), std::move(ladder), study_.array, {});
    chain.terms.engine = "embedded";
    chain.terms.spread = study_.accounts.size() > 1;
    chain.terms.accounts = study_.accounts;
    return chain;
  }

  Spread spread() {
    if (study_.accounts.size() < 2) return {};
    return [this](const Chain& chain, const IndexSet& tasks,
                  const Request& asked) -> Result<std::vector<Share>> {
      TRY(const Description seen, cluster_.describe());
      return spread_over(chain, tasks, asked, pools_for(chain, asked, seen, settings_)).shares;
    };
  }

  Result<void> carry_on(Chain& chain, Advance& advance) {
    const Instant submitted = cluster_.now();
    TRY(Progress progress, advance.step(cluster_.now()));
    while (chain.state != ChainState::kEnded) {
      if (cluster_.now() - submitted > kPatience) return {};
      const auto next = next_instant();
      // Nothing happens by itself any more: what waits, waits for ever.
      if (!next && !progress.waits_for_room) return {};
      if (!next && idle_looks_++ > 3) return {};
      Instant until = next.value_or(cluster_.now() + kBetweenLooks);
      const bool looks = progress.waits_for_room && until > cluster_.now() + kBetweenLooks;
      if (looks) until = cluster_.now() + kBetweenLooks;
      pass_others_until(until);
      cluster_.pass_until(until);
      const bool ended = take_ends(chain);
      if (!ended && !progress.waits_for_room) continue;
      if (!ended && cluster_.now() < last_look_ + kBetweenLooks) continue;
      last_look_ = cluster_.now();
      TRY(progress, advance.step(cluster_.now()));
    }
    out_.done = cluster_.now() - submitted;
    return {};
  }

  // Whether all tasks of a job of the chain have ended by now: that is when a chain is looked at.
  bool take_ends(const Chain& chain) {
    bool out = false;
    (void)cluster_.take_launched();
    for (const SimulatedCluster::Launched& run : cluster_.take_ended()) {
      if (run.key.starts_with(kOthers)) continue;
      out = out || !cluster_.is_busy(run.job);
    }
    return out && !chain.tasks.empty();
  }

  std::optional<Instant> next_instant() const {
    auto next = cluster_.next();
    if (study_.others != nullptr && next_other_ < study_.others->items.size()) {
      const Instant submit = study_.others->items[next_other_].submit;
      next = next ? std::min(*next, submit) : submit;
    }
    return next;
  }

  void pass_others_until(Instant until) {
    if (study_.others == nullptr) return;
    const std::vector<WorkItem>& items = study_.others->items;
    for (; next_other_ < items.size() && items[next_other_].submit <= until; ++next_other_) {
      const WorkItem& item = items[next_other_];
      cluster_.pass_until(item.submit);
      Submission submission;
      submission.spec = spec_of(*study_.others, study_.others->request_of(item));
      submission.key = fmt::format("{}{}", kOthers, next_other_);
      submission.spec.comment = submission.key;
      const auto answer = cluster_.submit_as(submission.spec.user, submission);
      ++out_.others;
      if (!answer || !std::holds_alternative<Accepted>(*answer)) ++out_.others_refused;
    }
  }

  Fate fate(const JobSpec& spec, std::optional<std::uint32_t> task) const {
    Fate out;
    if (spec.comment.starts_with(kOthers)) {
      const auto at = whole_number(std::string_view(spec.comment).substr(kOthers.size()));
      const WorkItem& item = study_.others->items[static_cast<std::size_t>(at.value_or(0))];
      return Fate{item.run,
                  Outcome{.state = item.ends, .exit_code = item.ends == JobState::kFailed}};
    }
    std::uint32_t index = task.value_or(0);
    for (const EnvironmentVariable& each : spec.launch.environment)
      if (each.name == "SLUICE_OFFSET")
        index += static_cast<std::uint32_t>(whole_number(each.value).value_or(0));
    const TrueNeeds needs = needs_of_task(study_.needs, index);
    out.run = needs.run;
    out.outcome.max_rss_kb = needs.memory_mb * 1024;
    const std::int64_t asked = memory_asked(spec);
    if (needs.fails) {
      out.run = std::max<Duration>(seconds(1), needs.run / 20);
      out.outcome.state = JobState::kFailed;
      out.outcome.exit_code = 1;
    } else if (asked > 0 && needs.memory_mb > asked) {
      // Memory grows as it runs: it has so much after that part of its time.
      out.run = std::max<Duration>(seconds(1), needs.run * asked / needs.memory_mb);
      out.outcome = {.state = JobState::kOutOfMemory, .signal = 9, .max_rss_kb = asked * 1024};
    }
    return out;
  }

  void report(const Chain& chain, const std::vector<TaskRun>& runs) {
    std::map<std::string_view, std::size_t> given_up;
    for (const Task& task : chain.tasks) {
      if (task.state == TaskState::kCompleted)
        ++out_.completed;
      else if (task.state == TaskState::kGivenUp)
        ++given_up[given_up_words(task.given_up)];
      else
        ++out_.unfinished;
      out_.rounds = std::max<std::uint32_t>(out_.rounds, task.round);
    }
    for (const auto& [why, count] : given_up) out_.given_up.emplace_back(why, count);
    std::map<std::pair<std::int64_t, std::string>, ChainLevelRow> levels;
    std::map<std::string, ChainPoolRow> pools;
    for (const TaskRun& run : runs) {
      const Batch& batch = chain.batch(run.batch);
      const JobSpec job = batch_job(chain, batch);
      const std::int64_t memory = memory_asked(job);
      const std::string asks = describe(batch.request);
      ChainLevelRow& level = levels[{memory, asks}];
      level.asks = asks;
      level.memory_mb = memory;
      add(run, batch, cpus_of(job), level);
      ChainPoolRow& pool = pools[batch.placement ? batch.placement->pool : job.account];
      ++pool.runs;
      pool.completed += run.state == JobState::kCompleted;
      if (run.start && run.end) pool.cpu_hours += cpus_of(job) * in_hours(*run.end - *run.start);
      if (run.state == JobState::kCompleted && run.start && run.end)
        out_.needed_memory_hours +=
            static_cast<double>(needs_of_task(study_.needs, run.index).memory_mb) / 1024 *
            in_hours(*run.end - *run.start);
    }
    for (auto& [key, level] : levels) {
      if (level.runs > 0) level.wait_seconds /= static_cast<double>(level.runs);
      out_.levels.push_back(std::move(level));
    }
    for (auto& [name, pool] : pools) {
      pool.pool = name;
      out_.pools.push_back(std::move(pool));
    }
  }

  static void add(const TaskRun& run, const Batch& batch, double cpus, ChainLevelRow& level) {
    ++level.runs;
    switch (run.state) {
      case JobState::kCompleted:
        ++level.completed;
        break;
      case JobState::kOutOfMemory:
        ++level.out_of_memory;
        break;
      case JobState::kTimeout:
      case JobState::kDeadline:
        ++level.out_of_time;
        break;
      case JobState::kFailed:
        ++level.failed;
        break;
      default:
        ++level.other;
    }
    if (!run.start || !run.end) return;
    level.wait_seconds += static_cast<double>((*run.start - batch.intended).count()) / 1000;
    const double hours = in_hours(*run.end - *run.start);
    level.cpu_hours += cpus * hours;
    level.memory_hours += static_cast<double>(level.memory_mb) / 1024 * hours;
    if (run.state != JobState::kCompleted) level.lost_cpu_hours += cpus * hours;
  }

  const ChainStudy& study_;
  RoutingSettings settings_;
  SimulatedCluster cluster_;
  std::size_t next_other_ = 0;
  int idle_looks_ = 0;
  Instant last_look_{};
  ChainStudyReport out_;
};

}  // namespace

Result<NeedsModel> parse_needs(std::string_view text) {
  NeedsModel out;
  const std::string_view example = "write --needs mem=500M..6G,run=5m..2h,fail=0.01,seed=1";
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    TRY(const auto bounds, bounds_of(value));
    if (key == "mem") {
      TRY(out.least_memory_mb, parse_memory_mb(bounds.first));
      TRY(out.most_memory_mb, parse_memory_mb(bounds.second));
      if (out.least_memory_mb < 1 || out.most_memory_mb < out.least_memory_mb)
        return bad_input(fmt::format("needs: mem is '{}'", value), std::string(example));
    } else if (key == "run") {
      TRY(out.shortest, time_of(bounds.first));
      TRY(out.longest, time_of(bounds.second));
      if (out.longest < out.shortest)
        return bad_input(fmt::format("needs: run is '{}'", value), std::string(example));
    } else if (key == "fail") {
      double part_that_fails = 0;
      try {
        std::size_t read = 0;
        part_that_fails = std::stod(std::string(value), &read);
        if (read != value.size()) part_that_fails = -1;
      } catch (const std::exception&) {
        part_that_fails = -1;
      }
      if (!(part_that_fails >= 0 && part_that_fails <= 1))
        return bad_input(fmt::format("needs: fail is '{}'", value),
                         "give the part of the tasks that fail: 0.01");
      out.fail_permille = static_cast<std::int64_t>(part_that_fails * 1000 + 0.5);
    } else if (key == "seed") {
      const auto seed = whole_number(value);
      if (!seed || *seed < 0)
        return bad_input(fmt::format("needs: seed is '{}'", value), std::string(example));
      out.seed = static_cast<std::uint64_t>(*seed);
    } else {
      return bad_input(fmt::format("needs: there is no '{}'", key), std::string(example));
    }
  }
  return out;
}

TrueNeeds needs_of_task(const NeedsModel& model, std::uint32_t index) {
  Draws draws(splitmix(model.seed) ^ index, kNeedsStream);
  TrueNeeds out;
  out.memory_mb =
      static_cast<std::int64_t>(between(static_cast<double>(model.least_memory_mb),
                                        static_cast<double>(model.most_memory_mb), draws.unit()) +
                                0.5);
  out.run = Duration(
      static_cast<std::int64_t>(between(static_cast<double>(model.shortest.count()),
                                        static_cast<double>(model.longest.count()), draws.unit())));
  out.fails = static_cast<std::int64_t>(draws.below(1000)) < model.fail_permille;
  return out;
}

Result<ChainStudyReport> study_chain(const ChainStudy& study) { return Study(study).run(); }

Result<ChainStudyReport> study_top_alone(const ChainStudy& study) {
  SimulatedCluster cluster(study.policy, study.user,
                           [](const JobSpec&, std::optional<std::uint32_t>) { return Fate{}; });
  TRY(const Description seen, cluster.describe());
  JobSpec spec = study.spec;
  if (study.accounts.size() == 1) spec.account = study.accounts.front();
  const CeilingsFor ceilings = [&](const JobSpec& asking) {
    return ceilings_of(seen, asking, study.accounts);
  };
  TRY(const Ladder settled, settle_ladder(study.ladder, spec, ceilings));
  ChainStudy top = study;
  top.ladder.growth.reset();
  top.ladder.levels = {settled.levels.back()};
  return study_chain(top);
}

std::string first_user_of(const Policy& policy, const std::vector<std::string>& accounts) {
  std::string some;
  for (const User& user : policy.users) {
    if (user.name == "root") continue;
    const auto has = [&](const std::string& account) {
      return policy.find_association(account, user.name, "").has_value();
    };
    if (!accounts.empty() && std::all_of(accounts.begin(), accounts.end(), has)) return user.name;
    if (some.empty() && (accounts.empty() || std::any_of(accounts.begin(), accounts.end(), has)))
      some = user.name;
  }
  return some;
}

}  // namespace sluice
