// EASY on one node where nothing but the number of CPUs counts: numbers instead of places.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "policy/passes.h"

namespace sluice {

enum class Tells : std::uint8_t { kNothing, kReasons };

class FlatEasy {
 public:
  void run(const PassInput& input, Tells tells);
  // Passes in between were made another way.
  void forget() { reserved_ = false; }

 private:
  // What the last pass found, for jobs that come behind all it looked at.
  bool reserved_ = false;  // A job waits, for this time, with so many CPUs left over then.
  Instant shadow_;
  std::int64_t extra_ = 0;
  std::uint64_t arrivals_ = 0;  // That had been looked at.
  std::uint64_t layout_ = 0;
  // None of those behind the head that were looked at asks for fewer CPUs.
  std::int32_t least_ = 0;
};

}  // namespace sluice
