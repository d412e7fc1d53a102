// One comparison for each form of expectation.
#include "sim/stories/story_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/stories/story_line.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/memory.h"

namespace sluice {
namespace {

std::string clock_text(Instant at) { return format_story_time(at.time_since_epoch()); }

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::string hosts_text(std::vector<std::string> names) {
  sort_hosts(names);
  return compress_hostlist(names);
}

class Check {
 public:
  Check(const StoryStep& step, const StoryAnswer& answer, StoryTarget& target)
      : step_(step), answer_(answer), target_(target) {}

  // What is the case instead; nothing where the expectation is met.
  using Verdict = Result<std::optional<std::string>>;

  Verdict operator()(const ExpectState& expected) {
    TRY(const auto jobs, target_.observe(expected.job));
    std::vector<std::string> other;
    for (const SeenJob& job : jobs)
      if (!is(job, expected)) other.push_back(seen_text(job));
    if (other.empty()) return std::nullopt;
    constexpr std::size_t kShown = 3;
    if (other.size() > kShown) {
      const std::size_t more = other.size() - kShown;
      other.resize(kShown);
      other.push_back(fmt::format("{} more", more));
    }
    return fmt::format("{}", fmt::join(other, "; "));
  }

  Verdict operator()(const ExpectPool& expected) {
    if (answer_.pools.empty()) return "nothing was routed on this line";
    std::string all;
    bool met = false;
    bool others = false;
    for (const SeenPool& pool : answer_.pools) {
      all += fmt::format("{}{} {}", all.empty() ? "" : "; ", pool.name,
                         !pool.used ? "takes none: " + pool.why
                         : pool.tasks
                             ? fmt::format("takes {}[{}]", pool.job, compress_indices(*pool.tasks))
                             : "takes " + pool.job);
      const bool mine = pool.used && expected.job && pool.job == expected.job->name;
      if (pool.name != expected.pool) {
        others = others || mine;
        continue;
      }
      met = expected.job ? mine && (!expected.job->tasks || pool.tasks == expected.job->tasks)
                         : !pool.used && pool.why.find(expected.why) != std::string::npos;
    }
    // A whole array goes to one pool alone.
    if (met && !(others && expected.job && !expected.job->tasks)) return std::nullopt;
    return all;
  }

  Verdict operator()(const ExpectRefusal& expected) {
    if (!answer_.refused) return "it was not refused";
    const bool reason = expected.reason.empty() || expected.reason == answer_.reason;
    const bool message = answer_.message.find(expected.message) != std::string::npos;
    if (reason && message) return std::nullopt;
    return fmt::format("refused {} \"{}\"",
                       answer_.reason.empty() ? "without a reason" : answer_.reason,
                       answer_.message);
  }

  Verdict operator()(const ExpectCount& expected) {
    TRY(const auto jobs, target_.observe(expected.job));
    std::int64_t running = 0;
    std::int64_t waiting = 0;
    std::int64_t ended = 0;
    for (const SeenJob& job : jobs) {
      if (job.refused) continue;
      if (job.state == JobState::kRunning) ++running;
      if (job.state == JobState::kPending) ++waiting;
      if (has_ended(job.state)) ++ended;
    }
    const std::int64_t seen = expected.state == StoryState::kRuns    ? running
                              : expected.state == StoryState::kWaits ? waiting
                                                                     : ended;
    if (seen == expected.count) return std::nullopt;
    return fmt::format("{} run, {} wait, {} ended", running, waiting, ended);
  }

  Verdict operator()(const ExpectPriority& expected) {
    TRY(const SeenJob own, one(expected.job));
    if (expected.exactly) {
      if (own.priority == *expected.exactly) return std::nullopt;
      return fmt::format("{} has priority {}", own.text(), own.priority);
    }
    TRY(const SeenJob other, one(expected.above ? *expected.above : *expected.below));
    const bool met = expected.above ? own.priority > other.priority : own.priority < other.priority;
    if (met) return std::nullopt;
    return fmt::format("{} has priority {}, {} has {}", own.text(), own.priority, other.text(),
                       other.priority);
  }

