// Which engine a command means: --on, else SLUICE_ON, else the usual one of the verb.
#pragma once

#include <string>

#include "base/result.h"

namespace sluice {

class Command;

// What SLUICE_ON says, else the other, which is this machine unless a verb knows better.
std::string usual_engine(const std::string& otherwise = "embedded");
// "slurm" or "embedded": what was asked for, else the usual one. Anything else is bad input.
Result<std::string> chosen_engine(const std::string& asked,
                                  const std::string& otherwise = "embedded");

// Adds --on to a verb; the value stays empty where it is not given.
void add_engine_option(Command& verb, std::string& engine);

}  // namespace sluice
