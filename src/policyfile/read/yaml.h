// YAML to and from document values; yaml-cpp stays behind this.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policyfile/read/value.h"

namespace sluice {

// An empty text is an empty map. A key that stands twice in one map is an error.
Result<Value> parse_yaml(std::string_view text, std::string_view file_name);
std::string print_yaml(const Value& value);

}  // namespace sluice
