// Texts that users chose, made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Control characters (ESC, newlines, those of C1), marks that turn the direction of writing, and
// bytes that are not UTF-8 become \xNN; everything else stays.
std::string printable(std::string_view text);
// The same for a text of several lines: newlines stay.
std::string printable_lines(std::string_view text);

}  // namespace sluice
