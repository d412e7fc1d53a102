// Times as people type them on our own command line: Slurm's forms, and "1h" or "30min" besides.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace sluice {

// A number with units alone: "1h", "30min", "2h30m". Nothing for all else, Slurm's forms included.
std::optional<Duration> duration_with_unit(std::string_view text);

// The same as sbatch takes it for --time: "1h" is "01:00:00". Text without a unit stays as it is.
std::string plain_time_limit(std::string_view text);
// And for --begin: "1h", "+1h" and "now+1h" are "now+3600".
std::string plain_begin_time(std::string_view text);

}  // namespace sluice
