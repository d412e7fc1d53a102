// A look at processes that may keep the one who looks waiting.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace sluice {

// Those of the processes for which `holds` is true. While a process hangs in the kernel as it
// begins another program (with a file server that does not answer, say), whoever reads of it in
// /proc hangs, too. So a child looks; where it hangs it is ended, and another one looks on behind
// that process, for which nothing holds. After `most_hung` of these the rest is not looked at.
std::vector<pid_t> processes_where(const std::vector<pid_t>& among,
                                   const std::function<bool(pid_t)>& holds, int most_hung);

}  // namespace sluice
