// What is submitted when, and how long it really runs: the input of a simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/job.h"

namespace sluice {

// What one or many items ask for. A trace has many times more items than requests, and a JobSpec
// has room for far more than a trace can say.
struct WorkRequest {
  std::int32_t cpus = 1;
  std::uint32_t user = 0;     // Index into Workload::users.
  std::uint32_t account = 0;  // Index into Workload::accounts.
  Duration limit{0};
  friend bool operator==(const WorkRequest&, const WorkRequest&) = default;
};

struct WorkItem {
  Instant submit;
  Duration run{0};              // To the end, if nobody stops it.
  std::uint32_t request = 0;    // Index into Workload::requests.
  std::uint32_t number = 0;     // In the trace.
  std::int64_t trace_line = 0;  // Where it stood, for messages.
};

struct Workload {
  std::string name;
  std::int32_t machine_cpus = 0;      // As the trace's header says; 0 where it does not.
  std::vector<std::string> users;     // Names as they are submitted.
  std::vector<std::string> accounts;  // An empty name is the user's default account.
  std::vector<WorkRequest> requests;  // No two are the same.
  std::vector<WorkItem> items;        // In order of submission.
  std::size_t skipped = 0;            // Lines without a size or a run time.

  const WorkRequest& request_of(const WorkItem& item) const { return requests[item.request]; }
};

// The request as a person would submit it: one task for every CPU.
JobSpec spec_of(const Workload& workload, const WorkRequest& request);
// The same where the specification lies: there is a lot of it that nobody asks for.
void fill_spec(const Workload& workload, const WorkRequest& request, JobSpec& spec);

}  // namespace sluice
