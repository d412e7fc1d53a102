// The account tree and the QoS with their limits and what stands against them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/description.h"
#include "slurm/assoc_records.h"
#include "slurm/version.h"

namespace sluice {

// Fills policy.associations and policy.qos, and out's uses, index by index with them.
void read_limits(std::span<const AssocRecord> records, Policy& policy, Description& out);

// What assoc_mgr does not print, from sacctmgr: flags, limits per user that nobody uses yet;
// which QoS an association may use. QoS that assoc_mgr does not know are left out.
std::vector<std::string> qos_table_command(std::optional<SlurmVersion> version);
void read_qos_table(std::string_view text, std::optional<SlurmVersion> version, Policy& policy,
                    Description& out);
std::vector<std::string> assoc_table_command(const std::string& user);
void read_assoc_table(std::string_view text, Policy& policy);

// Without assoc_mgr: what jobs hold, summed up by QoS.
void use_from_jobs(Policy& policy, Description& out);

}  // namespace sluice
