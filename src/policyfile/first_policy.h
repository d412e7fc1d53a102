// A commented policy file to start from, made of a few answers.
#pragma once

#include <string>
#include <vector>

namespace sluice {

// All as a person types them; what is wrong is found by reading the text.
struct FirstPolicy {
  std::string cluster;
  std::string nodes;  // "n[1-4]"
  std::string cpus;
  std::string memory;
  std::string gpus;                // Of each node; "0": none.
  std::vector<std::string> teams;  // "physics=ann,bob"
  bool preemptible = false;        // With a class of jobs that makes room for all others.
};
std::string first_policy(const FirstPolicy& answers);

}  // namespace sluice
