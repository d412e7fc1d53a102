// sluice policy schema and keys: what a policy file may contain, for editors and for people.
#include <fmt/format.h>

#include "cli/command.h"
#include "policyfile/schema.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {

void add_policy_schema(Command& policy, ExitCode&) {
  policy.add_subcommand("schema", "Print the JSON Schema of policy files, for editors")
      ->callback([] { fmt::print("{}", policy_schema()); });
  policy.add_subcommand("keys", "Print every key of a policy file")->callback([] {
    fmt::print("{}", policy_keys());
  });
}

}  // namespace sluice
