#include "host/files/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace sluice {
namespace {

bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t done = ::write(file, text.data() + at, text.size() - at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += static_cast<std::size_t>(done);
  }
  return true;
}

// 0, or what went wrong.
int write_flushed(const std::string& path, const std::string& text, mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  const bool good = write_all(file, text) && ::fchmod(file, mode) == 0 && ::fsync(file) == 0;
  const int problem = good ? 0 : errno;
  // A file server may say only now that the disk is full.
  return ::close(file) != 0 && good ? errno : problem;
}

}  // namespace

void sync_folder(const std::string& folder) {
  const int open = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (open < 0) return;
  ::fsync(open);
  ::close(open);
}

Result<void> rename_durably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    const int problem = errno;
    ::unlink(from.c_str());
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(problem), to, {}});
  }
  const std::string folder = std::filesystem::path(to).parent_path().string();
  sync_folder(folder.empty() ? "." : folder);
  return {};
}

Result<void> write_durably(const std::string& path, const std::string& text, mode_t mode) {
  const std::string beside = path + ".new";
  const int problem = write_flushed(beside, text, mode);
  if (problem == 0) return rename_durably(beside, path);
  ::unlink(beside.c_str());
  return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(problem), path, {}});
}

}  // namespace sluice
