// Tells each trial as a story; one that breaks the sentence is made smaller for as long as it still
// breaks it in the same way.
#include "sim/intents/intent_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "policyfile/write/policy_writer.h"
#include "sim/chains/simulated_target.h"
#include "sim/stories/story_parser.h"
#include "sim/stories/story_runner.h"
#include "text/duration.h"

namespace sluice {
namespace {

std::int64_t held(const SeenJob& job, const std::string& resource) {
  std::int64_t out = 0;
  for (const SeenShare& share : job.shares)
    out += resource == "gpus" ? static_cast<std::int64_t>(share.gpus.size()) : share.cpus;
  return out;
}

// What the sentence promises, with a limit that keeps it.
Policy with_cap(Policy policy, const Intent& intent) {
  Qos& qos = policy.qos[policy.find_qos(intent.qos)->index()];
  HolderLimits& limits = intent.account ? qos.account : qos.user;
  const TresIndex tres = intent.resource == "gpus"   ? kTresGpu
                         : intent.resource == "cpus" ? kTresCpu
                                                     : kTresNode;
  limits.max_tres.put(tres, intent.amount);
  // A job beyond the limit shall wait; DenyOnLimit would refuse it at once.
  for (Qos& each : policy.qos) each.flags.deny_on_limit = false;
  policy.enforce.associations = policy.enforce.limits = policy.enforce.qos = true;
  return policy;
}

class Search {
 public:
  Search(const Intent& intent, const Policy& policy, const std::string& policy_file,
         const ReadFile& read_file)
      : intent_(intent), policy_(policy), policy_file_(policy_file), read_file_(read_file) {}

  // The smallest story that breaks the sentence, as far as removing lines leads.
  Result<std::optional<Counterexample>> look(const Trial& drawn) {
    TRY(auto broken, breaks(drawn));
    if (counts_) ++stories_;
    if (!broken) return broken;
    Trial trial = drawn;
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t i = 0; i < trial.size() && trial.size() > 1 && !smaller; ++i) {
        Trial less = trial;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        if (!names_are_known(less)) continue;
        TRY(auto still, breaks(less));
        if (!still) continue;
        trial = std::move(less);
        broken = std::move(still);
        smaller = true;
      }
    }
    return broken;
  }

  std::size_t stories() const { return stories_; }
  const std::string& refusal() const { return refusal_; }

 private:
  struct Told {
    std::string text;
    std::vector<Story> stories;
    StoryRun run;
    bool refused = false;
  };

  // On another policy where one is given, else on the file's.
  Result<Told> tell(const Trial& trial, const Policy* policy = nullptr) {
    Told out;
    out.text = story_text(trial);
    const std::string other = policy == nullptr ? std::string() : write_policy(*policy);
    const ReadFile given = [&](const std::string&) -> Result<std::string> { return other; };
    TRY(out.stories,
        parse_stories(out.text, "intent.story", policy == nullptr ? read_file_ : given));
    SimulatedTarget target;
    TRY(out.run, run_story(out.stories.front(), target));
    for (const CheckedStep& step : out.run.steps) {
      if (!step.answer.refused) continue;
      out.refused = true;
      if (refusal_.empty())
        refusal_ = step.answer.reason.empty() ? step.answer.message : step.answer.reason;
    }
    return out;
  }

  static std::optional<Counterexample> unmet(const Told& told) {
    for (const CheckedStep& step : told.run.steps)
      for (const CheckedExpectation& expectation : step.expectations)
        if (!expectation.met)
          return Counterexample{told.text, step.step->text, expectation.text, expectation.happened};
    return std::nullopt;
  }

  // `counts_` says whether the trial tried what the sentence is about.
  Result<std::optional<Counterexample>> breaks(const Trial& trial) {
    counts_ = false;
    return intent_.kind == IntentKind::kCap ? breaks_cap(trial) : breaks_promise(trial);
  }

