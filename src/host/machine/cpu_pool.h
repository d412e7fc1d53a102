// Which of this machine's CPUs belong to whom. The lowest free ones are given first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// "0-3,7" to numbers and back, as the kernel writes lists of CPUs.
std::vector<std::int32_t> cpus_in(std::string_view text);
std::string cpu_text(const std::vector<std::int32_t>& cpus);

class CpuPool {
 public:
  explicit CpuPool(std::vector<std::int32_t> cpus) : free_(std::move(cpus)), total_(free_.size()) {}
  std::size_t total() const { return total_; }
  // Nothing where there are not that many left.
  std::optional<std::vector<std::int32_t>> take(std::int32_t count);
  void give_back(const std::vector<std::int32_t>& cpus);

 private:
  std::vector<std::int32_t> free_;  // In order.
  std::size_t total_;
};

}  // namespace sluice
