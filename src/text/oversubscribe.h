// OverSubscribe of a partition as Slurm writes it.
#pragma once

#include <fmt/format.h>

#include <string>

#include "model/partition.h"

namespace sluice {

// "NO", "YES:4", "FORCE:4" or "EXCLUSIVE".
inline std::string oversubscribe_word(const Partition& partition) {
  switch (partition.oversubscribe) {
    case OverSubscribe::kNo:
      return "NO";
    case OverSubscribe::kYes:
      return fmt::format("YES:{}", partition.oversubscribe_jobs);
    case OverSubscribe::kForce:
      return fmt::format("FORCE:{}", partition.oversubscribe_jobs);
    case OverSubscribe::kExclusive:
      return "EXCLUSIVE";
  }
  return "NO";
}

}  // namespace sluice
