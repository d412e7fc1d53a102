// The order in which slurmctld numbers its nodes: n2 before n10.
#pragma once

#include <string_view>

namespace sluice {

// Digits in a row are compared as numbers. Where either row begins with a zero they are compared
// digit by digit, as if they stood behind a decimal point.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace sluice
