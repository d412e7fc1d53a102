// The stories in files and folders.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sim/stories/story.h"
#include "sim/stories/story_report.h"

namespace sluice {

Result<std::vector<Story>> read_story_file(const std::string& path);
// Of a folder every *.story below it, in order of their names; of FILE all; of FILE:LINE the one
// that the line is in.
Result<std::vector<Story>> read_stories(const std::vector<std::string>& paths);

// On a terminal, unless NO_COLOR is set.
Colour colour_of_output();

}  // namespace sluice
