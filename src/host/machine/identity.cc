// Asks the system's password and group lists.
#include "host/machine/identity.h"

#include <fmt/format.h>

#include "system/users.h"

namespace sluice {
namespace {

Result<Identity> identity_from(std::optional<SystemUser> user, const std::string& asked) {
  if (!user) {
    return failed(fmt::format("there is no user {} on this machine", asked),
                  fmt::format("`getent passwd {}` must find it.", asked));
  }
  TRY(std::vector<std::uint32_t> groups, system_users().groups_of(*user));
  const auto first = system_users().group_of(user->gid);
  Identity identity;
  identity.group = first && *first ? (*first)->name : std::to_string(user->gid);
  identity.uid = user->uid;
  identity.gid = user->gid;
  identity.groups = std::move(groups);
  identity.user = std::move(user->name);
  identity.home = std::move(user->home);
  identity.shell = std::move(user->shell);
  return identity;
}

}  // namespace

Result<Identity> identity_named(const std::string& user) {
  TRY(auto found, system_users().user_named(user));
  return identity_from(std::move(found), user);
}

Result<Identity> identity_of(std::uint32_t uid) {
  TRY(auto found, system_users().user_of(uid));
  return identity_from(std::move(found), std::to_string(uid));
}

}  // namespace sluice
