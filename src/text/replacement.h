// GNU parallel's replacement strings: a command with {}, {.}, {/}, {//}, {/.}, {#}, {1}, {2.} … and
// the items that take their place.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

// Whether anything in it stands for an item.
bool has_replacement(std::string_view command);

// The command for one line of items, the first being {1}; every item is one word for a shell,
// whatever is in it. `number` counts from 1: {#}. An error names a replacement without an item.
Result<std::string> filled_in(std::string_view command, std::span<const std::string> items,
                              std::size_t number);

// Each line of the first source with each of the second, and so on; the last changes fastest.
std::vector<std::vector<std::string>> combined(
    const std::vector<std::vector<std::string>>& sources);

// One word for bash on one line: ends of line in it become \n between $' and '.
std::string one_line_word(std::string_view text);

}  // namespace sluice
