// What jobs get whole of a node, as SelectTypeParameters has it.
#pragma once

#include <string>

#include "model/policy.h"

namespace sluice {

// "CR_Core_Memory", "CR_Socket"
inline std::string cpu_unit_word(const Policy& policy, CpuUnit unit) {
  std::string word = unit == CpuUnit::kSocket ? "CR_Socket" : "CR_Core";
  if (policy.jobs.memory_is_consumable) word += "_Memory";
  return word;
}

}  // namespace sluice
