// What was handed to a cluster that does not tell it again: environment, arguments and script of a
// job, by its key, so that the same job can be submitted once more.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// Also forgets those older than a month.
Result<void> keep_request(const std::string& folder, const std::string& key, const JobSpec& spec);
// Nothing: it is not known here.
std::optional<JobSpec> kept_request(const std::string& folder, const std::string& key);

}  // namespace sluice
