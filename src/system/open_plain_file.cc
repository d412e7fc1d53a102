#include "system/open_plain_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace sluice {
namespace {

constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

bool is_plain(int file, struct stat& found) {
  return ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
}

// Where /proc is not mounted: another file may have come in its place, which is let go then.
OpenedFile open_again(const std::string& path, const struct stat& looked_at) {
  const int file = ::open(path.c_str(), kToRead);
  if (file < 0) return {-1, errno};
  struct stat found {};
  if (is_plain(file, found) && found.st_dev == looked_at.st_dev && found.st_ino == looked_at.st_ino)
    return {file, 0};
  ::close(file);
  return {-1, 0};
}

}  // namespace

OpenedFile open_plain_file(const std::string& path) {
  const int place = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return {-1, errno};
  struct stat found {};
  if (!is_plain(place, found)) {
    ::close(place);
    return {-1, 0};
  }
  // What was looked at, and not what has the path now.
  const int file = ::open(("/proc/self/fd/" + std::to_string(place)).c_str(), kToRead);
  const int problem = errno;
  ::close(place);
  if (file >= 0) return {file, 0};
  return problem == ENOENT ? open_again(path, found) : OpenedFile{-1, problem};
}

}  // namespace sluice
