// Where tasks of a chain write, and which rules of the ladder what they wrote matches.
#pragma once

#include <string>

#include "base/result.h"
#include "escalation/chain.h"
#include "escalation/next_step.h"

namespace sluice {

// Where the output of a task's run is; stderr where it has a file of its own.
struct OutputPaths {
  std::string output;
  std::string error;
};
OutputPaths output_paths(const Chain& chain, const Batch& batch, std::uint32_t index,
                         const std::string& node);

// The first stderr rule that what the task wrote matches.
MatchStderr stderr_matcher(const Chain& chain);
// What is wrong with a pattern, or "".
std::string problem_of_pattern(const std::string& pattern);

}  // namespace sluice
