// The last line in the output of a job that is told to end, for people who look there for why.
#pragma once

#include <sys/types.h>

#include <string>

#include "host/cages/cage.h"
#include "host/machine/identity.h"

namespace sluice {

// Writes to the error output that the process has open, as its owner, with no rights but those with
// which the process opened it. Nothing is written where the kernel does not let us. A child takes
// the open file, since a process that hangs with a file server may keep that waiting: it is waited
// for as long as for a process that is to be frozen.
void write_last_words(pid_t process, const Identity& owner, const std::string& words,
                      FreezePatience& patience);

// To the end of its output file, as its owner, when its processes are gone: a file that the owner
// may not write, or that is not there, gets nothing.
void append_last_words(const std::string& path, const Identity& owner, const std::string& words,
                       FreezePatience& patience);

}  // namespace sluice
