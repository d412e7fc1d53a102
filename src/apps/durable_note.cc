#include "apps/durable_note.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "host/durable_file.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot_write(const std::string& path, const std::string& problem) {
  return failed(fmt::format("cannot write {}: {}", path, problem), "nothing was submitted");
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

Result<void> write_note(const std::string& path, const std::string& text) {
  TRY_VOID(make_folder(fs::path(path).parent_path().string()));
  const auto written = write_durably(path, text);
  if (!written) return cannot_write(written.error().where, written.error().what);
  return {};
}

void remove_note(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

void forget_old_notes(const std::string& folder) {
  constexpr auto kKept = std::chrono::hours(24 * 30);
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto written = entry.last_write_time(ignored);
    if (!ignored && now - written > kKept) fs::remove(entry.path(), ignored);
  }
}

Result<NoteLock> NoteLock::take(const std::string& folder) {
  TRY_VOID(make_folder(folder));
  const std::string path = folder + "/.lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return cannot_write(path, std::strerror(errno));
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
