// Stories as text to the model; what is wrong is named by file, line and word.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "policyfile/read/include.h"
#include "sim/stories/story.h"

namespace sluice {

// The stories of one file, or the first mistake. The grammar is in docs/reference/stories.md.
Result<std::vector<Story>> parse_stories(std::string_view text, std::string_view file_name,
                                         const ReadFile& read_file = {});

}  // namespace sluice
