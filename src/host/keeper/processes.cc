// Reads /proc with plain reads: streams would cost more than the kernel's answer.
#include "host/keeper/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>

namespace sluice {
namespace {

// The numbers among the names in a folder.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> found;
  DIR* open = ::opendir(folder.c_str());
  if (!open) return found;
  while (const dirent* entry = ::readdir(open)) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size()) found.push_back(number);
  }
  ::closedir(open);
  return found;
}

bool kernel_lists_children() {
  static const bool lists =
      ::access("/proc/self/task", F_OK) == 0 &&
      ::access(fmt::format("/proc/self/task/{}/children", ::getpid()).c_str(), F_OK) == 0;
  return lists;
}

}  // namespace

std::vector<pid_t> numbers_of(std::string_view text) {
  std::vector<pid_t> found;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    pid_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec == std::errc()) found.push_back(number);
    at = read.ptr + 1;
  }
  return found;
}

std::string read_kernel_file(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char bytes[4096];
  ssize_t count = 0;
  while ((count = ::read(file, bytes, sizeof bytes)) > 0) {
    text.append(bytes, static_cast<std::size_t>(count));
  }
  ::close(file);
  return text;
}

Instant started_at(std::uint64_t ticks) {
  const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return instant_at(Duration(static_cast<std::int64_t>(ticks * 1000 / per_second)));
}

// From "status", and not from "stat", which kernels give only when no other program begins.
std::optional<ProcessFacts> process_facts(pid_t pid) {
  const std::string text = read_kernel_file(fmt::format("/proc/{}/status", pid));
  const pid_t session = ::getsid(pid);
  if (text.empty() || session < 0) return std::nullopt;
  const auto after = [&](std::string_view key) {
    // The name comes first, and has its line ends escaped.
    const std::size_t at = text.find(key);
    return at == std::string::npos ? std::string_view()
                                   : std::string_view(text).substr(at + key.size());
  };
  const auto number = [&](std::string_view key) {
    std::string_view from = after(key);
    from.remove_prefix(std::min(from.find_first_not_of(' '), from.size()));
    std::int64_t value = 0;
    std::from_chars(from.data(), from.data() + from.size(), value);
    return value;
  };
  const std::string_view state = after("\nState:\t");
  if (state.empty()) return std::nullopt;
  ProcessFacts facts;
  facts.state = state.front();
  facts.parent = static_cast<pid_t>(number("\nPPid:\t"));
  facts.session = session;
  facts.user = static_cast<uid_t>(number("\nUid:\t"));
  facts.rss_kb = number("\nVmRSS:\t");
  return facts;
}

std::optional<std::uint64_t> start_ticks(pid_t pid) {
  const std::string text = read_kernel_file(fmt::format("/proc/{}/stat", pid));
  // The name in parentheses may hold anything, a parenthesis too.
  std::size_t at = text.rfind(')');
  constexpr int kFieldsBetween = 20;
  for (int i = 0; i < kFieldsBetween && at != std::string::npos; ++i) at = text.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t ticks = 0;
  const auto read = std::from_chars(text.data() + at + 1, text.data() + text.size(), ticks);
  return read.ec == std::errc() ? std::optional(ticks) : std::nullopt;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> found;
  if (kernel_lists_children()) {
    const std::string tasks = fmt::format("/proc/{}/task", pid);
    for (const pid_t thread : numbers_in(tasks)) {
      const auto more = numbers_of(read_kernel_file(fmt::format("{}/{}/children", tasks, thread)));
      found.insert(found.end(), more.begin(), more.end());
    }
    return found;
  }
  for (const pid_t other : all_processes()) {
    const auto facts = process_facts(other);
    if (facts && facts->parent == pid) found.push_back(other);
  }
  return found;
}

std::vector<pid_t> with_descendants(std::vector<pid_t> roots) {
  std::set<pid_t> seen(roots.begin(), roots.end());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (const pid_t child : children_of(roots[i])) {
      if (seen.insert(child).second) roots.push_back(child);
    }
  }
  return roots;
}

std::vector<pid_t> all_processes() { return numbers_in("/proc"); }

std::optional<std::string> variable_of(pid_t pid, std::string_view name) {
  const std::string text = read_kernel_file(fmt::format("/proc/{}/environ", pid));
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
  }
  return std::nullopt;
}

}  // namespace sluice
