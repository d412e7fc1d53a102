#include "system/users.h"

#include <unistd.h>

namespace sluice {
namespace {
std::unique_ptr<UserLists>& by_getent() {
  static std::unique_ptr<UserLists> lists;
  return lists;
}
}  // namespace

void use_getent(RunProgram run) { by_getent() = users_by_getent(run); }

const UserLists& system_users() { return by_getent() ? *by_getent() : users_by_library(); }

std::string name_of_this_user() {
  const auto found = system_users().user_of(::geteuid());
  return found && *found ? (*found)->name : std::to_string(::geteuid());
}

bool is_user(const std::string& name) {
  const auto found = system_users().user_named(name);
  return found && *found;
}

}  // namespace sluice
