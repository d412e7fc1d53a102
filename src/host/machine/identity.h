// Whom a job runs as: what the system's password and group lists say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace sluice {

struct Identity {
  std::string user;
  std::string group;  // The name of the first group.
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;  // All, the first included.
  std::string home;
  std::string shell;
  friend bool operator==(const Identity&, const Identity&) = default;
};

// From the system's lists, never from a message. An unknown user is an error.
Result<Identity> identity_named(const std::string& user);
Result<Identity> identity_of(std::uint32_t uid);

}  // namespace sluice
