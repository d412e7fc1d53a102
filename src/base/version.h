// The version of sluice, in the one place that the build and `sluice --version` read.
#pragma once

#include <string_view>

namespace sluice {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace sluice
