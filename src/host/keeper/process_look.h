// A look at processes that may keep the one who looks waiting.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

// What `say` says of each of the processes, in 60 bytes at most. While a process hangs in the
// kernel as it begins another program (with a file server that does not answer, say), whoever reads
// of it in /proc hangs, too. So a child looks; where it hangs it is ended, and another one looks on
// behind that process, of which nothing is known. After `most_hung` of these the rest is not looked
// at.
std::map<pid_t, std::string> said_of(const std::vector<pid_t>& among,
                                     const std::function<std::string(pid_t)>& say, int most_hung);

// Those of the processes for which `holds` is true, looked at in the same way.
std::vector<pid_t> processes_where(const std::vector<pid_t>& among,
                                   const std::function<bool(pid_t)>& holds, int most_hung);

// start_ticks() of the process; nothing where it hangs.
std::optional<std::uint64_t> start_seen(pid_t pid);

}  // namespace sluice
