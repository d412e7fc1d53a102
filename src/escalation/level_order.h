// By what one level of a ladder gives more than another.
#pragma once

#include <algorithm>

#include "escalation/ladder.h"

namespace sluice {

inline std::int64_t cpus_of(const Level& level) {
  return std::max<std::int64_t>(1, level.cpus.value_or(1));
}
// Of one task: memory per CPU grows with its CPUs too.
inline std::int64_t memory_of(const Level& level) {
  if (!level.memory) return 0;
  return level.memory->mb * (level.memory->per == MemoryPer::kCpu ? cpus_of(level) : 1);
}
inline Duration time_of(const Level& level) { return level.time.value_or(Duration(0)); }

}  // namespace sluice
