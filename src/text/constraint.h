// Feature constraints: "a&b|c", "(a|b)&c", "[rack1|rack2]".
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// As alternatives of features that are all needed. ',' is '&', as in Slurm. Node counts ("a*2") and
// different alternatives in brackets joined by '&' are refused: a job here asks the same of every
// node.
Result<Constraint> parse_constraint(std::string_view text);

// --prefer: the same without counts and brackets.
Result<Constraint> parse_preference(std::string_view text);

}  // namespace sluice
