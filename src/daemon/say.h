// The daemon's log: a line for each thing that its administrator may want to know.
#pragma once

#include <string_view>

namespace sluice {

// One line on the standard error, whatever is in the text: users choose names and paths, and must
// neither forge lines nor write to the terminal of the log's reader.
void say(std::string_view text);

// The same for what any job may cause, as often as its user likes: so many lines a minute, then how
// many there were.
void say_of_run(std::string_view text);

}  // namespace sluice
