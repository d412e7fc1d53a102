#include "cli/own_user.h"

#include <pwd.h>
#include <unistd.h>

namespace sluice {

std::string own_user() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
}

}  // namespace sluice
