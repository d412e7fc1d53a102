// Windows of MaxArraySize indices, each split where its spec is too long.
#include "escalation/packing.h"

#include <algorithm>

#include "text/array_spec.h"

namespace sluice {
namespace {

// "%4000000"
constexpr std::size_t kThrottleBytes = 8;

// Adds the window's tasks as one pack, or in halves where the spec of a part by itself is longer
// than its share of the whole was.
void add_packs(std::vector<Pack>& packs, const IndexSet& window, std::uint32_t offset,
               std::size_t most_bytes) {
  if (compress_indices(window).size() <= most_bytes) {
    Pack& one = packs.emplace_back(Pack{offset, {}});
    for (const std::uint32_t index : window.to_vector()) one.tasks.insert(index + offset);
    return;
  }
  const auto all = window.to_vector();
  for (const auto& [begin, end] :
       {std::pair(std::size_t{0}, all.size() / 2), std::pair(all.size() / 2, all.size())}) {
    IndexSet half;
    for (std::size_t i = begin; i < end; ++i) half.insert(all[i]);
    add_packs(packs, half, offset, most_bytes);
  }
}

}  // namespace

IndexSet shifted_down(const IndexSet& tasks, std::uint32_t offset) {
  if (offset == 0) return tasks;
  IndexSet out;
  for (const std::uint32_t index : tasks.to_vector()) out.insert(index - offset);
  return out;
}

std::vector<Pack> pack(const IndexSet& tasks, const PackingLimits& limits) {
  std::vector<Pack> packs;
  const std::uint32_t size = std::max<std::uint32_t>(1, limits.max_array_size);
  std::int64_t room = limits.submit_room.value_or(static_cast<std::int64_t>(tasks.size()));
  for (auto next = tasks.first(); next && room > 0;) {
    const std::uint32_t offset = *next / size * size;
    IndexSet window;
    for (; next && *next - offset < size && room > 0; next = tasks.first(*next + 1), --room)
      window.insert(*next - offset);
    const std::size_t most_bytes = limits.max_spec_bytes - kThrottleBytes;
    for (const ArraySpecPart& part : split_array_spec({window, std::nullopt}, most_bytes))
      add_packs(packs, part.indices, offset, most_bytes);
  }
  return packs;
}

}  // namespace sluice
