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

namespace sluice {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::string first_word(const std::string& path) {
  const std::string text = text_of(path);
  return text.substr(0, text.find('\n'));
}

// Clock ticks after the boot at which the process began: a number used again is another process.
std::string start_of(pid_t pid) {
  const std::string stat = text_of(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(stat.substr(name_end + 2));
  std::string field;
  for (int i = 0; i < 20; ++i) rest >> field;
  return field;
}

struct Holder {
  std::string host;
  std::string boot;
  pid_t pid = 0;
  std::string start;
};

Holder ourselves() {
  Holder out;
  out.host.resize(256);
  ::gethostname(out.host.data(), out.host.size() - 1);
  out.host.resize(std::strlen(out.host.c_str()));
  out.boot = first_word("/proc/sys/kernel/random/boot_id");
  out.pid = ::getpid();
  out.start = start_of(out.pid);
  return out;
}

std::string written(const Holder& holder) {
  return fmt::format("{}\n{}\n{}\n{}\n", holder.host, holder.boot, holder.pid, holder.start);
}

Holder read_holder(const std::string& text) {
  Holder out;
  std::istringstream lines(text);
  std::string pid;
  std::getline(lines, out.host);
  std::getline(lines, out.boot);
  std::getline(lines, pid);
  std::getline(lines, out.start);
  out.pid = static_cast<pid_t>(std::strtol(pid.c_str(), nullptr, 10));
  return out;
}

// Both times are the file server's, so that clocks of hosts do not matter.
bool expired(const std::string& lease, const std::string& just_written) {
  struct stat old {};
  struct stat fresh {};
  if (::stat(lease.c_str(), &old) != 0 || ::stat(just_written.c_str(), &fresh) != 0) return false;
  return fresh.st_mtime - old.st_mtime > to_seconds(Lease::kLasts);
}

bool is_gone(const Holder& holder, const Holder& us, const std::string& lease,
             const std::string& just_written) {
  if (holder.host != us.host) return expired(lease, just_written);
  if (holder.boot != us.boot) return true;
  return start_of(holder.pid) != holder.start;
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

void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
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
  const Holder us = ourselves();
  const std::string own = fmt::format("{}/.lease.{}.{}", folder, us.host, us.pid);
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    ::unlink(own.c_str());
    TRY_VOID(write_whole(own, written(us)));
    const bool taken = ::link(own.c_str(), path.c_str()) == 0;
    const int problem = errno;
    const std::string seen = taken ? "" : text_of(path);
    const bool gone = !taken && !seen.empty() && is_gone(read_holder(seen), us, path, own);
    ::unlink(own.c_str());
    if (taken) return Lease(path);
    if (problem != EEXIST)
      return failed(fmt::format("cannot make {}: {}", path, std::strerror(problem)));
    if (gone) {
      break_lease(path, seen);
      continue;
    }
    if (std::chrono::steady_clock::now() >= end) {
      const Holder other = read_holder(seen);
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
  // One that was not renewed in time may be somebody else's by now.
  if (!path_.empty() && text_of(path_) == written(ourselves())) ::unlink(path_.c_str());
}

void Lease::renew() const { ::utimensat(AT_FDCWD, path_.c_str(), nullptr, 0); }

Result<void> leave_word(const std::string& folder, const std::string& text) {
  const std::string spool = folder + "/spool";
  std::error_code ignored;
  fs::create_directory(spool, ignored);
  const Holder us = ourselves();
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
