// Places by the XDG rules, and the checks that nobody else put something in our way.
#include "host/files/folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "system/users.h"

namespace sluice {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The XDG rules: a relative path counts as not set.
std::string absolute_or(const std::string& value, const std::string& otherwise) {
  return !value.empty() && value.front() == '/' ? value : otherwise;
}

Result<Folders> checked(Folders folders) {
  constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  const std::string longest = folders.keeper_socket();
  if (longest.size() > kLongest) {
    return bad_input(fmt::format("the path of the socket {} has {} characters; {} are possible",
                                 longest, longest.size(), kLongest),
                     "Set SLUICE_HOME to a folder with a shorter path.");
  }
  return folders;
}

Result<std::string> absolute_home(const FolderSetting& setting) {
  if (setting.sluice_home.front() == '/') return setting.sluice_home;
  return bad_input(fmt::format("SLUICE_HOME={} is not an absolute path", setting.sluice_home),
                   fmt::format("Type: export SLUICE_HOME=\"$PWD/{}\"", setting.sluice_home));
}

Result<Folders> user_folders(const FolderSetting& setting) {
  if (setting.home.empty() || setting.home.front() != '/') {
    return bad_input("HOME is not set, so there is no place for sluice's state",
                     "Set HOME, or SLUICE_HOME to the folder that sluice may use.");
  }
  Folders folders;
  folders.scope = FolderScope::kUser;
  folders.state = setting.user_state();
  // The fallback is checked by make_folders(): others can write into the temporary folder.
  folders.run = absolute_or(setting.xdg_runtime_dir, {}).empty()
                    ? fmt::format("{}/sluice-{}", setting.temporary, setting.uid)
                    : setting.xdg_runtime_dir + "/sluice";
  folders.policy_file = setting.user_config() + "/policy.yaml";
  return checked(std::move(folders));
}

Folders machine_folders(const FolderSetting& setting) {
  Folders folders;
  folders.scope = FolderScope::kMachine;
  folders.state = setting.root + "/var/lib/sluice";
  folders.run = setting.root + "/run/sluice";
  folders.policy_file = setting.root + "/etc/sluice/policy.yaml";
  return folders;
}

Result<Folders> one_folder(const FolderSetting& setting) {
  TRY(const std::string home, absolute_home(setting));
  Folders folders;
  folders.scope = FolderScope::kOneFolder;
  folders.state = home + "/state";
  folders.run = home + "/run";
  folders.policy_file = home + "/policy.yaml";
  return checked(std::move(folders));
}

// Makes what is missing on the way; the last part gets `mode`, the others 0755 less the umask.
Result<void> make_path(const std::string& path, mode_t mode) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0755) != 0 && errno != EEXIST) {
      return failed(fmt::format("cannot make the folder {}: {}", part, std::strerror(errno)));
    }
  }
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    return failed(fmt::format("cannot make the folder {}: {}", path, std::strerror(errno)));
  }
  return {};
}

Result<void> make_private(const std::string& path, mode_t mode) {
  TRY_VOID(make_path(path, mode));
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) {
    return failed(fmt::format("cannot use {} as a folder: {}", path, std::strerror(errno)),
                  "A link or a file in its place could be another user's trap: remove it.");
  }
  struct stat found {};
  const bool known = ::fstat(folder, &found) == 0;
  bool mine = known && found.st_uid == ::geteuid();
  if (mine && (found.st_mode & 07777) != mode) mine = ::fchmod(folder, mode) == 0;
  ::close(folder);
  if (mine) return {};
  return tl::unexpected(Error{ErrorKind::kNotAllowed,
                              fmt::format("the folder {} belongs to user {}, not to {}", path,
                                          known ? found.st_uid : 0, ::geteuid()),
                              {},
                              "Remove it, or set SLUICE_HOME to a folder of your own."});
}

}  // namespace

std::string FolderSetting::user_config() const {
  return absolute_or(xdg_config_home, home + "/.config") + "/sluice";
}

std::string FolderSetting::user_state() const {
  return absolute_or(xdg_state_home, home + "/.local/state") + "/sluice";
}

FolderSetting FolderSetting::of_this_process() {
  FolderSetting setting;
  setting.uid = ::geteuid();
  setting.home = variable("HOME");
  if (setting.home.empty()) {
    const auto user = system_users().user_of(setting.uid);
    if (user && *user) setting.home = (*user)->home;
  }
  setting.sluice_home = variable("SLUICE_HOME");
  setting.xdg_state_home = variable("XDG_STATE_HOME");
  setting.xdg_runtime_dir = variable("XDG_RUNTIME_DIR");
  setting.xdg_config_home = variable("XDG_CONFIG_HOME");
  setting.temporary = absolute_or(variable("TMPDIR"), "/tmp");
  return setting;
}

Result<Folders> daemon_folders(const FolderSetting& setting) {
  if (!setting.sluice_home.empty()) return one_folder(setting);
  if (setting.uid == 0) return machine_folders(setting);
  return user_folders(setting);
}

Result<Folders> client_folders(const FolderSetting& setting) {
  if (!setting.sluice_home.empty()) return one_folder(setting);
  const Folders machine = machine_folders(setting);
  struct stat found {};
  const bool served = ::stat(machine.api_socket().c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
  if (setting.uid == 0 || served) return machine;
  return user_folders(setting);
}

Result<void> make_folders(const Folders& folders) {
  TRY_VOID(make_private(folders.state, 0700));
  // Jobs run from scripts in the spool, each readable by its owner alone.
  if (folders.for_everybody) {
    TRY_VOID(make_private(folders.state, 0711));
    TRY_VOID(make_private(folders.spool(), 0711));
    TRY_VOID(make_private(folders.run, 0755));
  } else {
    TRY_VOID(make_private(folders.spool(), 0700));
    TRY_VOID(make_private(folders.run, 0700));
  }
  return make_private(folders.output(), 0700);
}

bool is_on_network(const std::string& path) {
  // linux/magic.h lacks those of file systems that are not part of the kernel.
  constexpr std::uint64_t kLustre = 0x0BD00BD0;
  constexpr std::uint64_t kGpfs = 0x47504653;
  constexpr std::uint64_t kBeegfs = 0x19830326;
  constexpr std::uint64_t kCeph = 0x00C36400;
  constexpr std::uint64_t kSmb2 = 0xFE534D42;
  constexpr std::uint64_t kCifs = 0xFF534D42;
  constexpr std::uint64_t kFuse = 0x65735546;
  constexpr std::uint64_t kPanfs = 0xAAD7AAEA;
  struct statfs found {};
  if (::statfs(path.c_str(), &found) != 0) return true;
  switch (static_cast<std::uint64_t>(found.f_type) & 0xFFFFFFFF) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case AFS_SUPER_MAGIC:
    case CODA_SUPER_MAGIC:
    case V9FS_MAGIC:
    case kLustre:
    case kGpfs:
    case kBeegfs:
    case kCeph:
    case kSmb2:
    case kCifs:
    case kFuse:
    case kPanfs:
      return true;
    default:
      return false;
  }
}

}  // namespace sluice
