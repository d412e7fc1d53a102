// Everything a state is, without what follows from it: what a journal needs instead of its past.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.h"
#include "model/job.h"
#include "model/node.h"
#include "model/policy.h"
#include "state/job_record.h"
#include "state/usage.h"

namespace sluice {

struct KeptSpec {
  SpecId id;
  std::shared_ptr<const JobSpec> request;
  UserId user;
  bool keep = false;
};

struct KeptTime {
  Instant at;
  JobId job;
};

// The books of what is held, the order of ends and whatever else can be worked out are not in it:
// State::restore() does that the way the fold does.
struct StateSnapshot {
  std::shared_ptr<const Policy> policy;
  Instant origin{};
  Instant last_calculated{};
  Instant now{};
  std::uint32_t next_job = 1;
  std::uint32_t next_spec = 1;
  std::uint64_t starts = 0;
  std::vector<std::string> users;
  std::vector<KeptSpec> specs;
  std::vector<Job> jobs;  // Where one has run, `run` is the place of its run below, plus one.
  std::vector<Run> runs;
  std::vector<Array> arrays;
  std::vector<NodeState> nodes;
  std::vector<PastUsage> past;  // Of associations.
  std::vector<PastUsage> qos_past;
  std::vector<KeptTime> ended;  // In the order in which they will be forgotten.
  std::vector<KeptTime> begins;
  std::vector<JobId> awaiting_signal;
  std::vector<JobId> overstaying;
  std::vector<Reservation> reservations;
};

}  // namespace sluice
