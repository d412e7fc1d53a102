// What is submitted when, and how long it really runs: the input of a simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/job.h"
#include "model/outcome.h"

namespace sluice {

// What one or many items ask for. A trace has many times more items than requests, and a JobSpec
// has room for far more than a trace can say.
struct WorkRequest {
  std::int32_t cpus = 1;
  std::int32_t gpus = 0;
  std::int32_t nodes = 0;         // 0: as many as it takes.
  std::uint32_t user = 0;         // Index into Workload::users.
  std::uint32_t account = 0;      // Index into Workload::accounts.
  std::uint32_t qos = 0;          // Into Workload::qos, counted from 1; 0: the user's default.
  std::uint32_t partition = 0;    // Into Workload::partitions, counted from 1; 0: the default.
  std::uint32_t queue = 0;        // What the log calls its queue, its partition and its program:
  std::uint32_t log_section = 0;  // into Workload::labels, counted from 1. Only mapping rules look
  std::uint32_t program = 0;      // at them; they are never submitted.
  std::int64_t memory_mb = 0;     // 0: the policy's default.
  MemoryPer memory_per = MemoryPer::kNode;
  Duration limit{0};
  friend bool operator==(const WorkRequest&, const WorkRequest&) = default;
};

struct WorkItem {
  Instant submit;
  Duration run{0};             // To the end, if nothing stops it.
  std::uint32_t request = 0;   // Index into Workload::requests.
  std::uint32_t number = 0;    // In the trace.
  std::uint32_t log_line = 0;  // Where it stood, for messages.
  JobState ends = JobState::kCompleted;
};

// Lines of a log that are not simulated, and why.
struct SkippedLines {
  std::size_t without_size = 0;   // No processors or no run time.
  std::size_t never_started = 0;  // Cancelled while they waited.
  std::size_t not_ended = 0;      // Still waiting or running when the log was written.
  std::size_t by_rule = 0;        // Mapping rules leave these jobs out.
  std::size_t bad_lines = 0;
  std::vector<std::string> first_bad;  // "FILE:LINE: what is wrong", a few.
  std::size_t lines() const { return without_size + never_started + not_ended + bad_lines; }
};

struct Workload {
  std::string name;
  std::int32_t machine_cpus = 0;      // As the trace's header says; 0 where it does not.
  std::vector<std::string> users;     // Names as they are submitted.
  std::vector<std::string> accounts;  // An empty name is the user's default account.
  std::vector<std::string> qos;
  std::vector<std::string> partitions;
  std::vector<std::string> labels;    // Names that only mapping rules look at.
  std::vector<WorkRequest> requests;  // No two are the same.
  std::vector<WorkItem> items;        // In order of submission.
  SkippedLines left_out;
  // Jobs whose run time stands for the limit, which the log does not know.
  std::size_t without_limit = 0;

  const WorkRequest& request_of(const WorkItem& item) const { return requests[item.request]; }
};

// The request as a person would submit it: one task for every CPU.
JobSpec spec_of(const Workload& workload, const WorkRequest& request);
// The same where the specification lies: there is a lot of it that is never asked for.
void fill_spec(const Workload& workload, const WorkRequest& request, JobSpec& spec);

}  // namespace sluice
