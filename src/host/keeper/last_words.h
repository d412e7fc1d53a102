// The last line in the output of a job that is told to end, for people who look there for why.
#pragma once

#include <sys/types.h>

#include <string>

namespace sluice {

// Writes to the error output that the process has open, with no rights but those with which the
// process opened it. Nothing is written where the kernel does not let us; nothing is waited for.
void write_last_words(pid_t process, const std::string& words);

}  // namespace sluice
