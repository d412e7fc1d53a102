// Texts that users chose, made safe for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// Control characters (ESC, newlines, those of C1), marks that turn the direction of writing, and
// bytes that are not UTF-8 become \xNN; everything else stays.
std::string printable(std::string_view text);
// The same for a text of several lines: newlines stay.
std::string printable_lines(std::string_view text);

// How many bytes of valid UTF-8 begin here; 0 where there is none.
std::size_t utf8_length(std::string_view text);
// The character that these bytes, valid UTF-8, stand for.
char32_t utf8_character(std::string_view bytes);
// Whether a character would act on a terminal, or hide there, instead of being seen.
bool acts_on_terminals(char32_t character);

}  // namespace sluice