  Verdict operator()(const ExpectOrder& expected) {
    TRY(const auto queue, target_.queue());
    std::vector<std::string> order;
    for (const SeenJob& job : queue) {
      if (job.state != JobState::kPending) continue;
      for (const StoryJob& named : expected.jobs) {
        const bool meant = named.name == job.name &&
                           (!named.tasks || !job.task || named.tasks->contains(*job.task));
        if (meant && std::find(order.begin(), order.end(), named.text) == order.end())
          order.push_back(named.text);
      }
    }
    std::vector<std::string> wanted;
    for (const StoryJob& named : expected.jobs) wanted.push_back(named.text);
    if (order == wanted) return std::nullopt;
    return order.empty() ? std::string("none of them waits")
                         : fmt::format("the queue is {}", fmt::join(order, " "));
  }

  Verdict operator()(const ExpectHolding& expected) {
    TRY(const SeenJob job, one(expected.job));
    SeenShare sum;
    std::string gpus_text;
    std::int64_t gpus = 0;
    bool same_gpus = false;
    if (job.state == JobState::kRunning || job.state == JobState::kSuspended)
      for (const SeenShare& share : job.shares) {
        if (!expected.node.empty() && share.node != expected.node) continue;
        sum.cpus += share.cpus;
        sum.memory_mb += share.memory_mb;
        gpus += static_cast<std::int64_t>(share.gpus.size());
        if (!share.gpus.empty())
          gpus_text += fmt::format(" (gpus {} of {})", compress_indices(share.gpus), share.node);
        same_gpus |= expected.gpus && share.gpus == *expected.gpus;
      }
    const std::int64_t seen = expected.what == "cpus"   ? sum.cpus
                              : expected.what == "gpus" ? gpus
                                                        : sum.memory_mb;
    if (expected.gpus ? same_gpus : seen == expected.amount) return std::nullopt;
    return fmt::format("{} holds {} cpus, {} memory, {} gpus{}{}", job.text(), sum.cpus,
                       format_memory_mb(sum.memory_mb), gpus,
                       expected.node.empty() ? "" : " of " + expected.node, gpus_text);
  }

  Verdict operator()(const ExpectUsage& expected) {
    TRY(const SeenUsage usage, target_.usage(expected.holder, expected.name));
    std::vector<std::string> other;
    for (const auto& [tres, amount] : expected.tres)
      if (usage.tres[tres] != amount) other.push_back(fmt::format("{}", usage.tres[tres]));
    if (expected.jobs && *expected.jobs != usage.jobs)
      other.push_back(fmt::format("jobs={}", usage.jobs));
    if (other.empty()) return std::nullopt;
    return fmt::format("the usage is {}", fmt::join(other, ", "));
  }

  Verdict operator()(const ExpectFairshare& expected) {
    TRY(const double own, target_.fairshare(expected.user));
    double other = expected.value;
    if (!expected.other.empty()) {
      TRY(other, target_.fairshare(expected.other));
    }
    // sshare shows six decimals.
    const double difference = std::round((own - other) * 1e6);
    const bool met = expected.relation == '>'   ? difference > 0
                     : expected.relation == '<' ? difference < 0
                                                : difference == 0;
    if (met) return std::nullopt;
    if (expected.other.empty()) return fmt::format("{} has {:.6f}", expected.user, own);
    return fmt::format("{} has {:.6f}, {} has {:.6f}", expected.user, own, expected.other, other);
  }

  Verdict operator()(const ExpectFree& expected) {
    TRY(const SeenFree free, target_.free_of(expected.node));
    const std::int64_t seen = expected.what == "cpus"   ? free.cpus
                              : expected.what == "gpus" ? free.gpus
                                                        : free.memory_mb;
    if (seen == expected.amount) return std::nullopt;
    return fmt::format("{} has {} cpus, {} gpus, {} memory free", expected.node, free.cpus,
                       free.gpus, format_memory_mb(free.memory_mb));
  }

