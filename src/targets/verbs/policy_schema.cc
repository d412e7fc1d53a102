// sluice policy schema and keys: what a policy file may contain, for editors and for people.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "policyfile/read/schema.h"
#include "targets/verbs/policy_verb.h"

namespace sluice {

void add_policy_schema(Command& policy, ExitCode&) {
  auto json = std::make_shared<bool>(false);
  Command* schema =
      policy.add_subcommand("schema", "Print the JSON Schema of policy files, for editors");
  schema->add_flag("--json", *json, "JSON, as without this option");
  schema->footer("Examples:\n  sluice policy schema > policy.schema.json");
  schema->callback([json] { fmt::print("{}", policy_schema()); });
  Command* keys = policy.add_subcommand("keys", "Print every key of a policy file");
  keys->add_flag("--json", *json, "As JSON");
  keys->footer(
      "Examples:\n  sluice policy keys\n  sluice policy keys --json | jq -r '.keys[].key'");
  keys->callback([json] { fmt::print("{}", *json ? policy_keys_json() : policy_keys()); });
}

}  // namespace sluice
