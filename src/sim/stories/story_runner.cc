// Step by step: act, let everything due happen, look.
#include "sim/stories/story_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/stories/story_check.h"

namespace sluice {
namespace {

bool expects_refusal(const StoryStep& step) {
  return std::any_of(step.expectations.begin(), step.expectations.end(),
                     [](const Expectation& expectation) {
                       return std::holds_alternative<ExpectRefusal>(expectation.what);
                     });
}

// The jobs an expectation speaks of, if it is about their state.
const StoryJob* job_of(const Expectation& expectation) {
  if (const auto* state = std::get_if<ExpectState>(&expectation.what)) return &state->job;
  if (const auto* count = std::get_if<ExpectCount>(&expectation.what)) return &count->job;
  return nullptr;
}

Result<void> add_gates(const StoryJob& job, StoryTarget& target, CheckedStep& out) {
  for (const auto& [name, lines] : out.gates)
    if (name == job.text) return {};
  TRY(auto lines, target.gates(job));
  if (!lines.empty()) out.gates.emplace_back(job.text, std::move(lines));
  return {};
}

Result<CheckedStep> run_step(const StoryStep& step, StoryTarget& target,
                             const RunOptions& options) {
  CheckedStep out;
  out.step = &step;
  TRY(out.answer, target.act(step.action, step.at));
  TRY_VOID(target.settle(step.at));
  if (out.answer.refused && !expects_refusal(step))
    out.expectations.push_back(
        {step.line, step.text.empty() ? "time passes" : step.text, false,
         fmt::format("it was refused: {}{}{}", out.answer.reason,
                     out.answer.reason.empty() || out.answer.message.empty() ? "" : ", ",
                     out.answer.message)});
  for (const Expectation& expectation : step.expectations) {
    TRY(CheckedExpectation checked, check_expectation(expectation, step, out.answer, target));
    // An answer stays as it is; what is seen may change.
    while (!checked.met && !std::holds_alternative<ExpectRefusal>(expectation.what) &&
           !std::holds_alternative<ExpectPool>(expectation.what)) {
      TRY(const bool again, target.look_again());
      if (!again) break;
      TRY(checked, check_expectation(expectation, step, out.answer, target));
    }
    if (!checked.met)
      if (const StoryJob* job = job_of(expectation)) TRY_VOID(add_gates(*job, target, out));
    out.expectations.push_back(std::move(checked));
  }
  out.happenings = target.take_happenings();
  TRY(out.queue, target.queue());
  if (options.gates_of)
    for (const SeenJob& job : out.queue)
      if (job.name == *options.gates_of && job.state == JobState::kPending) {
        StoryJob named;
        named.name = job.name;
        named.text = job.text();
        if (job.task) named.tasks.emplace().insert(*job.task);
        TRY_VOID(add_gates(named, target, out));
      }
  return out;
}

}  // namespace

bool CheckedStep::met() const {
  return std::all_of(expectations.begin(), expectations.end(),
                     [](const CheckedExpectation& one) { return one.met; });
}

bool StoryRun::passed() const {
  return std::all_of(steps.begin(), steps.end(),
                     [](const CheckedStep& step) { return step.met(); });
}

Result<StoryRun> run_story(const Story& story, StoryTarget& target, const RunOptions& options) {
  StoryRun run;
  TRY_VOID(target.begin(story));
  for (const StoryStep& step : story.steps) {
    TRY(CheckedStep checked, run_step(step, target, options));
    run.steps.push_back(std::move(checked));
  }
  return run;
}

}  // namespace sluice
