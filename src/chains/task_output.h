// Where tasks of a chain write, and which rules of the ladder what they wrote matches.
#pragma once

#include <functional>
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

// The job, or the task of an array, that ran it: "12", "12_3".
std::string job_name(const Chain& chain, const Batch& batch, std::uint32_t index);

// The first pattern that what the task wrote matches; captured output is asked for by job.
using CapturedOutput = std::function<Result<std::string>(const std::string& job)>;
MatchStderr stderr_matcher(const Chain& chain, CapturedOutput captured);
// What is wrong with a pattern, or "".
std::string problem_of_pattern(const std::string& pattern);

}  // namespace sluice
