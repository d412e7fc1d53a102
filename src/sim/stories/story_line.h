// One line of a story as words, and the errors that name it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "policyfile/read/value.h"

namespace sluice {

struct StoryLine {
  Place place;
  std::string text;                // Without the comment.
  bool indented = false;           // Begins with a blank.
  std::vector<std::string> words;  // Of what stands before "=>"; quotes are kept.
  std::string action;              // The same as text, without the time of a step.
  bool has_arrow = false;
  std::string after_arrow;
};

// Everything behind a '#' that begins a word is a comment.
StoryLine read_story_line(std::string_view text, Place place);

tl::unexpected<Error> story_error(const Place& place, std::string_view token, std::string what,
                                  std::string hint = {});

// At blanks that stand outside quotes.
std::vector<std::string> story_words(std::string_view text);
// At commas followed by a blank or the end, outside quotes and brackets.
std::vector<std::string> story_parts(std::string_view text);

// "key=value", or a key alone.
struct KeyValue {
  std::string key;
  std::optional<std::string> value;
};
KeyValue split_key_value(std::string_view word);

// 0:30, 10:00, 1:00:00, 1-00:00:00, 90s, 2h; a number alone could mean seconds or minutes and is
// refused.
Result<Duration> parse_story_time(std::string_view text);
// As a story writes it: 0:30, 10:00, 1:00:00.
std::string format_story_time(Duration time);

// "did you mean X? allowed: …" for words that are known when the program is written.
std::string allowed_of(std::string_view word, std::span<const std::string_view> allowed);

}  // namespace sluice
