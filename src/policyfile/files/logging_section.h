// The section `logging` of a ladder file: one database that is told of all chains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policyfile/read/value.h"

namespace sluice {

struct LoggingSection {
  std::string db_path;             // "": none, or switched off.
  std::vector<std::string> notes;  // What has no effect, with file and line.
};

Result<LoggingSection> read_logging(const Value& section);
// Of a whole ladder file; one without the section has no database.
Result<LoggingSection> logging_of_ladder_file(std::string_view text, std::string_view file_name);

}  // namespace sluice
