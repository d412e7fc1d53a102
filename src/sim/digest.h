// A 64-bit digest of bytes that come in pieces: the same for the same bytes, however they are cut.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sim/workloads/splitmix.h"

namespace sluice {

// Not for adversaries: it tells two journals apart, eight bytes at a time.
class Digest {
 public:
  void add(std::string_view bytes) {
    length_ += bytes.size();
    for (; filled_ != 0 && !bytes.empty(); bytes.remove_prefix(1)) add_byte(bytes.front());
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), 8);
      // The same digest from a machine that keeps the highest byte first.
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
      mix(word);
    }
    for (; !bytes.empty(); bytes.remove_prefix(1)) add_byte(bytes.front());
  }
  std::uint64_t value() const { return splitmix(splitmix(state_ ^ splitmix(tail_)) ^ length_); }

 private:
  void mix(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9fb21c651e98df25U;
    state_ ^= state_ >> 32U;
  }
  void add_byte(char byte) {
    tail_ |= std::uint64_t{static_cast<unsigned char>(byte)} << (8 * filled_);
    if (++filled_ < 8) return;
    mix(tail_);
    tail_ = 0;
    filled_ = 0;
  }
  std::uint64_t state_ = 0x736c75696365u;  // "sluice"
  std::uint64_t tail_ = 0;
  std::uint64_t length_ = 0;
  unsigned filled_ = 0;
};

}  // namespace sluice
