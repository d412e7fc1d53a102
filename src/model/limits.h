// What associations and QoS may limit, under Slurm's names.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "model/tres.h"

namespace sluice {

// Limits on the jobs of an association or a QoS taken together.
struct GroupLimits {
  TresLimits tres;                          // GrpTRES
  TresLimits tres_minutes;                  // GrpTRESMins
  TresLimits tres_run_minutes;              // GrpTRESRunMins
  std::optional<std::int64_t> jobs;         // GrpJobs
  std::optional<std::int64_t> submit_jobs;  // GrpSubmitJobs
  std::optional<Duration> wall;             // GrpWall
  friend bool operator==(const GroupLimits&, const GroupLimits&) = default;
};

// Limits on one job.
struct JobLimits {
  TresLimits max_tres;               // MaxTRESPerJob
  TresLimits max_tres_node;          // MaxTRESPerNode
  TresLimits max_tres_minutes;       // MaxTRESMinsPerJob
  TresLimits min_tres;               // MinTRESPerJob (QoS only)
  std::optional<Duration> max_wall;  // MaxWallDurationPerJob
  friend bool operator==(const JobLimits&, const JobLimits&) = default;
};

// Limits on the jobs of one user, or of one account, inside a QoS.
struct HolderLimits {
  TresLimits max_tres;                          // MaxTRESPerUser, MaxTRESPerAccount
  TresLimits max_tres_run_minutes;              // MaxTRESRunMinsPerUser, …PerAccount
  std::optional<std::int64_t> max_jobs;         // MaxJobsPerUser, …PerAccount
  std::optional<std::int64_t> max_submit_jobs;  // MaxSubmitJobsPerUser, …PerAccount
  friend bool operator==(const HolderLimits&, const HolderLimits&) = default;
};

}  // namespace sluice
