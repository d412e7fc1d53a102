// Names and groups by uid or name, looked up once in a while.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "host/machine/identity.h"

namespace sluice {

class Identities {
 public:
  // The system's lists change rarely; a minute is as late as others notice.
  Result<Identity> named(const std::string& user, Instant now);
  // Whether the user is in one of these groups of the system.
  bool is_in_any(const std::string& user, const std::vector<std::string>& groups, Instant now);
  // "uid 1234" where the system knows no name: such a one may look, and owns nothing. An error
  // where the system's lists cannot be asked now.
  Result<std::string> name_of(std::uint32_t uid, Instant now);

 private:
  template <class T>
  struct Known {
    T value;
    Instant until;
  };
  std::map<std::string, Known<Identity>> by_name_;
  std::map<std::uint32_t, Known<std::string>> names_;
  std::map<std::string, Known<std::optional<std::uint32_t>>> groups_;  // By name.
};

}  // namespace sluice
