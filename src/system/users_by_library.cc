// The lists as the C library reads them. Only a program with shared libraries may link this.
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "system/users.h"

namespace sluice {
namespace {

// No such entry, in the words of one name service or another; all else is that none answered.
bool is_answer(int error) {
  return error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
}

tl::unexpected<Error> no_answer(std::string_view list, const std::string& key, int error) {
  const bool is_group = list == "group";
  return tl::unexpected<Error>(
      Error{ErrorKind::kUnreachable,
            fmt::format("{} {} cannot be looked up: {}", is_group ? "group" : "user", key,
                        std::strerror(error)),
            {},
            fmt::format("`getent {} {}` must answer.", list, key)});
}

std::string text_of(const char* text) { return text != nullptr ? text : ""; }

SystemUser user_from(const passwd& entry) {
  return {text_of(entry.pw_name), entry.pw_uid, entry.pw_gid, text_of(entry.pw_dir),
          text_of(entry.pw_shell)};
}

Result<std::optional<SystemUser>> found_user(const passwd* entry, const std::string& key) {
  const int error = errno;
  if (entry != nullptr) return user_from(*entry);
  if (!is_answer(error)) return no_answer("passwd", key, error);
  return std::nullopt;
}

Result<std::optional<SystemGroup>> found_group(const group* entry, const std::string& key) {
  const int error = errno;
  if (entry != nullptr) return SystemGroup{text_of(entry->gr_name), entry->gr_gid};
  if (!is_answer(error)) return no_answer("group", key, error);
  return std::nullopt;
}

class LibraryLists final : public UserLists {
 public:
  Result<std::optional<SystemUser>> user_named(const std::string& name) const override {
    errno = 0;
    return found_user(::getpwnam(name.c_str()), name);
  }
  Result<std::optional<SystemUser>> user_of(std::uint32_t uid) const override {
    errno = 0;
    return found_user(::getpwuid(uid), std::to_string(uid));
  }
  Result<std::optional<SystemGroup>> group_named(const std::string& name) const override {
    errno = 0;
    return found_group(::getgrnam(name.c_str()), name);
  }
  Result<std::optional<SystemGroup>> group_of(std::uint32_t gid) const override {
    errno = 0;
    return found_group(::getgrgid(gid), std::to_string(gid));
  }
  Result<std::vector<std::uint32_t>> groups_of(const SystemUser& user) const override {
    int count = 64;
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    if (::getgrouplist(user.name.c_str(), user.gid, groups.data(), &count) < 0) {
      groups.resize(static_cast<std::size_t>(count));
      if (::getgrouplist(user.name.c_str(), user.gid, groups.data(), &count) < 0)
        return failed(fmt::format("the groups of user {} cannot be read", user.name));
    }
    groups.resize(static_cast<std::size_t>(count));
    return std::vector<std::uint32_t>(groups.begin(), groups.end());
  }
  std::vector<SystemUser> all_users() const override {
    std::vector<SystemUser> out;
    ::setpwent();
    while (const passwd* entry = ::getpwent()) out.push_back(user_from(*entry));
    ::endpwent();
    return out;
  }
};

}  // namespace

const UserLists& users_by_library() {
  static const LibraryLists lists;
  return lists;
}

}  // namespace sluice
