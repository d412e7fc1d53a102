// Amounts as a policy file writes them: memory, resources, weights and factors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/tres.h"

namespace sluice {

// 768G, 312.5G, 1T; a number alone is megabytes.
Result<std::int64_t> read_memory(std::string_view text);
std::string print_memory(std::int64_t megabytes);

// The amount of one dimension: memory with its units, everything else a whole number.
Result<std::int64_t> read_amount(TresIndex tres, std::string_view text);
std::string print_amount(TresIndex tres, std::int64_t amount);

// 0.25G for memory, 1.5 for everything else.
Result<TresWeight> read_weight(TresIndex tres, std::string_view text);
std::string print_weight(const TresWeight& weight);

// Millionths to and from a decimal number: 1500000 is 1.5.
Result<std::int64_t> read_millionths(std::string_view text);
std::string print_millionths(std::int64_t millionths);

}  // namespace sluice
