// A policy target: where a policy is in force, and can be planned against, changed and changed
// back. A Slurm and the daemon of this machine are the two there are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "policyfile/plan/slurm_only.h"
#include "policyfile/read/value.h"

namespace sluice {

// What must be named before it is done.
struct Consent {
  std::vector<std::string> deletions;
  std::vector<std::string> admin_levels;
  std::vector<std::string> coordinators;
};

// What shall be in force: what a policy file says, or exactly what a saved plan does.
struct PolicyWish {
  std::string file;
  std::string saved;      // A saved plan; then there is no file.
  std::string confirmed;  // The target's cluster, where the file is for another.
  Consent consent;
};

struct PolicyInForce {
  Policy policy;
  SlurmOnly slurm_only;
  std::vector<std::string> notes;  // What a policy file has no words for.
};

struct PolicyDrift {
  std::string cluster;
  std::string since;
  std::vector<std::string> changes;
  std::string unread;  // The target's own policy file, where it says otherwise than is in force.
};

using Say = std::function<void(const std::string& line)>;

// What would be done, and the doing of it.
class Proposal {
 public:
  virtual ~Proposal() = default;

  // For people; for programs; to be applied exactly later.
  virtual std::string text() const = 0;
  virtual Value value() const = 0;
  virtual std::string saved() const = 0;

  // Whether the target is as wished already, and whether carrying this out would change it.
  virtual bool differs() const = 0;
  virtual bool has_work() const = 0;

  // An error where this user may not, or the target would refuse it. Asked before a person is.
  virtual Result<void> may_begin() = 0;
  // Keeps the way back, does it, reads it back and compares. False where something was left out.
  virtual Result<bool> carry_out(const Say& say) = 0;
};

class PolicyTarget {
 public:
  virtual ~PolicyTarget() = default;

  // "slurm" or "embedded", as --on has it.
  virtual std::string engine() const = 0;
  // "cluster lab, Slurm 22.05.8 at head", "the daemon of this machine". Asked before anything else.
  virtual Result<std::string> name() = 0;

  virtual Result<PolicyInForce> read() = 0;
  virtual Result<std::unique_ptr<Proposal>> plan(const PolicyWish& wish) = 0;
  // Back to before the last apply.
  virtual Result<std::unique_ptr<Proposal>> plan_back(const Consent& consent) = 0;
  // Since the last apply, or against a file.
  virtual Result<PolicyDrift> drift(const std::string& file) = 0;
};

std::unique_ptr<PolicyTarget> slurm_policy_target();
std::unique_ptr<PolicyTarget> daemon_policy_target();

}  // namespace sluice
