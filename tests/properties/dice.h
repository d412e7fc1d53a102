// For property tests: random numbers from one seed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace sluice {

// splitmix64: the same numbers from every compiler and library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // From first to last, both included.
  std::int32_t between(std::int32_t first, std::int32_t last) {
    return first + static_cast<std::int32_t>(next() % static_cast<std::uint64_t>(last - first + 1));
  }
  bool one_in(std::int32_t n) { return between(1, n) == 1; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<std::int32_t>(from.size()) - 1))];
  }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return pick(std::vector<T>(from));
  }

 private:
  std::uint64_t state_;
};

}  // namespace sluice
