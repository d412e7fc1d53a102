// The order of squeue's lines.
#pragma once

#include <string_view>
#include <vector>

#include "shims/shim.h"
#include "shims/squeue_fields.h"
#include "views/record_line.h"

namespace sluice {

// By letters as --sort takes them. The rows stay where they are: they are large, and a queue is
// long. False where a letter is none, which the call was told.
bool sort_records(ShimCall& call, std::string_view sort, const SqueueContext& context,
                  std::vector<const RecordLine*>& records);

}  // namespace sluice
