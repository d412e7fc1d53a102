// The journal of a daemon as an accounting log: the runs that it remembers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "slurm/accounting_dump.h"

namespace sluice {

// Whether bytes that begin so may be one.
bool is_daemon_journal(std::string_view bytes);

// The file of these bytes. Reads a copy, so that a daemon may be at work on the file, and never
// writes to it; what was unpacked or came by standard input is read as it is.
Result<std::vector<LoggedRecord>> read_daemon_journal(const std::string& path,
                                                      std::string_view bytes);

}  // namespace sluice
