// A short-lived process of this program that acts for a user, with that user's rights.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "host/machine/identity.h"

namespace sluice {

// The pid, or -1. The process leads a session of its own, stands in / and has the owner's usual
// environment and `variables`; what it prints goes to `out`.
pid_t start_for_owner(const Identity& owner, const std::string& program,
                      std::vector<std::string> words, std::vector<std::string> variables, int out);

}  // namespace sluice
