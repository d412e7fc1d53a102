// Tells each trial as a story; one that goes otherwise than the sentence says is made smaller for
// as long as it still does.
#include "sim/intent_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/simulated_target.h"
#include "sim/story_parser.h"
#include "sim/story_runner.h"
#include "text/duration.h"

namespace sluice {
namespace {

class Search {
 public:
  Search(const Intent& intent, const std::string& policy_file, const ReadFile& read_file)
      : intent_(intent), policy_file_(policy_file), read_file_(read_file) {}

  Result<std::optional<Counterexample>> tell(const Trial& trial) {
    ++stories_;
    const std::string text = story_text(trial);
    TRY(const std::vector<Story> stories, parse_stories(text, "intent.story", read_file_));
    SimulatedTarget target;
    TRY(const StoryRun run, run_story(stories.front(), target));
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      const CheckedStep& step = run.steps[i];
      // Who is refused breaks nothing; and without its filler a story says nothing.
      if (step.answer.refused) {
        --stories_;
        return std::optional<Counterexample>();
      }
      for (const CheckedExpectation& expectation : step.expectations)
        if (!expectation.met)
          return std::optional(
              Counterexample{text, step.step->text, expectation.text, expectation.happened});
    }
    return std::optional<Counterexample>();
  }

  // Fewer lines, then fewer tasks, as long as it still breaks.
  Result<Counterexample> shrink(Trial trial, Counterexample found) {
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t i = 0; i < trial.size() && !smaller; ++i) {
        if (trial.size() == 1) break;
        Trial less = trial;
        // A job that is expected to do something goes together with what is expected of it.
        if (!less[i].expects.empty() && expectations(less) == 1) continue;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        if (!names_are_known(less)) continue;
        TRY(auto broken, tell(less));
        if (!broken) continue;
        trial = std::move(less);
        found = std::move(*broken);
        smaller = true;
      }
    }
    return found;
  }

  std::size_t stories() const { return stories_; }

 private:
  static std::size_t expectations(const Trial& trial) {
    return static_cast<std::size_t>(std::count_if(
        trial.begin(), trial.end(), [](const TrialLine& line) { return !line.expects.empty(); }));
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
  const std::string& policy_file_;
  const ReadFile& read_file_;
  std::size_t stories_ = 0;
};

}  // namespace

Result<IntentVerdict> search_intent(const Intent& intent, const Policy& policy,
                                    const std::string& policy_file, const ReadFile& read_file,
                                    const SearchSettings& settings) {
  IntentVerdict verdict;
  Search search(intent, policy_file, read_file);
  for (std::uint64_t number = 0; number < settings.tries; ++number) {
    const std::optional<Trial> trial = draw_trial(intent, policy, settings.seed, number);
    if (!trial) continue;
    TRY(auto broken, search.tell(*trial));
    if (!broken) continue;
    TRY(verdict.broken, search.shrink(*trial, std::move(*broken)));
    break;
  }
  verdict.stories = search.stories();
  return verdict;
}

}  // namespace sluice
