// Finds the number of a kind, or gives it the next.
#include "policy/request_kinds.h"

#include "policy/placement.h"

namespace sluice {
namespace {

// Far more than are in use at a time. Those that wait with a forgotten number are compared with
// each other as before, and with newcomers no more.
constexpr std::size_t kMostKinds = 4096;

}  // namespace

std::uint32_t RequestKinds::kind_of(const Shape& shape) {
  if (shape.tasks_per_node != 0 || shape.max_nodes < shape.min_nodes || !takes_any_node(shape))
    return 0;
  const int owns = (shape.exclusive ? 1 : 0) | (shape.whole_memory ? 2 : 0) |
                   (shape.oversubscribe ? 4 : 0) | (shape.whole_sockets ? 8 : 0);
  const Key key{shape.cpus_per_task,   shape.max_nodes,      shape.least_tasks_on_node,
                shape.memory_per_node, shape.memory_per_cpu, owns};
  if (last_kind_ != 0 && key == last_) return last_kind_;
  if (kinds_.size() >= kMostKinds) kinds_.clear();
  const auto [it, is_new] = kinds_.try_emplace(key, numbers_ + 1);
  if (is_new) ++numbers_;
  last_ = key;
  last_kind_ = it->second;
  return last_kind_;
}

}  // namespace sluice
