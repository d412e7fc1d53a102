// Verbs that do one thing to jobs: what they share.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/cli.h"

namespace sluice {

// "12,13_[1-3]" as the route takes it; an error names the word that is no job.
Result<std::string> joined_references(const std::vector<std::string>& words);

// Says what was done or refused, a line each; nothing is said of what was done but `done`.
struct Action {
  std::string method = "POST";
  std::string jobs;  // As joined_references has it.
  std::string verb;  // The last part of the path; empty for the job itself.
  std::string body;  // JSON, or nothing.
  std::string done;  // "cancelled"
  bool json = false;
  bool quiet = false;
};
Result<ExitCode> carry_out(const Action& action);

}  // namespace sluice
