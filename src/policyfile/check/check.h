// What is wrong or probably not meant in a policy that can be read.
#pragma once

#include <vector>

#include "policyfile/read/finding.h"
#include "policyfile/read/policy_reader.h"

namespace sluice {

// Mistakes of the file as errors; where there are none, everything the checks below find.
std::vector<Finding> check_policy(const PolicyText& text);

// What the checks share: the policy, where its fields stand, and what was found so far.
class Checks {
 public:
  explicit Checks(const PolicyText& text)
      : policy(text.policy), slurm_only(text.slurm_only), places_(text.places) {}
  const Policy& policy;
  const SlurmOnly& slurm_only;
  std::vector<Finding> findings;
  const std::set<std::string>& bare_durations() const { return places_.bare(); }
  void add(Severity severity, std::string rule, const std::string& field, std::string what,
           std::string fix = {});

 private:
  const Places& places_;
};

void check_qos(Checks& checks);
void check_preemption(Checks& checks);
void check_accounts(Checks& checks);
void check_cluster(Checks& checks);

}  // namespace sluice
