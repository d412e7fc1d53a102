// What a run of a story looks like to a person, and to a program.
#pragma once

#include <cstdint>
#include <string>

#include "policyfile/read/value.h"
#include "sim/stories/story_runner.h"

namespace sluice {

enum class Colour : std::uint8_t { kNo, kYes };

// "✓ title  file"
std::string verdict_line(const Story& story, const StoryRun& run, Colour colour);
// The steps that did not go as expected: what was expected, what happened, the gates, the queue.
std::string failure_text(const Story& story, const StoryRun& run, Colour colour);
// Gates that were asked for.
std::string gates_text(const StoryRun& run, Colour colour);
// The whole story as a timeline.
std::string timeline_text(const Story& story, const StoryRun& run, Colour colour);
// A member of the list `stories` of `sluice test --json`.
Value run_as_value(const Story& story, const StoryRun& run);

}  // namespace sluice
