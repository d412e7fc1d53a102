// Includes: other files' sections, read first and merged into one document.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policyfile/read/value.h"

namespace sluice {

// The text of the file at this path; the caller opens files, this room does not.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

// The document with everything it includes. Paths are relative to the file that names them.
Result<Value> load_document(std::string_view text, std::string_view file_name,
                            const ReadFile& read_file);

}  // namespace sluice
