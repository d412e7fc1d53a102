// A short-lived process of this program that acts for a user, with that user's rights.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "host/machine/identity.h"

namespace sluice {

// The pid, or -1. The process leads a session of its own, stands in / and has the owner's usual
// environment and `variables`; what it prints goes to `out`.
pid_t start_for_owner(const Identity& owner, const std::string& program,
                      std::vector<std::string> words, std::vector<std::string> variables, int out);

enum class Printing : std::uint8_t { kGoesOn, kEnded };
// Throws away what such a process has printed: it says nothing that matters, and has ended when its
// output has. Only so much at once: its owner may write into it without end.
Printing discard_printed(int out);

}  // namespace sluice
