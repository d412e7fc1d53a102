// What a user probably meant: keys compared without regard to spelling, and the nearest word.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

// Lower case without '_' and '-': max_time, MaxTime and max-time are the same key.
std::string folded(std::string_view key);
// The allowed word with the fewest changes, if few enough to be a slip of the finger; else the only
// one that begins so.
std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> allowed);
// "did you mean X? Allowed: A, B, C", or only what is allowed.
std::string allowed_words(std::string_view word, std::span<const std::string> allowed);

}  // namespace sluice
