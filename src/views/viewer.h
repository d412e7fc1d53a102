// Whose things a viewer sees: Slurm's PrivateData, one question each.
#pragma once

#include <string_view>
#include <vector>

#include "engine/command.h"
#include "model/policy.h"

namespace sluice {

// Good for one call: policy and actor must outlive it. Everybody sees their own, operators see all,
// and a coordinator sees what belongs to the account and to those below it.
class Viewer {
 public:
  Viewer(const Policy& policy, const Actor& actor);

  const std::string& name() const { return actor_.user; }
  bool sees_all() const { return sees_all_; }
  bool coordinates(std::string_view account) const;
  bool coordinates_any() const { return !realm_.empty(); }
  bool sees_all_jobs() const { return sees_all_ || !policy_.jobs.private_data.jobs; }
  bool sees_job(std::string_view owner, std::string_view account) const;
  // Of an association: of an account itself where it has no user.
  bool sees_usage(std::string_view user, std::string_view account) const;
  // The whole tree of accounts and users.
  bool sees_policy() const;
  // A place for each association of the policy. One's own, what one coordinates and all above
  // them, whose limits bind: that is what sacctmgr lists.
  std::vector<bool> associations_seen() const;

 private:
  const Policy& policy_;
  const Actor& actor_;
  std::vector<std::string_view> realm_;  // The accounts one coordinates.
  bool sees_all_ = false;
};

// The policy as this viewer may know it: nodes, partitions and QoS, and of the tree what is seen.
Policy policy_seen_by(const Viewer& viewer, const Policy& policy);

}  // namespace sluice
