// The engine's records as Slurm's commands show them.
#pragma once

#include <functional>
#include <vector>

#include "engine/engine.h"
#include "views/record_line.h"
#include "views/viewer.h"

namespace sluice {

struct RecordFilter {
  std::vector<JobId> jobs;  // Or the numbers of arrays.
  std::vector<std::string> users;
  std::vector<JobState> states;    // Empty: those that have not ended.
  bool ended_too = false;          // With no states named: those that ended as well.
  const Viewer* viewer = nullptr;  // Absent: sees everything.
};

// In the order of their numbers. The line is good for the length of the call; paths of files
// are left to the caller, who knows how patterns are filled.
void for_each_record(const Engine& engine, Instant now, const RecordFilter& filter,
                     const std::function<void(const Job&, RecordLine&)>& visit);

// The same records as sacct shows them.
void fill_account_line(const Engine& engine, const Job& job, Instant now, AccountLine& out);

// What the accounts keep of the job's request. The line that submitted it is a variable that the
// submission sent along.
inline constexpr std::string_view kSubmitLineVariable = "SLUICE_SUBMIT_LINE";
JobDetails details_of(const Engine& engine, const Job& job, Instant now);
JobDetails details_of(const Engine& engine, const Ended& ended);

}  // namespace sluice
