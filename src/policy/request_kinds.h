// Numbers for requests that differ in nothing but how many CPUs and nodes they ask for, how long.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "state/shape.h"

namespace sluice {

class RequestKinds {
 public:
  // 0 for a request that a smaller one says nothing about: it names nodes, features or GPUs, or
  // how many tasks a node must have.
  std::uint32_t kind_of(const Shape& shape);

 private:
  // CPUs a task, nodes at most, tasks that a node must have room for, memory a node and a CPU, and
  // whether nodes are its own.
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int64_t, std::int64_t, int>;

  std::map<Key, std::uint32_t> kinds_;
  Key last_{};
  std::uint32_t last_kind_ = 0;
  std::uint32_t numbers_ = 0;  // Given so far; none is given twice.
};

}  // namespace sluice
