// What `sluice chain advance --follow` answers to the daemon that started it, as its exit code.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error_codes.h"

namespace sluice {

// Numbers of their own: 0, 75 and 76 are also what a look that failed exits with, and one that was
// taken for an answer has stopped a chain for good.
enum class LookAnswer : int {
  kNothingMore = 100,   // The chain has ended.
  kWhenTasksEnd = 101,  // Look again when more tasks have ended.
  kSoon = 102,          // Look again soon in any case.
};

// Nothing where the process failed.
constexpr std::optional<LookAnswer> look_answer_of(int exit_code) {
  for (const LookAnswer answer :
       {LookAnswer::kNothingMore, LookAnswer::kWhenTasksEnd, LookAnswer::kSoon})
    if (static_cast<int>(answer) == exit_code) return answer;
  return std::nullopt;
}

static_assert(std::none_of(std::begin(kErrorCodes), std::end(kErrorCodes),
                           [](const ErrorCodes& row) {
                             return look_answer_of(row.exit_code).has_value();
                           }),
              "an answer is not an error");

}  // namespace sluice
