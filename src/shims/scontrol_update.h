// scontrol update.
#pragma once

#include <string>
#include <vector>

#include "shims/shim.h"

namespace sluice {

// KEY=VALUE words.
int update(ShimCall& call, std::vector<std::string> words);
// The jobs of a list in one word; none where one of them is not a job.
std::vector<std::string> jobs_in(const std::string& list);

}  // namespace sluice
