// A text that lies in the table it belongs to.
//
// A table of string_views is a table of addresses: the loader copies its pages and adjusts them
// before every command, needed or not. This one is read where it is in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice {

template <std::size_t kMost>
class ShortText {
 public:
  constexpr ShortText() = default;
  // From a literal; one that is too long does not compile.
  template <std::size_t kSize>
  constexpr ShortText(const char (&text)[kSize]) : size_(kSize - 1) {
    static_assert(kSize - 1 <= kMost && kMost < 256);
    for (std::size_t i = 0; i + 1 < kSize; ++i) bytes_[i] = text[i];
  }
  constexpr std::string_view view() const { return {bytes_, size_}; }
  constexpr operator std::string_view() const { return view(); }
  constexpr bool empty() const { return size_ == 0; }

 private:
  char bytes_[kMost] = {};
  std::uint8_t size_ = 0;
};

}  // namespace sluice
