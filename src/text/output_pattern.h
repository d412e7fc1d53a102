// --output, --error and --input: Slurm's file name patterns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace sluice {

struct PatternFacts {
  JobId job;
  JobId array{};  // 0: not of an array.
  std::uint32_t task = 0;
  std::string_view user;
  std::string_view job_name;
  std::string_view first_node;
  std::optional<std::uint32_t> step = std::nullopt;  // Absent: the batch script.
  std::uint32_t step_task = 0;                       // %t
  std::uint32_t step_node = 0;                       // %n
};

// %A %a %J %j %N %n %s %t %u %x %%, numbers padded as in %4a. A backslash anywhere switches
// patterns off and is taken away. Relative paths are in `folder`.
std::string fill_pattern(std::string_view pattern, const PatternFacts& facts,
                         std::string_view folder);

// As scontrol shows it, before and after a start: %A %a %j %u %x alone, without widths.
std::string shown_pattern(std::string_view pattern, const PatternFacts& facts,
                          std::string_view folder);

// Where output goes that the request gives no name.
std::string_view default_output(const PatternFacts& facts);

}  // namespace sluice
