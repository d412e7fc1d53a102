// The account tree: an association is an account, or a user in an account.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/limit_table.h"

namespace sluice {

struct Association {
  std::string account;
  std::string user;               // Empty: the account itself.
  std::string partition;          // Empty: any.
  std::optional<AssocId> parent;  // Nothing only for root, which is the first of the table.
  std::string description;
  std::int64_t shares = 1;
  bool shares_of_parent = false;  // FairShare=parent
  std::optional<std::int64_t> priority;
  GroupLimits group;
  JobLimits job;
  std::optional<std::int64_t> max_jobs;         // MaxJobs
  std::optional<std::int64_t> max_submit_jobs;  // MaxSubmitJobs
  std::optional<std::int64_t> max_jobs_accrue;  // MaxJobsAccrue
  // What this association itself says; where empty the nearest above that says something counts.
  std::vector<QosId> qos;
  std::optional<QosId> default_qos;
  friend bool operator==(const Association&, const Association&) = default;
};

enum class AdminLevel : std::uint8_t { kNone, kOperator, kAdministrator };

struct User {
  std::string name;
  std::string default_account;
  AdminLevel admin_level = AdminLevel::kNone;
  std::vector<std::string> coordinates;  // Accounts whose coordinator the user is.
  std::vector<std::string> groups;       // Unix groups, for AllowGroups in stories.
  friend bool operator==(const User&, const User&) = default;
};

}  // namespace sluice
