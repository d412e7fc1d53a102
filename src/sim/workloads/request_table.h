// Finds equal requests, so that jobs that ask for the same share one.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/workloads/splitmix.h"
#include "sim/workloads/workload.h"

namespace sluice {

// A hash table whose order is never seen: requests are numbered as they come.
class RequestTable {
 public:
  explicit RequestTable(std::vector<WorkRequest>& requests) : requests_(requests), slots_(1024) {}

  std::uint32_t number_of(const WorkRequest& request) {
    std::size_t at = first_slot(request);
    while (slots_[at] != 0) {
      const std::uint32_t found = slots_[at] - 1;
      if (requests_[found] == request) return found;
      at = (at + 1) & (slots_.size() - 1);
    }
    requests_.push_back(request);
    slots_[at] = static_cast<std::uint32_t>(requests_.size());
    if (requests_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(requests_.size() - 1);
  }

 private:
  std::size_t first_slot(const WorkRequest& request) const {
    const std::uint64_t owner = (std::uint64_t{request.user} << 32U) | request.account;
    const std::uint64_t size = static_cast<std::uint64_t>(request.limit.count()) * 4'294'967'291U +
                               static_cast<std::uint64_t>(request.cpus);
    const std::uint64_t rest =
        ((std::uint64_t{request.qos} * 31 + request.partition) * 31 + request.queue) * 31 +
        request.log_section * 961 + static_cast<std::uint64_t>(request.gpus) * 29'791 +
        static_cast<std::uint64_t>(request.memory_mb) * 923'521 + request.program * 28'629'151U;
    return static_cast<std::size_t>(splitmix(owner + splitmix(size + (rest << 20U)))) &
           (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      std::size_t at = first_slot(requests_[i]);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::vector<WorkRequest>& requests_;
  std::vector<std::uint32_t> slots_;  // Numbers of requests plus one; 0 is none.
};

}  // namespace sluice
