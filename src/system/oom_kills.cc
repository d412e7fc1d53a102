#include "system/oom_kills.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace sluice {
namespace {

constexpr std::string_view kMount = "/sys/fs/cgroup";

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

}  // namespace

std::string oom_file(std::string_view groups) {
  std::string unified;
  while (!groups.empty()) {
    const std::string_view line = groups.substr(0, groups.find('\n'));
    groups.remove_prefix(std::min(groups.size(), line.size() + 1));
    // "4:memory:/sluice/12", "0::/user.slice"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers == "memory") return fmt::format("{}/memory{}/memory.oom_control", kMount, path);
    if (controllers.empty()) unified = fmt::format("{}{}/memory.events", kMount, path);
  }
  return unified;
}

std::int64_t own_oom_kills() {
  const std::string file = oom_file(contents("/proc/self/cgroup"));
  if (file.empty()) return 0;
  std::istringstream lines(contents(file));
  std::string word;
  std::int64_t number = 0;
  while (lines >> word >> number)
    if (word == "oom_kill") return number;
  return 0;
}

}  // namespace sluice
