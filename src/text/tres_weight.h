// What one unit of a resource counts for: "0.25G" for memory, "1.5" for everything else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/tres.h"

namespace sluice {

Result<TresWeight> read_weight(TresIndex tres, std::string_view text);
std::string print_weight(const TresWeight& weight);

// Millionths to and from a decimal number: 1500000 is 1.5.
Result<std::int64_t> read_millionths(std::string_view text);
std::string print_millionths(std::int64_t millionths);

}  // namespace sluice
