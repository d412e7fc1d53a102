// Tells a story to a target and compares what happens with what is expected.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/stories/story.h"
#include "sim/stories/story_target.h"

namespace sluice {

struct CheckedExpectation {
  int line = 0;
  std::string text;
  bool met = true;
  std::string happened;  // What is the case instead, where it is not met.
};

struct CheckedStep {
  const StoryStep* step = nullptr;
  StoryAnswer answer;
  std::vector<CheckedExpectation> expectations;
  std::vector<Happening> happenings;  // Since the step before.
  std::vector<SeenJob> queue;         // Right after the step.
  // Of the waiting jobs that were asked for or did otherwise than expected.
  std::vector<std::pair<std::string, std::vector<std::string>>> gates;

  bool met() const;
};

struct StoryRun {
  std::vector<CheckedStep> steps;
  bool passed() const;
};

struct RunOptions {
  std::optional<std::string> gates_of;  // Show this job's gates whenever it waits.
};

// Right after each step, when all that is due at its time has happened, each of its expectations
// is compared with what the target shows. A step that is refused although that is not expected has
// failed. The story goes on after a step that has failed.
Result<StoryRun> run_story(const Story& story, StoryTarget& target, const RunOptions& options = {});

}  // namespace sluice
