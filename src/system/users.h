// The system's lists of users and groups.
//
// The C library looks into them with modules that it loads (files, LDAP, SSSD). A program without
// shared libraries cannot load any, so there main() says use_getent(): the system brings getent
// with its own C library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

struct SystemUser {
  std::string name;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string home;
  std::string shell;
  friend bool operator==(const SystemUser&, const SystemUser&) = default;
};

struct SystemGroup {
  std::string name;
  std::uint32_t gid = 0;
  friend bool operator==(const SystemGroup&, const SystemGroup&) = default;
};

// Nothing is the answer that there is no such user or group; an error, that no list answered.
class UserLists {
 public:
  virtual ~UserLists() = default;
  virtual Result<std::optional<SystemUser>> user_named(const std::string& name) const = 0;
  virtual Result<std::optional<SystemUser>> user_of(std::uint32_t uid) const = 0;
  virtual Result<std::optional<SystemGroup>> group_named(const std::string& name) const = 0;
  virtual Result<std::optional<SystemGroup>> group_of(std::uint32_t gid) const = 0;
  // All that the user is in, the first included.
  virtual Result<std::vector<std::uint32_t>> groups_of(const SystemUser& user) const = 0;
  // As far as the lists can be walked; many sites forbid that for LDAP.
  virtual std::vector<SystemUser> all_users() const = 0;
};

struct ProgramOutput {
  int exit_code = 0;
  std::string output;
};
using RunProgram = Result<ProgramOutput> (*)(const std::vector<std::string>& argv);

const UserLists& users_by_library();
// Where there is no getent, /etc/passwd and /etc/group are read.
std::unique_ptr<UserLists> users_by_getent(RunProgram run);

void use_getent(RunProgram run);
const UserLists& system_users();

// The user that this process runs as; the number where the lists have no name.
std::string name_of_this_user();
// Whether the lists have this name.
bool is_user(const std::string& name);

// A line of passwd(5) and of group(5).
std::optional<SystemUser> read_user_line(std::string_view line);
std::optional<SystemGroup> read_group_line(std::string_view line);

}  // namespace sluice
