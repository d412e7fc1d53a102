// The names that a shell offers: jobs, chains, accounts, QoS and others, as our own commands list
// them.
#pragma once

#include <string>
#include <vector>

#include "cli/completion.h"

namespace sluice {

std::vector<CompletionWord> names_for_completion(NameKind kind,
                                                 const std::vector<std::string>& typed);

}  // namespace sluice
