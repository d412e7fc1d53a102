// Project files that list accounts with their slots, and how they differ from the live cluster.
//
//   resources:
//     accounts:
//       - name: clive
//         gpu_slots: 3
//         cpu_slots: 11
//     total_gpu_slots: 3
//   routing:
//     accounts: [clive, maigan]
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

// What the cluster says of an account now.
struct LiveAccount {
  std::int64_t gpu_slots = 0;
  std::int64_t cpu_slots = 0;
  std::string left_out;  // Why it is not used; empty: it is.
};
using LiveAccounts = std::map<std::string, LiveAccount>;

struct FileDrift {
  int line = 0;  // The line as it stands, counted from 1.
  std::string before;
  std::optional<std::string> after;  // Nothing: the line goes.
  std::string why;                   // Of the first line of each difference.
};

// Nothing where the file has no such list. Only lines that differ are named.
Result<std::vector<FileDrift>> find_drift(std::string_view text, std::string_view file_name,
                                          const LiveAccounts& live);
// The same text with those lines changed: comments, order and everything else stay.
std::string without_drift(std::string_view text, const std::vector<FileDrift>& drift);

}  // namespace sluice
