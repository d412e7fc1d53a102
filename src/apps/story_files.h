// The stories in files and folders.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sim/story.h"
#include "sim/story_report.h"

namespace sluice {

// Every *.story below a folder, in order of their names; a file as it is.
Result<std::vector<std::string>> find_story_files(const std::vector<std::string>& paths);
Result<std::vector<Story>> read_story_file(const std::string& path);

// On a terminal, unless NO_COLOR is set.
Colour colour_of_output();

}  // namespace sluice
