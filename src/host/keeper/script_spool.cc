// Each script lies in a folder of its own under the name that Slurm gives it: $0 ends in
// slurm_script.
#include "host/keeper/script_spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace sluice {
namespace {

// Array tasks come and go: their script stays for the next one.
constexpr std::size_t kMostIdle = 16;
constexpr std::string_view kFileName = "/slurm_script";

Result<void> write_script(const std::string& path, const std::string& script, std::uint32_t uid,
                          std::uint32_t gid) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0500);
  if (file < 0) {
    return failed(
        fmt::format("the script cannot be written to {}: {}", path, std::strerror(errno)));
  }
  std::size_t written = 0;
  bool fine = true;
  while (fine && written < script.size()) {
    const ssize_t count = ::write(file, script.data() + written, script.size() - written);
    if (count < 0 && errno == EINTR) continue;
    fine = count > 0;
    if (fine) written += static_cast<std::size_t>(count);
  }
  // The mode again: the keeper's umask may have taken something away.
  fine = fine && ::fchmod(file, 0500) == 0 && (::geteuid() == uid || ::fchown(file, uid, gid) == 0);
  const int error = errno;
  fine = ::close(file) == 0 && fine;
  if (fine) return {};
  ::unlink(path.c_str());
  return failed(fmt::format("the script cannot be written to {}: {}", path, std::strerror(error)));
}

}  // namespace

Interpreter interpreter_of(std::string_view script) {
  Interpreter found;
  if (!script.starts_with("#!")) return found;
  std::string_view line = script.substr(2, script.find('\n') - 2);
  const auto trim = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  };
  line = trim(line);
  const std::size_t blank = line.find_first_of(" \t");
  found.program = line.substr(0, blank);
  if (blank != std::string_view::npos) found.argument = trim(line.substr(blank));
  return found;
}

void ScriptSpool::clear() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    std::error_code ignored;
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

Result<std::string> ScriptSpool::take(const std::string& script, std::uint32_t uid,
                                      std::uint32_t gid) {
  Key key(uid, script);
  if (const auto found = entries_.find(key); found != entries_.end()) {
    if (found->second.users++ == 0) std::erase(idle_, found->second.path);
    return found->second.path;
  }
  const std::string folder = fmt::format("{}/{}", folder_, next_++);
  if (::mkdir(folder.c_str(), 0711) != 0 || ::chmod(folder.c_str(), 0711) != 0) {
    return failed(fmt::format("the folder {} cannot be made: {}", folder, std::strerror(errno)));
  }
  const std::string path = folder + std::string(kFileName);
  auto written = write_script(path, script, uid, gid);
  if (!written) {
    ::rmdir(folder.c_str());
    return tl::unexpected(written.error());
  }
  keys_.emplace(path, key);
  entries_.emplace(std::move(key), Entry{path, 1});
  return path;
}

void ScriptSpool::let_go(const std::string& path) {
  const auto key = keys_.find(path);
  if (key == keys_.end()) return;
  Entry& entry = entries_.at(key->second);
  if (--entry.users > 0) return;
  idle_.push_back(path);
  if (idle_.size() <= kMostIdle) return;
  const std::string oldest = idle_.front();
  idle_.erase(idle_.begin());
  ::unlink(oldest.c_str());
  ::rmdir(oldest.substr(0, oldest.size() - kFileName.size()).c_str());
  const auto gone = keys_.find(oldest);
  entries_.erase(gone->second);
  keys_.erase(gone);
}

}  // namespace sluice
