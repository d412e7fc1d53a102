// A ladder as people write it: ladder.yaml. The keys are in docs/reference/ladder-file.md.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "escalation/ladder.h"

namespace sluice {

// What is wrong with a pattern, or "".
using CheckPattern = std::function<std::string(const std::string& pattern)>;

// Errors name file, line and field. What the file does not mention keeps its default. Notes say
// what is understood and has no effect.
Result<Ladder> read_ladder_file(std::string_view text, std::string_view file_name,
                                const CheckPattern& check = {},
                                std::vector<std::string>* notes = nullptr);

}  // namespace sluice
