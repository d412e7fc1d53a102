// Whole files in and out, with errors that say what to do.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sluice {

// "-" is standard input. What people write (policies, ladders, stories, lists) has less than 64
// MiB; more is an error, so that a device or a pipe without an end fills no memory.
Result<std::string> read_file(const std::string& path);
// What programs write (journals, the output of tasks): up to 8 GiB.
Result<std::string> read_long_file(const std::string& path);

// What another file includes: a plain file, not too long. It never waits for a pipe.
Result<std::string> read_included(const std::string& path);

// All files or none: each is written beside its place first, then all are renamed.
Result<void> write_files(const std::string& folder,
                         const std::vector<std::pair<std::string, std::string>>& files);
// One file, as a whole or not at all.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace sluice
