// Which job or tasks a user means: "12", "12_3", "12_[1-5,7]", "12_*".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/ids.h"
#include "model/index_set.h"

namespace sluice {

struct JobReference {
  JobId job;                      // The job's number, or the array's.
  std::optional<IndexSet> tasks;  // Nothing: the job, or the whole array.
  friend bool operator==(const JobReference&, const JobReference&) = default;
};

Result<JobReference> parse_job_reference(std::string_view text);
std::string format_job_reference(const JobReference& reference);

}  // namespace sluice
