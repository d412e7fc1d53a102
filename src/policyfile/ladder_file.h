// A ladder as people write it: ladder.yaml. The keys are in docs/reference/ladder-file.md.
#pragma once

#include <string_view>

#include "base/result.h"
#include "escalation/ladder.h"

namespace sluice {

// Errors name file, line and field. What the file does not mention keeps its default.
Result<Ladder> read_ladder_file(std::string_view text, std::string_view file_name);

}  // namespace sluice
