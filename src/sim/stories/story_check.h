// Compares one expectation with what a target shows.
#pragma once

#include "sim/stories/story_runner.h"

namespace sluice {

Result<CheckedExpectation> check_expectation(const Expectation& expectation, const StoryStep& step,
                                             const StoryAnswer& answer, StoryTarget& target);

// "A waits QOSGrpGRES (…)", "A runs on n1 since 0:00".
std::string seen_text(const SeenJob& job);

}  // namespace sluice
