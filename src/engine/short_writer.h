// Writes a few numbers into room that is known to suffice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/bytes.h"

namespace sluice {

// What a ByteWriter writes, without asking for every byte whether it still fits: the caller knows
// that no more than kRoom bytes will come. Most events of a journal are this short.
class ShortWriter {
 public:
  static constexpr std::size_t kRoom = 160;
  static constexpr std::size_t kLongestNumber = 10;

  ShortWriter() = default;
  ShortWriter(const ShortWriter&) = delete;
  ShortWriter& operator=(const ShortWriter&) = delete;

  void byte(std::uint8_t value) { room_[size_++] = static_cast<char>(value); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) room_[size_++] = static_cast<char>(value | 0x80);
    room_[size_++] = static_cast<char>(value);
  }
  void zigzag(std::int64_t value) { varint(to_zigzag(value)); }
  std::string_view view() const { return {room_, size_}; }

 private:
  std::size_t size_ = 0;
  char room_[kRoom];
};

}  // namespace sluice
