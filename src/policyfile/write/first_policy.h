// A commented policy file to start from, made of a few answers.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sluice {

// All as a person types them.
struct FirstPolicy {
  std::string cluster;
  std::string nodes;  // "n[1-4]"
  std::string cpus;
  std::string memory;
  std::string gpus;                // Of each node: "4" or "a100:4"; "0": none.
  std::vector<std::string> teams;  // "physics=ann,bob"
  std::string user_share;          // The most that one user may hold: "gpus=2,cpus=32"; "none".
  // Whose jobs may end whose: "physics>biology,physics>chemistry"; "none".
  std::string preempts;
  bool preemptible = false;  // With a class of jobs that makes room for all others.
};

// Each of these says what is wrong with one answer, and how to write it.
Result<void> check_count(const std::string& text);
Result<void> check_memory(const std::string& text);
Result<void> check_gpus(const std::string& text);
Result<void> check_teams(const std::vector<std::string>& teams);
Result<void> check_user_share(const std::string& text);
Result<void> check_preempts(const std::string& text, const std::vector<std::string>& teams);

// The answers have passed the checks above.
std::string first_policy(const FirstPolicy& answers);

}  // namespace sluice
