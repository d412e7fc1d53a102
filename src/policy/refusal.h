// What sbatch prints after "Batch job submission failed: ", word for word.
#pragma once

#include <string>
#include <string_view>

#include "model/reason.h"

namespace sluice::refusal {

inline constexpr std::string_view kLimits =
    "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)";
inline constexpr std::string_view kAccount =
    "Invalid account or account/partition combination specified";
inline constexpr std::string_view kPartitionAssociation =
    "Multiple partition job request not supported when a partition is set in the association";
inline constexpr std::string_view kQos = "Invalid qos specification";
inline constexpr std::string_view kPartition = "Invalid partition name specified";
inline constexpr std::string_view kNoPartition =
    "No partition specified or system default partition";
inline constexpr std::string_view kPartitionClosed =
    "Required partition not available (inactive or drain)";
inline constexpr std::string_view kAccess = "Access/permission denied";
inline constexpr std::string_view kGroup = "User's group not permitted to use this partition";
inline constexpr std::string_view kNodesElsewhere = "Requested nodes not in this partition";
inline constexpr std::string_view kProcessors = "More processors requested than permitted";
inline constexpr std::string_view kNodeCount = "Node count specification invalid";
inline constexpr std::string_view kNodeName = "Invalid node name specified";
inline constexpr std::string_view kNodeConfiguration =
    "Requested node configuration is not available";
inline constexpr std::string_view kPartitionConfiguration =
    "Requested partition configuration not available now";
inline constexpr std::string_view kTime =
    "Requested time limit is invalid (missing or exceeds some limit)";
inline constexpr std::string_view kTimeMin =
    "Invalid time-min specification (exceeds job's time or other limits)";
inline constexpr std::string_view kMemory = "Memory required by task is not available";
inline constexpr std::string_view kFeature = "Invalid feature specification";
inline constexpr std::string_view kPreferredFeature = "Invalid preferred feature specification";
inline constexpr std::string_view kLicense = "Invalid license specification";
inline constexpr std::string_view kGres = "Invalid generic resource (gres) specification";
inline constexpr std::string_view kArray = "Invalid job array specification";
inline constexpr std::string_view kNice = "Invalid --nice value";
inline constexpr std::string_view kQueueFull = "Resource temporarily unavailable";
inline constexpr std::string_view kReservation = "Requested reservation is invalid";
inline constexpr std::string_view kReservationAccess = "Access denied to requested reservation";
inline constexpr std::string_view kDependency = "Job dependency problem";

inline Refusal of(std::string_view message, const Reason& reason = {}) {
  return Refusal{reason, std::string(message)};
}

}  // namespace sluice::refusal
