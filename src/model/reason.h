// Why a job does not run, with the numbers of the rule that decided it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/ids.h"
#include "model/tres.h"

namespace sluice {

// The rule. Those about limits are the same for associations and QoS; Reason::holder says which.
enum class Rule : std::uint8_t {
  kNone,
  // The queue.
  kPriority,
  kResources,
  kBeginTime,
  kDependency,
  kDependencyNeverSatisfied,
  kHeldByUser,
  kHeldByAdmin,
  kHeldAfterRequeues,
  kArrayTaskLimit,
  kLicenses,
  kNodeNotAvailable,
  kNodeDown,
  kReservation,
  kReservationDeleted,
  kNodeReserved,  // Nodes there are, but reservations keep them.
  kCleaning,
  kDeadline,
  kBadConstraints,
  // Partitions.
  kPartitionDown,
  kPartitionInactive,
  kPartitionNodeLimit,
  kPartitionTimeLimit,
  kPartitionConfig,
  kAccountNotAllowed,
  kQosNotAllowed,
  // Associations.
  kInvalidAccount,
  kInvalidQos,
  // Limits.
  kGrpTres,
  kGrpTresMinutes,
  kGrpTresRunMinutes,
  kGrpJobs,
  kGrpSubmitJobs,
  kGrpWall,
  kMaxTresPerJob,
  kMaxTresPerNode,
  kMaxTresMinutesPerJob,
  kMinTresPerJob,
  kMaxWall,
  kMaxTresPerUser,
  kMaxTresRunMinutesPerUser,
  kMaxJobsPerUser,
  kMaxSubmitJobsPerUser,
  kMaxTresPerAccount,
  kMaxTresRunMinutesPerAccount,
  kMaxJobsPerAccount,
  kMaxSubmitJobsPerAccount,
  kMaxMemoryPerLimit,
  // Which waiting jobs gain priority by age: no job waits because of them.
  kGrpJobsAccrue,
  kMaxJobsAccruePerUser,
  kMaxJobsAccruePerAccount,
  // Fairshare, in millionths of what it gives to a job's priority: no count of anything.
  kUsageThreshold,
};

// Whose limit it is.
enum class LimitHolder : std::uint8_t { kNone, kJobQos, kPartitionQos, kAssociation, kPartition };

struct Reason {
  Rule rule = Rule::kNone;
  LimitHolder holder = LimitHolder::kNone;
  TresIndex tres{};             // For rules about TRES.
  std::uint32_t holder_id = 0;  // QosId, AssocId or PartitionId by holder; JobId for dependencies.
  // Counts, TRES amounts, TRES minutes, or seconds for durations.
  std::int64_t limit = 0;
  std::int64_t used = 0;
  std::int64_t asked = 0;
  friend bool operator==(const Reason&, const Reason&) = default;
};

constexpr bool is_limit(Rule rule) {
  return rule >= Rule::kGrpTres && rule != Rule::kUsageThreshold;
}

// Slurm's word: "Priority", "QOSGrpCpuLimit", "AssocGrpMemLimit", ….
std::string slurm_word(const Reason& reason, const TresRegistry& tres);
// Every word slurm_word can say.
std::optional<Rule> rule_of_word(std::string_view word);

// Why a submission or an update was refused: the word, and what sbatch prints after "Batch job
// submission failed: ".
struct Refusal {
  Reason reason;
  std::string message;
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

}  // namespace sluice
