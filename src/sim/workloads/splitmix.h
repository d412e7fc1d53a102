// Steele, Lea and Flood's SplitMix64: well mixed numbers from a counter, the same everywhere.
#pragma once

#include <cstdint>

namespace sluice {

constexpr std::uint64_t splitmix(std::uint64_t counter) {
  std::uint64_t z = counter + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// Draws one after the other. Two streams of one seed have nothing in common.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t stream) : base_(splitmix(seed ^ splitmix(stream))) {}
  std::uint64_t next() { return splitmix(base_ + 0x9e3779b97f4a7c15U * ++drawn_); }
  // 0 up to, not including, `end`. The bias of the remainder is below 2^-40 for our small ends.
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  // 0 up to, not including, 1, in steps of 2^-53.
  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t base_;
  std::uint64_t drawn_ = 0;
};

}  // namespace sluice
