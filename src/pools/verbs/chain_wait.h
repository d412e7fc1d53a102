// Looking at a chain until it has ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cli/elsewhere.h"

namespace sluice {

// What is done about a daemon that is away: somebody else starts it, or this does.
enum class WhenAway : std::uint8_t { kWait, kStart };

// A picture on a terminal, else one line for every change; exit code 1 where tasks were given up.
// It goes on through a restart of the daemon.
Result<ExitCode> wait_for_chain(const std::string& id, WhenAway away = WhenAway::kWait);

// The same, of a chain by its id, the beginning of it, or last; an error where it has not ended by
// then.
Result<WaitedFor> wait_for_named_chain(const std::string& given, std::optional<Instant> until);

}  // namespace sluice
