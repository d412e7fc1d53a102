#include "apps/durable_note.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace sluice {
namespace {

namespace fs = std::filesystem;

// A process may have the number of one that is gone, so its start counts too.
std::string mark_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return {};
  // The 22nd field: when it started.
  std::size_t at = end + 1;
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return {};
  return fmt::format("{}:{}", pid, text.substr(at + 1, text.find(' ', at + 1) - at - 1));
}

tl::unexpected<Error> cannot_write(const std::string& path, int problem) {
  return failed(fmt::format("cannot write {}: {}", path, std::strerror(problem)),
                "nothing was submitted");
}

bool write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t done = ::write(fd, text.data() + at, text.size() - at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += static_cast<std::size_t>(done);
  }
  return true;
}

Result<void> make_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    return failed(fmt::format("cannot make the folder {}: {}", folder, problem.message()),
                  "nothing was submitted");
  return {};
}

}  // namespace

std::string process_mark() { return mark_of(::getpid()); }

bool is_alive(const std::string& mark) {
  const long pid = std::strtol(mark.c_str(), nullptr, 10);
  return pid > 0 && mark_of(static_cast<pid_t>(pid)) == mark;
}

Result<void> write_note(const std::string& path, const std::string& text) {
  const std::string folder = fs::path(path).parent_path().string();
  TRY_VOID(make_folder(folder));
  const std::string fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return cannot_write(fresh, errno);
  const bool written = write_all(fd, text) && ::fsync(fd) == 0;
  const int problem = errno;
  if (::close(fd) != 0 || !written) return cannot_write(fresh, written ? errno : problem);
  if (::rename(fresh.c_str(), path.c_str()) != 0) return cannot_write(path, errno);
  if (const int above = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); above >= 0) {
    ::fsync(above);
    ::close(above);
  }
  return {};
}

void remove_note(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

Result<NoteLock> NoteLock::take(const std::string& folder) {
  TRY_VOID(make_folder(folder));
  const std::string path = folder + "/.lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return cannot_write(path, errno);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return tl::unexpected<Error>(Error{ErrorKind::kNoCapacity,
                                       "another sluice moves your jobs just now",
                                       {},
                                       "nothing was moved; try again in a moment"});
  }
  return NoteLock(fd);
}

NoteLock::~NoteLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace sluice
