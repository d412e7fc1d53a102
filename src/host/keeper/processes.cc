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

Instant started_at(const ProcessFacts& facts) {
  const auto tick = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return instant_at(Duration(static_cast<std::int64_t>(facts.started * 1000 / tick)));
}

std::optional<ProcessFacts> process_facts(pid_t pid) {
  const std::string text = read_kernel_file(fmt::format("/proc/{}/stat", pid));
  // The name in parentheses may hold anything, a parenthesis too.
  const std::size_t name_ends = text.rfind(')');
  if (name_ends == std::string::npos || name_ends + 2 >= text.size()) return std::nullopt;
  std::vector<std::string_view> fields;
  std::string_view rest = std::string_view(text).substr(name_ends + 2);
  while (!rest.empty()) {
    const std::size_t blank = rest.find(' ');
    fields.push_back(rest.substr(0, blank));
    rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
  }
  if (fields.size() < 22) return std::nullopt;
  const auto number = [&](std::size_t field) {
    std::int64_t value = 0;
    std::from_chars(fields[field].data(), fields[field].data() + fields[field].size(), value);
    return value;
  };
  static const std::int64_t page_kb = ::sysconf(_SC_PAGESIZE) / 1024;
  ProcessFacts facts;
  facts.state = fields[0].front();
  facts.parent = static_cast<pid_t>(number(1));
  facts.session = static_cast<pid_t>(number(3));
  facts.started = static_cast<std::uint64_t>(number(19));
  facts.rss_kb = number(21) * page_kb;
  return facts;
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

std::optional<uid_t> real_user_of(pid_t pid) {
  const std::string text = read_kernel_file(fmt::format("/proc/{}/status", pid));
  // The name comes before it, and has its line ends escaped.
  constexpr std::string_view kBefore = "\nUid:\t";
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return std::nullopt;
  uid_t user = 0;
  const char* begin = text.data() + at + kBefore.size();
  if (std::from_chars(begin, text.data() + text.size(), user).ec != std::errc())
    return std::nullopt;
  return user;
}

}  // namespace sluice
