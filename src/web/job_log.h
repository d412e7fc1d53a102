// A piece of what a job has written: kept by the daemon, or in the job's own file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "views/rows.h"
#include "web/sources.h"

namespace sluice {

enum class LogStream : std::uint8_t { kOutput, kErrors };

struct LogPiece {
  std::string bytes;
  std::uint64_t start = 0;  // Of the piece in the whole.
  std::string path;         // "" where the daemon keeps it.
  std::string note;         // Why there is nothing yet.
};

// From there on, no more than a piece; without `from` the last lines. A file is read with this
// process's own rights.
Result<LogPiece> read_job_log(const WebSources& sources, const std::string& job, LogStream stream,
                              std::optional<std::uint64_t> from);
Result<LogPiece> read_log_file(const std::string& path, std::optional<std::uint64_t> from);

}  // namespace sluice
