// Which limits bind whom, in words.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/policy.h"

namespace sluice {

// Of a QoS, an account or a user; all of them where several have the name.
Result<std::string> explain_policy(const Policy& policy, std::string_view name);

}  // namespace sluice
