// A range of values to try: 2..8, 0.5..2, 100G..800G:100G, 6h..7d.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

// Both ends and what lies between them, as a policy file writes it. Numbers, fractions, times (s,
// m, h, d, w) and sizes (K, M, G, T). The step is what follows a colon, or the smaller unit of the
// two ends, so often that there are at most nine values beside the last.
Result<std::vector<std::string>> values_in_range(std::string_view text);

}  // namespace sluice
