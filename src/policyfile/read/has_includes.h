// Whether a document names other files.
#pragma once

#include "policyfile/read/value.h"

namespace sluice {

bool has_includes(const Value& document);

}  // namespace sluice