  // Only what runs counts, at one and the same time.
  Result<std::optional<Counterexample>> breaks_cap(const Trial& trial) {
    TRY(const Told told, tell(trial));
    if (told.refused) return std::optional<Counterexample>();
    counts_ = true;
    for (std::size_t i = 0; i < told.run.steps.size(); ++i) {
      const auto job = one_too_many(told.run.steps[i].queue);
      if (!job) continue;
      // The story says that the job which crosses the limit waits.
      Trial said(trial.begin(), trial.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      for (TrialLine& line : said) line.expects.clear();
      said.back().expects = *job + " waits";
      TRY(const Told again, tell(said));
      auto broken = unmet(again);
      if (!broken || again.refused) return std::optional<Counterexample>();
      const Policy mended = with_cap(policy_, intent_);
      TRY(const Told kept, tell(said, &mended));
      if (kept.refused || unmet(kept)) return std::optional<Counterexample>();
      return broken;
    }
    return std::optional<Counterexample>();
  }

  // The job or task that started last among those that hold too much together.
  std::optional<std::string> one_too_many(const std::vector<SeenJob>& queue) const {
    std::map<std::string, std::int64_t> sums;
    std::map<std::string, std::set<std::string>> nodes;
    std::map<std::string, std::string> last;
    for (const SeenJob& job : queue) {
      if (job.state != JobState::kRunning || job.qos != intent_.qos) continue;
      const std::string& holder = intent_.account ? job.account : job.user;
      if (intent_.resource == "nodes") {
        for (const SeenShare& share : job.shares) nodes[holder].insert(share.node);
        sums[holder] = static_cast<std::int64_t>(nodes[holder].size());
      } else {
        sums[holder] += held(job, intent_.resource);
      }
      last[holder] = job.text();
    }
    for (const auto& [holder, sum] : sums)
      if (sum > intent_.amount) return last[holder];
    return std::nullopt;
  }

  // What was promised is not kept although nothing but the others, or a limit, stands in the way.
  Result<std::optional<Counterexample>> breaks_promise(const Trial& trial) {
    if (std::none_of(trial.begin(), trial.end(),
                     [](const TrialLine& line) { return !line.expects.empty(); }))
      return std::optional<Counterexample>();
    TRY(const Told told, tell(trial));
    if (told.refused) return std::optional<Counterexample>();
    // The same without those who are in the way; for "2 users get", without limits.
    Trial alone = trial;
    std::erase_if(alone, [](const TrialLine& line) { return line.others; });
    Policy open = policy_;
    open.enforce = EnforceSettings{false, false, false, false};
    const bool of_limits = intent_.kind == IntentKind::kGets;
    const bool smallest = std::all_of(trial.begin(), trial.end(),
                                      [](const TrialLine& line) { return line.smallest; });
    TRY(const Told control, tell(alone, of_limits ? &open : nullptr));
    const bool possible = !control.refused && !unmet(control);
    // The machine itself is too small, whatever the shape of the jobs: that breaks the promise. In
    // small pieces a limit on the number of jobs may stand in the way, and larger jobs may not.
    if (possible == smallest) {
      counts_ = smallest;
      return std::optional<Counterexample>();
    }
    counts_ = true;
    return unmet(told);
  }

  // Every job of which something is expected is submitted.
  static bool names_are_known(const Trial& trial) {
    for (const TrialLine& line : trial) {
      std::size_t at = line.expects.find('J');
      for (; at != std::string::npos; at = line.expects.find('J', at + 1)) {
        std::size_t end = at + 1;
        while (end < line.expects.size() && line.expects[end] >= '0' && line.expects[end] <= '9')
          ++end;
        const std::string submits = " submits " + line.expects.substr(at, end - at) + " ";
        if (std::none_of(trial.begin(), trial.end(), [&](const TrialLine& other) {
              return other.what.find(submits) != std::string::npos;
            }))
          return false;
      }
    }
    return true;
  }

  std::string story_text(const Trial& trial) const {
    std::string out = fmt::format("# {}\npolicy {}\n", intent_.text, policy_file_);
    for (const TrialLine& line : trial) {
      out += fmt::format("{}  {}", format_duration(line.at), line.what);
      if (!line.expects.empty())
        out += fmt::format("{}=> {}", line.what.empty() ? "" : "  ", line.expects);
      out += "\n";
    }
    return out;
  }

  const Intent& intent_;
  const Policy& policy_;
  const std::string& policy_file_;
  const ReadFile& read_file_;
  std::size_t stories_ = 0;
  bool counts_ = false;
  std::string refusal_;
};

}  // namespace

Result<IntentVerdict> search_intent(const Intent& intent, const Policy& policy,
                                    const std::string& policy_file, const ReadFile& read_file,
                                    const SearchSettings& settings) {
  IntentVerdict verdict;
  Search search(intent, policy, policy_file, read_file);
  bool drawn = false;
  for (std::uint64_t number = 0; number < settings.tries; ++number) {
    const std::optional<Trial> trial = draw_trial(intent, policy, settings.seed, number);
    if (!trial) continue;
    drawn = true;
    TRY(verdict.broken, search.look(*trial));
    if (verdict.broken) break;
  }
  verdict.stories = search.stories();
  if (verdict.stories == 0 && !verdict.broken)
    verdict.untried = !drawn ? "no user may use it, or the default partition has no such resource"
                      : search.refusal().empty()
                          ? "the jobs of every story would not start on an empty cluster either"
                          : "every story was refused: " + search.refusal();
  return verdict;
}

}  // namespace sluice
