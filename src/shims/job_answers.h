// What scontrol says of jobs that were refused: "12_1-3: TEXT" of tasks and arrays, and
// "TEXT for job 12" of others.
#pragma once

#include <string>
#include <string_view>

#include "shims/shim.h"

namespace sluice {

// `typed` as it stood on the command line: "12", "12_3", "12_[1-3]".
std::string refusal_of(ShimCall& call, const std::string& typed, std::string_view why);
// Complains of what was refused. The last refusal of a job that is no array; "" where there is
// none. False where all was done.
struct JobAnswers {
  bool refused = false;
  std::string last;
};
JobAnswers complain_of_jobs(ShimCall& call, const std::string& typed, const ActionReply& reply);

}  // namespace sluice
