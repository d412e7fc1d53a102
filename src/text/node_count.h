// Node counts: "2", "2-4", "2k" as --nodes takes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice {

struct NodeCount {
  std::int32_t least = 1;
  std::int32_t most = 1;
  friend bool operator==(const NodeCount&, const NodeCount&) = default;
};

// One number is both; "-4" is 1-4; k is 1,024 and m 1,048,576. Zero is refused.
Result<NodeCount> parse_node_count(std::string_view text);
// "2", "2-4".
std::string format_node_count(const NodeCount& count);

}  // namespace sluice
