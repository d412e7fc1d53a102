// Runs a program and waits for it: no shell, no inherited environment, a limit of time.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace sluice {

struct CommandOutput {
  int exit_code = 0;  // 128 + signal where a signal ended it.
  std::string output;
  std::string error;
};

// Looked up in PATH; standard input is empty. A program that does not end in time is killed
// together with its group, and what it did is not known.
Result<CommandOutput> run_command(const std::vector<std::string>& argv,
                                  const std::vector<std::string>& environment, Duration limit);

}  // namespace sluice
