// link() is the one step that is atomic on every file system.
#include "ledger/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "host/files/durable_file.h"
#include "host/keeper/process_mark.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

Result<void> write_whole(const std::string& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool good = file >= 0 &&
                    ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                    ::fsync(file) == 0;
  const int problem = errno;
  if (file >= 0 && ::close(file) == 0 && good) return {};
  ::unlink(path.c_str());
  return failed(fmt::format("cannot write {}: {}", path, std::strerror(problem)));
}

// Only one process at a time takes a lease away, and only the one that it looked at.
void break_lease(const std::string& path, const std::string& seen) {
  const std::string lock = path + ".lock";
  const int fd = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (::flock(fd, LOCK_EX) == 0 && text_of(path) == seen) ::unlink(path.c_str());
  ::close(fd);
}

}  // namespace

Result<Lease> Lease::take(const std::string& folder, Duration patience) {
  const std::string path = folder + "/lease";
  const ProcessMark us = this_process();
  const std::string own = fmt::format("{}/.lease.{}.{}", folder, us.host, us.pid);
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    ::unlink(own.c_str());
    TRY_VOID(write_whole(own, us.text() + "\n"));
    const bool taken = ::link(own.c_str(), path.c_str()) == 0;
    const int problem = errno;
    const std::string seen = taken ? "" : text_of(path);
    const bool gone =
        !taken && !seen.empty() && is_left_behind(path, ProcessMark::read(seen), kLasts);
    ::unlink(own.c_str());
    if (taken) return Lease(path);
    if (problem != EEXIST)
      return failed(fmt::format("cannot make {}: {}", path, std::strerror(problem)));
    if (gone) {
      break_lease(path, seen);
      continue;
    }
    if (std::chrono::steady_clock::now() >= end) {
      const ProcessMark other = ProcessMark::read(seen);
      return tl::unexpected<Error>(
          Error{ErrorKind::kNoCapacity,
                fmt::format("process {} on {} works on this chain", other.pid, other.host),
                {},
                "try again when it is done"});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Lease::Lease(Lease&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

Lease::~Lease() {
  // One that was not renewed in time may be another process's by now.
  if (!path_.empty() && text_of(path_) == this_process().text() + "\n") ::unlink(path_.c_str());
}

void Lease::renew() const { touch(path_); }

Result<void> leave_word(const std::string& folder, const std::string& text) {
  const std::string spool = folder + "/spool";
  std::error_code ignored;
  fs::create_directory(spool, ignored);
  const ProcessMark us = this_process();
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string name = fmt::format("{}.{}.{}", now, us.host, us.pid);
  TRY_VOID(write_whole(spool + "/." + name, text));
  if (::rename((spool + "/." + name).c_str(), (spool + "/" + name).c_str()) != 0)
    return failed(fmt::format("cannot write {}/{}: {}", spool, name, std::strerror(errno)));
  sync_folder(spool);
  return {};
}

bool take_words(const std::string& folder) {
  bool any = false;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder + "/spool", problem)) {
    if (entry.path().filename().string().starts_with(".")) continue;
    any |= ::unlink(entry.path().c_str()) == 0;
  }
  return any;
}

}  // namespace sluice
