// The daemon: everything put together and served until it is told to stop.
#pragma once

#include <string>

#include "base/result.h"
#include "host/files/folders.h"

namespace sluice {

struct DaemonSettings {
  Folders folders;
  std::string program;  // This executable.
  int ready = -1;       // A descriptor that gets "ready\n", or what went wrong, when it serves.
};

// Returns an exit code.
int run_daemon(const DaemonSettings& settings);

}  // namespace sluice
