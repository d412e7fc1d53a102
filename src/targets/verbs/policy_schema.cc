// sluice policy schema and keys: what a policy file may contain, for editors and for people.
#include <fmt/format.h>

#include "cli/command.h"
#include "policyfile/schema.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {

void add_policy_schema(Command& policy, ExitCode&) {
  Command* schema =
      policy.add_subcommand("schema", "Print the JSON Schema of policy files, for editors");
  schema->footer("Examples:\n  sluice policy schema > policy.schema.json");
  schema->callback([] { fmt::print("{}", policy_schema()); });
  Command* keys = policy.add_subcommand("keys", "Print every key of a policy file");
  keys->footer("Examples:\n  sluice policy keys");
  keys->callback([] { fmt::print("{}", policy_keys()); });
}

}  // namespace sluice