  Verdict operator()(const ExpectNothing& expected) {
    TRY(const auto queue, target_.queue());
    std::vector<std::string> names;
    for (const SeenJob& job : queue)
      if ((job.state == JobState::kPending) == (expected.state == StoryState::kWaits))
        names.push_back(job.text());
    if (names.empty()) return std::nullopt;
    return fmt::format("{} {}", fmt::join(names, ", "),
                       expected.state == StoryState::kWaits ? "waits" : "runs");
  }

 private:
  Result<SeenJob> one(const StoryJob& job) {
    TRY(auto jobs, target_.observe(job));
    return std::move(jobs.front());
  }

  bool now(const std::optional<Instant>& at) const {
    if (!at) return false;
    const Duration apart = *at > step_.at ? *at - step_.at : step_.at - *at;
    return apart <= target_.tolerance();
  }

  bool is(const SeenJob& job, const ExpectState& expected) const {
    if (job.refused) return false;
    const bool on_nodes = expected.nodes.empty() || sorted(expected.nodes) == sorted(job.nodes());
    switch (expected.state) {
      case StoryState::kStarts:
        return job.state == JobState::kRunning && now(job.started) && on_nodes;
      case StoryState::kRuns:
        return job.state == JobState::kRunning && on_nodes;
      case StoryState::kWaits: {
        if (job.state != JobState::kPending) return false;
        if (!expected.reason.empty() && expected.reason != job.reason) return false;
        if (!expected.nodes.empty() && sorted(expected.nodes) != sorted(job.planned)) return false;
        if (!expected.expected) return true;
        if (!job.expected) return false;
        const Duration apart = *job.expected > *expected.expected
                                   ? *job.expected - *expected.expected
                                   : *expected.expected - *job.expected;
        return apart <= target_.tolerance();
      }
      case StoryState::kEnds:
        return now(job.ended) && (!expected.outcome || job.outcome == expected.outcome);
      case StoryState::kEnded:
        return has_ended(job.state) && (!expected.outcome || job.state == *expected.outcome);
      case StoryState::kSuspended:
        return job.state == JobState::kSuspended && on_nodes;
      case StoryState::kResumes:
        return job.state == JobState::kRunning && now(job.resumed) && on_nodes;
      case StoryState::kRequeued:
        return now(job.requeued);
      case StoryState::kPreempted:
        return now(job.preempted);
    }
    return false;
  }

  const StoryStep& step_;
  const StoryAnswer& answer_;
  StoryTarget& target_;
};

}  // namespace

std::string seen_text(const SeenJob& job) {
  const std::string name = job.text();
  if (job.refused) return name + " was refused";
  const std::string nodes = job.shares.empty() ? "" : " on " + hosts_text(job.nodes());
  const std::string since = job.started ? " since " + clock_text(*job.started) : "";
  switch (job.state) {
    case JobState::kPending: {
      std::string out = fmt::format("{} waits {}", name, job.reason);
      if (!job.detail.empty()) out += fmt::format(" ({})", job.detail);
      if (job.expected) out += ", expected " + clock_text(*job.expected);
      if (!job.planned.empty()) out += " on " + hosts_text(job.planned);
      return out;
    }
    case JobState::kRunning:
      return fmt::format("{} runs{}{}", name, nodes, since);
    case JobState::kSuspended:
      return fmt::format("{} is suspended{}", name, nodes);
    case JobState::kCompleting:
      return fmt::format("{} is being ended{}", name, nodes);
    default:
      return fmt::format("{} ended {}{}", name, slurm_name(job.state),
                         job.ended ? " at " + clock_text(*job.ended) : "");
  }
}

Result<CheckedExpectation> check_expectation(const Expectation& expectation, const StoryStep& step,
                                             const StoryAnswer& answer, StoryTarget& target) {
  CheckedExpectation out;
  out.line = expectation.line;
  out.text = expectation.text;
  TRY(const std::optional<std::string> instead,
      std::visit(Check(step, answer, target), expectation.what));
  out.met = !instead;
  out.happened = instead.value_or("");
  return out;
}

}  // namespace sluice
