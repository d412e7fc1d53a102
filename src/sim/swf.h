// The Standard Workload Format: 18 columns a job, header lines begin with ';'.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/workload.h"

namespace sluice {

// Users are called u1, u2, …, groups g1, g2, … and become accounts. A request of 0 or less falls
// back to the allocated count; without an estimate the run time is the limit.
Result<Workload> parse_swf(std::string_view text, std::string_view name);

// Plain or gzipped, told by its first bytes; "-" is standard input.
Result<std::string> read_maybe_gzipped(const std::string& path);

}  // namespace sluice
