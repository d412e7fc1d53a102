// policy.yaml to the model, with every mistake named by file, line and field.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "policyfile/read/include.h"
#include "policyfile/read/reading.h"

namespace sluice {

// The policy, or the first mistake.
Result<Policy> read_policy(std::string_view text, std::string_view file_name,
                           const ReadFile& read_file = {});

// All that a file says: the policy as far as it could be read, every mistake, and where each
// field stands.
// What must hold, in a sentence; `policy check --intents` tries to break it.
struct IntentText {
  std::string text;
  Place place;
};

struct PolicyText {
  Policy policy;
  std::vector<IntentText> intents;
  std::vector<Error> errors;
  Places places;
  SlurmOnly slurm_only;
};
PolicyText read_policy_text(std::string_view text, std::string_view file_name,
                            const ReadFile& read_file = {});
// The same for a document that was put together otherwise.
PolicyText read_policy_document(const Value& document);

}  // namespace sluice
