// Two policies compared as a file would write them: everything that differs, in words.
#pragma once

#include <string>
#include <vector>

#include "model/policy.h"
#include "policyfile/plan/plan.h"

namespace sluice {

struct Difference {
  StepKind kind = StepKind::kChange;
  std::string subject;  // "QoS interactive", "user ann of physics", "node n[1-3]", "priority"
  std::string text;     // "MaxWall 2h, was 1h"; what a new one says; nothing where one goes.
  // "QoS interactive: MaxWall 2h, was 1h", "new QoS debug: MaxWall 10m", "QoS old goes"
  std::string sentence() const;
};

// Nothing exactly where both would be written alike. Sections in the order of the file.
std::vector<Difference> policy_differences(const Policy& before, const Policy& after,
                                           Tense tense = Tense::kPlan);

}  // namespace sluice
