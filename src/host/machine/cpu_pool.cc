// Lists of CPUs.
#include "host/machine/cpu_pool.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sluice {

std::vector<std::int32_t> cpus_in(std::string_view text) {
  std::vector<std::int32_t> cpus;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    std::int32_t first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) break;
    std::int32_t last = first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    for (std::int32_t cpu = first; cpu <= last && cpus.size() < 65536; ++cpu) cpus.push_back(cpu);
    at = read.ptr < end && *read.ptr == ',' ? read.ptr + 1 : end;
  }
  return cpus;
}

std::string cpu_text(const std::vector<std::int32_t>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::vector<std::int32_t>> CpuPool::take(std::int32_t count) {
  if (count <= 0 || static_cast<std::size_t>(count) > free_.size()) return std::nullopt;
  const auto end = free_.begin() + count;
  std::vector<std::int32_t> taken(free_.begin(), end);
  free_.erase(free_.begin(), end);
  return taken;
}

void CpuPool::give_back(const std::vector<std::int32_t>& cpus) {
  free_.insert(free_.end(), cpus.begin(), cpus.end());
  std::sort(free_.begin(), free_.end());
}

}  // namespace sluice
