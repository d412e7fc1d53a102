// The daemon's policy: where it comes from, what another would do, and taking another.
#pragma once

#include <functional>
#include <string>

#include "daemon/driver.h"
#include "daemon/policy_source.h"
#include "daemon/process_copies.h"
#include "wire/api.h"

namespace sluice {

class PolicyDesk {
 public:
  PolicyDesk(Loop& loop, Driver& driver, std::string file, Node machine)
      : copies_(loop), driver_(driver), file_(std::move(file)), machine_(std::move(machine)) {}

  // At the start. A policy file that cannot be read stops everything: to go by another policy than
  // the one written down would be worse.
  Result<void> begin();

  using Reloaded = std::function<void(Result<ReloadReply>)>;
  // Takes the file as it is now; findings where it is wrong.
  void reload(Reloaded done);
  // Takes this text, and makes it the file: both or neither.
  void replace(const PolicyRequest& request, Reloaded done);

  using Planned = std::function<void(Result<PolicyPlanReply>)>;
  // Made in a copy of the process: reading a text takes time and memory that its sender chooses.
  void plan(const std::string& user, const PolicyRequest& request, Planned done);

  Result<PolicySource> source() const;
  const std::string& origin() const { return origin_; }

 private:
  const Policy& in_force() const { return driver_.engine().state().policy(); }
  PolicyPlanReply plan_here(const PolicyRequest& request);
  Result<PolicyChoice> choice_of(const PolicyRequest& request) const;
  void adopt(const PolicyChoice& choice, ReloadReply reply, std::function<Result<void>()> first,
             Reloaded done);

  ProcessCopies copies_;
  Driver& driver_;
  std::string file_;
  Node machine_;
  std::string origin_;
};

// The same for the same policy, another for any other.
std::string policy_mark(const Policy& policy);

}  // namespace sluice
