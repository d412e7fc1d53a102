// What a submission asks for, word by word: sbatch's options without their dashes, and a few of
// the story's own.
#pragma once

#include <span>
#include <string>

#include "sim/stories/story.h"
#include "sim/stories/story_line.h"

namespace sluice {

// A, A[3] or A[0-3].
Result<StoryJob> parse_story_job(std::string_view text);

// The words after "submits NAME". `at` is the step's time, for begin=+1:00.
Result<void> read_request(std::span<const std::string> words, const Place& place, Instant at,
                          StorySubmit& submit);

// The words after "updates NAME".
Result<void> read_change(std::span<const std::string> words, const Place& place, Instant at,
                         StoryUpdate& update);

// The words after "creates reservation NAME" and "updates reservation NAME".
Result<void> read_reservation(std::span<const std::string> words, const Place& place, Instant at,
                              StoryReservation& reservation);

}  // namespace sluice
