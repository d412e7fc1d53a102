// Writes a few numbers into room that is known to suffice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/bytes.h"

namespace sluice {

// What a ByteWriter writes, without asking for every byte whether it still fits: the caller knows
// that no more than kRoom bytes will come. Most events of a journal are this short.
class ShortWriter {
 public:
  static constexpr std::size_t kRoom = 160;
  static constexpr std::size_t kLongestNumber = 10;

  // Where kRoom bytes may be written.
  explicit ShortWriter(char* room) : at_(room) {}
  ShortWriter(const ShortWriter&) = delete;
  ShortWriter& operator=(const ShortWriter&) = delete;

  void byte(std::uint8_t value) { *at_++ = static_cast<char>(value); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<char>(value | 0x80);
    *at_++ = static_cast<char>(value);
  }
  void zigzag(std::int64_t value) { varint(to_zigzag(value)); }
  char* end() const { return at_; }

 private:
  char* at_;
};

}  // namespace sluice
