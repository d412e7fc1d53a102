// Numbers as strtol() reads them: what stands behind the digits is not looked at.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// "12x" is 12, "x" is 0. Of more than 15 digits the first 15 count.
std::int64_t leading_number(std::string_view text);

}  // namespace sluice
