#include "host/files/plain_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "host/files/read_at_most.h"
#include "system/open_plain_file.h"

namespace sluice {

namespace {

enum class Whose : std::uint8_t { kAnybodys, kRoots };

Result<std::string> read_checked(const std::string& path, std::size_t most, Whose whose) {
  const auto cannot = [&](std::string what, std::string hint) {
    return tl::unexpected<Error>(
        Error{ErrorKind::kBadInput, std::move(what), path, std::move(hint)});
  };
  const OpenedFile opened = open_plain_file(path);
  if (!opened.is_open())
    return opened.problem != 0
               ? cannot(std::strerror(opened.problem), "see that it can be read")
               : cannot("is not a plain file", "name a file, not a pipe, a folder or a device");
  const int file = opened.descriptor;
  struct stat found {};
  const auto too_long = [&] {
    return cannot(fmt::format("is longer than {} bytes", most), "split it, or shorten it");
  };
  if (::fstat(file, &found) != 0 || static_cast<std::uint64_t>(found.st_size) > most) {
    ::close(file);
    return too_long();
  }
  // Of what is open: another file may lie there by now.
  if (whose == Whose::kRoots && (found.st_uid != 0 || (found.st_mode & S_IWOTH) != 0)) {
    ::close(file);
    return tl::unexpected<Error>(
        Error{ErrorKind::kNotAllowed,
              found.st_uid != 0 ? fmt::format("belongs to user {}, not to root", found.st_uid)
                                : "may be written by everybody",
              path, "root acts by it: chown root, and chmod o-w"});
  }
  ReadText read = read_at_most(file, most);
  ::close(file);
  if (read.problem != 0) return cannot(std::strerror(read.problem), "see that it can be read");
  if (read.text.size() > most) return too_long();
  return std::move(read.text);
}

}  // namespace

Result<std::string> read_plain_file(const std::string& path, std::size_t most) {
  return read_checked(path, most, Whose::kAnybodys);
}

Result<std::string> read_trusted_file(const std::string& path) {
  return read_checked(path, kLongestPolicyFile,
                      ::geteuid() == 0 ? Whose::kRoots : Whose::kAnybodys);
}

bool may_be_planted(const std::string& path) {
  struct stat file {};
  struct stat folder {};
  const std::string above = std::filesystem::path(path).parent_path().string();
  if (::stat(above.empty() ? "." : above.c_str(), &folder) != 0) return true;
  if ((folder.st_mode & S_IWOTH) == 0) return false;
  // Without the sticky bit even a file of ours may be another one in a moment.
  if ((folder.st_mode & S_ISVTX) == 0) return true;
  // One that is gone may come back as something else.
  if (::lstat(path.c_str(), &file) != 0) return true;
  return (file.st_uid != 0 && file.st_uid != ::geteuid()) || file.st_nlink > 1;
}

}  // namespace sluice
