// The names that a list is narrowed to, and whether they exist: an empty list is no answer to a
// name that was mistyped.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sluice {

// Each several with commas between them, or "".
struct NameFilters {
  std::string users;
  std::string accounts;
  std::string partitions;
  std::string qos;
  std::string engine;  // "slurm"; else this machine.

  bool any() const {
    return !users.empty() || !accounts.empty() || !partitions.empty() || !qos.empty();
  }
};

// Of a policy, as far as this user may see it.
struct KnownNames {
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
};

// An error for the first name that neither the policy nor, of users, the system knows. To be asked
// where nothing was found: what has jobs or runs is known by them.
Result<void> check_names(const NameFilters& filters);

}  // namespace sluice
