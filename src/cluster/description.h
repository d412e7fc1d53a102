// A cluster as it is now: its policy, what everybody holds, what is free, and what we could not
// see.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/outcome.h"
#include "model/policy.h"
#include "model/tres.h"

namespace sluice {

// What counts against the limits of one association, one QoS, or one holder inside a QoS.
struct Use {
  TresVector tres;
  std::int64_t jobs = 0;       // Running.
  std::int64_t submitted = 0;  // Running and waiting, array tasks counted one by one.
  TresVector tres_minutes;     // Used up so far, decayed.
  TresVector tres_run_minutes;
  Duration wall{0};
};

// A user's or an account's share of what a QoS holds.
struct HolderUse {
  QosId qos;
  std::string holder;
  Use use;
};

// A job of anybody, or several equal tasks of one array that wait.
struct HeldJob {
  JobId job;
  std::optional<std::uint32_t> task;
  std::uint32_t tasks = 1;
  std::string user;
  std::string account;
  std::string qos;
  std::string partition;
  JobState state = JobState::kRunning;
  std::string reason;  // Slurm's word, of a waiting one.
  TresVector tres;     // Held, or asked for by each task that waits.
  std::optional<Instant> start;
  std::optional<Instant> ends_by;  // By its time limit.
  std::vector<std::string> nodes;
};

struct NodeRoom {
  bool usable = true;  // Up, not drained.
  std::int32_t free_cpus = 0;
  std::int64_t free_memory_mb = 0;
  std::vector<Gpu> free_gpus;
};

// Nodes that a reservation keeps for those it names.
struct KeptNodes {
  std::string reservation;
  Instant start;
  Instant end;
  std::vector<NodeId> nodes;
  std::int32_t cpus = 0;   // On each of them; 0: all.
  Reservation terms = {};  // Its users, accounts and flags, as far as they are known here.
  // As the cluster shows them, for people.
  std::string users = {};
  std::string accounts = {};
  std::string flags = {};
  friend bool operator==(const KeptNodes&, const KeptNodes&) = default;
};

// What a partition of a Slurm may set beside all that a policy's may.
struct PartitionRules {
  bool needs_reservation = false;  // ReqResv
  bool root_only = false;          // RootOnly
  bool is_hidden = false;          // Hidden: not listed; jobs may still name it.
};

struct Capabilities {
  std::string software;  // "slurm 22.05.8", "sluice 0.1.0"
  std::uint32_t max_array_size = 1001;
  std::uint32_t max_job_count = 10'000;
  bool accounting = true;      // Ended jobs can be asked for.
  bool others_visible = true;  // What other users hold is shown to us.
};

struct Description {
  std::shared_ptr<const Policy> policy;
  std::string user;  // The user who asks, whose associations count.
  // Index by index with the policy's tables.
  std::vector<Use> associations;
  std::vector<Use> qos;
  std::vector<NodeRoom> nodes;
  std::vector<HolderUse> users;     // Inside a QoS.
  std::vector<HolderUse> accounts;  // Inside a QoS.
  std::vector<HeldJob> jobs;
  std::vector<KeptNodes> kept;  // By reservations that have not ended.
  // Index by index with the policy's tables, or empty.
  std::vector<PartitionRules> partition_rules;
  // Index by index with the policy's licenses, or empty: not known.
  std::vector<std::int64_t> licenses_taken;
  Capabilities capabilities;
  std::vector<std::string> unseen;  // What the site does not show, in words.
  Instant as_of;
  std::string behind;  // Why it is no newer: what did not answer. Empty: everything did.
};

}  // namespace sluice
