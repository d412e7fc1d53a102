// Small files, read and written without streams.
#include "host/cages/cgroup_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <utility>

#include "host/cages/keeper_mark.h"
#include "host/keeper/processes.h"
#include "storage/checksum.h"

namespace sluice {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  }
  return parts;
}

// Mount points spell blanks and the like in octal: "\040".
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      int code = 0;
      for (std::size_t k = 1; k <= 3; ++k) code = code * 8 + (text[i + k] - '0');
      out += static_cast<char>(code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// The folder of our process: its path in the hierarchy, less what the mount leaves out.
std::string own_folder(const std::string& mount, std::string_view root, std::string_view path) {
  if (root != "/" && path.starts_with(root)) path.remove_prefix(root.size());
  if (path == "/" || path.empty()) return mount;
  return mount + std::string(path);
}

}  // namespace

CgroupMounts cgroup_mounts(std::string_view mountinfo, std::string_view cgroup) {
  std::map<std::string, std::string> paths;  // By controller; "" for v2.
  for (const std::string_view line : split(cgroup, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) paths[""] = line.substr(second + 1);
    for (const std::string_view name : split(controllers, ',')) {
      paths[std::string(name)] = line.substr(second + 1);
    }
  }
  CgroupMounts mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    // id parent device root mount-point options … - type source super-options
    const std::vector<std::string_view> words = split(line, ' ');
    std::size_t dash = 0;
    while (dash < words.size() && words[dash] != "-") ++dash;
    if (dash + 3 >= words.size() + 0 || words.size() < 6) continue;
    const std::string mount = unescaped(words[4]);
    const std::string_view root = words[3];
    if (words[dash + 1] == "cgroup2") {
      mounts.v2 = mount;
      mounts.v2_own = own_folder(mount, root, paths[""]);
    } else if (words[dash + 1] == "cgroup") {
      for (const std::string_view option : split(words[dash + 3], ',')) {
        const auto path = paths.find(std::string(option));
        if (path == paths.end() || option.empty()) continue;
        mounts.v1[std::string(option)] = own_folder(mount, root, path->second);
      }
    }
  }
  return mounts;
}

CgroupMounts cgroup_mounts() {
  return cgroup_mounts(read_kernel_file("/proc/self/mountinfo"),
                       read_kernel_file("/proc/self/cgroup"));
}

bool write_kernel_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t count = ::write(file, text.data(), text.size());
  const int error = errno;
  ::close(file);
  errno = error;
  return count == static_cast<ssize_t>(text.size());
}

std::optional<std::int64_t> read_number(const std::string& path) {
  const std::string text = read_kernel_file(path);
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ') continue;
    std::int64_t value = 0;
    const char* begin = line.data() + word.size() + 1;
    if (std::from_chars(begin, line.data() + line.size(), value).ec == std::errc()) return value;
  }
  return std::nullopt;
}

ProcessBounds process_bounds(std::int64_t possible) {
  // More than any program needs; of a kernel that has few, an eighth.
  constexpr std::int64_t kMostOfOne = 16'384;
  constexpr std::int64_t kLeastOfOne = 1'024;
  return {std::clamp(possible / 8, kLeastOfOne, kMostOfOne), possible - possible / 4};
}

ProcessBounds process_bounds() {
  constexpr std::int64_t kUsual = 32'768;
  return process_bounds(std::min(read_number("/proc/sys/kernel/pid_max").value_or(kUsual),
                                 read_number("/proc/sys/kernel/threads-max").value_or(kUsual)));
}

std::vector<pid_t> pids_in(const std::string& path) { return numbers_of(read_kernel_file(path)); }

KernelFile::KernelFile(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
KernelFile::KernelFile(KernelFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}
KernelFile& KernelFile::operator=(KernelFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
KernelFile::~KernelFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string_view KernelFile::read() const {
  static char bytes[8192];
  const ssize_t count = ::pread(descriptor_, bytes, sizeof bytes, 0);
  return count > 0 ? std::string_view(bytes, static_cast<std::size_t>(count)) : std::string_view();
}

bool remove_cgroup(const std::string& folder, int rounds) {
  if (DIR* open = ::opendir(folder.c_str())) {
    while (const dirent* entry = ::readdir(open)) {
      if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
        remove_cgroup(folder + "/" + entry->d_name, rounds);
      }
    }
    ::closedir(open);
  }
  for (int round = 0; round < rounds; ++round) {
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return true;
    if (errno != EBUSY) return false;
    if (!write_kernel_file(folder + "/cgroup.kill", "1")) {
      for (const pid_t pid : pids_in(folder + "/cgroup.procs")) {
        if (pid != ::getpid()) ::kill(pid, SIGKILL);
      }
      write_kernel_file(folder + "/freezer.state", "THAWED");
    }
    ::usleep(round < 20 ? 1'000 : 20'000);
  }
  return false;
}

void HungCgroups::leave(const std::string& folder) {
  if (::rmdir(folder.c_str()) != 0 && errno == EBUSY) folders_.push_back(folder);
}

void HungCgroups::try_one() {
  if (folders_.empty()) return;
  const std::string folder = std::move(folders_.front());
  folders_.pop_front();
  leave(folder);
}

std::string cgroup_name(std::string_view keeper) {
  return fmt::format("sluice-{:08x}", crc32c(keeper));
}

namespace {

void remove_empty_cgroups(const std::string& folder) {
  if (DIR* open = ::opendir(folder.c_str())) {
    while (const dirent* entry = ::readdir(open))
      if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
        remove_empty_cgroups(folder + "/" + entry->d_name);
    ::closedir(open);
  }
  ::rmdir(folder.c_str());
}

}  // namespace

std::string own_cgroup_name(std::string_view keeper) {
  return cgroup_name(keeper) + own_process_mark();
}

int hold_cgroup(const std::string& folder) {
  const int held = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (held < 0 || ::flock(held, LOCK_EX | LOCK_NB) == 0) return held;
  ::close(held);
  return -1;
}

void remove_left_cgroups(const std::string& folder, std::string_view keeper) {
  std::vector<std::string> names;
  if (DIR* open = ::opendir(folder.c_str())) {
    while (const dirent* entry = ::readdir(open))
      if (entry->d_type == DT_DIR && std::string_view(entry->d_name).starts_with("sluice-"))
        names.emplace_back(entry->d_name);
    ::closedir(open);
  }
  const std::string mine = cgroup_name(keeper);
  for (const std::string& name : names) {
    // Where a keeper had to move to is not a place for runs.
    if (name.ends_with("-keeper")) continue;
    const MarkedProcess owner = marked_process(name);
    if (owner == MarkedProcess::kLives) continue;
    const bool is_mine = name == mine || name.starts_with(mine + ".");
    if (!is_mine && owner != MarkedProcess::kEnded) continue;
    const std::string path = folder + "/" + name;
    // Its keeper may live where this process cannot see it.
    const int held = hold_cgroup(path);
    if (held < 0) continue;
    is_mine ? static_cast<void>(remove_cgroup(path)) : remove_empty_cgroups(path);
    ::close(held);
  }
}

}  // namespace sluice
