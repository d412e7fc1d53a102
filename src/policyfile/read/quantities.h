// Amounts as a policy file writes them: memory and resources; weights and factors as text has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/tres.h"
#include "text/tres_weight.h"

namespace sluice {

// 768G, 312.5G, 1T; a number alone is megabytes.
Result<std::int64_t> read_memory(std::string_view text);
std::string print_memory(std::int64_t megabytes);

// The amount of one dimension: memory with its units, everything else a whole number.
Result<std::int64_t> read_amount(TresIndex tres, std::string_view text);
std::string print_amount(TresIndex tres, std::int64_t amount);

}  // namespace sluice
