#include "host/keeper/process_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "host/keeper/process_look.h"
#include "host/keeper/processes.h"

namespace sluice {
namespace {

std::string this_host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

std::string this_boot() {
  const std::string text = read_kernel_file("/proc/sys/kernel/random/boot_id");
  return text.empty() ? "-" : text.substr(0, text.find('\n'));
}

// One that hangs as it begins a program writes no mark.
std::uint64_t start_of(pid_t pid) {
  const bool is_there = pid == ::getpid() || ::kill(pid, 0) == 0 || errno == EPERM;
  return is_there ? start_seen(pid).value_or(0) : 0;
}

}  // namespace

std::string ProcessMark::text() const {
  return fmt::format("{} {} {} {}", host, boot, pid, started);
}

ProcessMark ProcessMark::read(std::string_view text) {
  ProcessMark out;
  std::istringstream words{std::string(text)};
  if (!(words >> out.host >> out.boot >> out.pid >> out.started)) return {};
  return out;
}

ProcessMark this_process() { return {this_host(), this_boot(), ::getpid(), start_of(::getpid())}; }

std::optional<bool> is_alive(const ProcessMark& mark) {
  if (mark.host != this_host()) return std::nullopt;
  return mark.boot == this_boot() && mark.pid > 0 && start_of(mark.pid) == mark.started;
}

bool untouched_for(const std::string& path, Duration long_enough) {
  struct stat known {};
  if (::stat(path.c_str(), &known) != 0) return false;
  std::string fresh = (std::filesystem::path(path).parent_path() / ".now-XXXXXX").string();
  const int file = ::mkostemp(fresh.data(), O_CLOEXEC);
  if (file < 0) return false;
  struct stat now {};
  const bool seen = ::fstat(file, &now) == 0;
  ::close(file);
  ::unlink(fresh.c_str());
  return seen && now.st_mtime - known.st_mtime > to_seconds(long_enough);
}

void touch(const std::string& path) { ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

bool is_left_behind(const std::string& path, const ProcessMark& owner, Duration silence) {
  const std::optional<bool> alive = is_alive(owner);
  return alive ? !*alive : untouched_for(path, silence);
}

}  // namespace sluice
