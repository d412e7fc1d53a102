// Which keeper something belongs to: the path of its socket, and the one process that it is.
//
// Two keepers may have the same path where each has file systems of its own, and may see the same
// control groups and the same processes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// ".NAMESPACE.PID.STARTED" of this process. Process numbers mean something only inside their
// namespace.
std::string own_process_mark();

// What became of the process that a name ends with.
enum class MarkedProcess : std::uint8_t { kNone, kLives, kEnded, kElsewhere };
MarkedProcess marked_process(std::string_view name);

// What each process of a run has in its environment as SLUICE_KEEPER.
std::string mark_of_runs(std::string_view keeper);
// Whether that value is of a keeper of that path which has ended.
bool is_left_by(std::string_view value, std::string_view keeper);

}  // namespace sluice
