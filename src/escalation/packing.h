// Many tasks into few arrays that the cluster takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/index_set.h"

namespace sluice {

struct PackingLimits {
  std::uint32_t max_array_size = 1001;      // Bounds the index, not the count.
  std::size_t max_spec_bytes = 4096;        // sbatch refuses a longer --array.
  std::optional<std::int64_t> submit_room;  // Tasks that may be handed in now.
};

struct Pack {
  std::uint32_t offset = 0;
  IndexSet tasks;  // As the user counts them: the array has each less the offset.
};

// In ascending order, every task at most once; what does not fit into submit_room is left out.
std::vector<Pack> pack(const IndexSet& tasks, const PackingLimits& limits);

// The indices of the array that carries a pack.
IndexSet shifted_down(const IndexSet& tasks, std::uint32_t offset);

}  // namespace sluice
