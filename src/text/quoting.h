// Text between quotation marks, for a shell and for JSON.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// 'it'\''s': one word for a POSIX shell, whatever is in it.
std::string shell_word(std::string_view text);

// A word in a line that people read and paste: as it is where a shell takes it so, else 'quoted'.
std::string shell_argument(std::string_view text);

// "a \"b\" \u000a": a string of JSON.
std::string json_string(std::string_view text);

}  // namespace sluice
