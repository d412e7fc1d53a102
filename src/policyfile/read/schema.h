// What a policy file may contain, for editors (JSON Schema) and for people (a table of keys).
#pragma once

#include <string>

namespace sluice {

// JSON Schema, draft 7, with every key, its other spellings and its values.
std::string policy_schema();
// Markdown tables: key, what it takes, what it means, by section.
std::string policy_keys();
std::string policy_keys_json();

}  // namespace sluice
