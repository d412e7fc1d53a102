// A small file that is whole after a crash: as it was before, or as it is meant to be.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace sluice {

// A rename or link in it outlives a power failure from here on.
void sync_folder(const std::string& folder);

// The file takes the other's place, for good when this returns.
Result<void> rename_durably(const std::string& from, const std::string& to);

// Written beside it, flushed, renamed, and the folder flushed; on an error nothing is left beside
// it. The error's `what` is the system's word, its `where` the file.
Result<void> write_durably(const std::string& path, const std::string& text, mode_t mode = 0600);

}  // namespace sluice
