// Asks the system's password and group lists.
#include "host/machine/identity.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sluice {
namespace {

Result<Identity> identity_from(const passwd* entry, const std::string& who) {
  const int error = errno;
  // No such user, in the words of one name service or another; all else is that none answered.
  const bool is_answer =
      error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
  if (!entry && !is_answer) {
    return tl::unexpected(
        Error{ErrorKind::kUnreachable,
              fmt::format("user {} cannot be looked up: {}", who, std::strerror(error)),
              {},
              fmt::format("`getent passwd {}` must answer.", who)});
  }
  if (!entry) {
    return failed(fmt::format("there is no user {} on this machine", who),
                  fmt::format("`getent passwd {}` must find it.", who));
  }
  Identity identity;
  identity.user = entry->pw_name;
  identity.uid = entry->pw_uid;
  identity.gid = entry->pw_gid;
  identity.home = entry->pw_dir;
  identity.shell = entry->pw_shell;
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  if (::getgrouplist(identity.user.c_str(), identity.gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(identity.user.c_str(), identity.gid, groups.data(), &count) < 0) {
      return failed(fmt::format("the groups of user {} cannot be read", identity.user));
    }
  }
  groups.resize(static_cast<std::size_t>(count));
  identity.groups.assign(groups.begin(), groups.end());
  const group* first = ::getgrgid(identity.gid);
  identity.group = first ? first->gr_name : std::to_string(identity.gid);
  return identity;
}

}  // namespace

Result<Identity> identity_named(const std::string& user) {
  errno = 0;
  return identity_from(::getpwnam(user.c_str()), user);
}

Result<Identity> identity_of(std::uint32_t uid) {
  errno = 0;
  return identity_from(::getpwuid(uid), std::to_string(uid));
}

}  // namespace sluice
