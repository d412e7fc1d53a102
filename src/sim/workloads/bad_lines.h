// Lines of a log that cannot be read: the end of it, or counted and left out, as asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/workloads/workload.h"

namespace sluice {

enum class BadLines : std::uint8_t { kStop, kSkip };

class BadLineCount {
 public:
  BadLineCount(BadLines what, SkippedLines& left_out) : what_(what), left_out_(left_out) {}

  // An error where the log may have no bad line.
  Result<void> add(std::string_view file, std::int64_t line, std::string what,
                   std::string_view example) {
    const std::string where = std::string(file) + ":" + std::to_string(line);
    if (what_ == BadLines::kStop)
      return tl::unexpected<Error>(
          Error{ErrorKind::kBadInput, std::move(what), where,
                std::string(example) + "\n  or leave such lines out: --bad-lines skip"});
    if (left_out_.first_bad.size() < kShown) left_out_.first_bad.push_back(where + ": " + what);
    ++left_out_.bad_lines;
    return {};
  }

 private:
  static constexpr std::size_t kShown = 5;
  BadLines what_;
  SkippedLines& left_out_;
};

}  // namespace sluice
