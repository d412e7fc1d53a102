// Signals by name, and --signal: "B:USR2@30".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// "USR1", "SIGUSR1", "usr1", "10". The names Slurm knows, with Linux's numbers.
std::optional<std::int32_t> signal_named(std::string_view name);
// "USR1"; the number where it has no name.
std::string signal_name(std::int32_t signal);

struct SignalOption {
  WarningSignal signal;
  bool into_reservation = false;  // R: may overlap a reservation with MaxStartDelay.
  friend bool operator==(const SignalOption&, const SignalOption&) = default;
};

// [R][B]:signal[@seconds]; 60 seconds before the end where none are given.
Result<SignalOption> parse_signal_option(std::string_view text);
std::string format_signal_option(const SignalOption& option);

}  // namespace sluice
