// The user who calls.
#pragma once

#include <string>

namespace sluice {

std::string own_user();

}  // namespace sluice
