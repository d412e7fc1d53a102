// CRC-32C (Castagnoli), the checksum of every batch of a journal.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace sluice {
namespace checksum_detail {

// table[k][b]: the remainder of byte b followed by k zero bytes.
consteval std::array<std::array<std::uint32_t, 256>, 8> make_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1) != 0 ? (value >> 1) ^ 0x82f63b78U : value >> 1;
    table[0][byte] = value;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      table[k][byte] = (table[k - 1][byte] >> 8) ^ table[0][table[k - 1][byte] & 0xff];
  return table;
}

inline constexpr auto kTables = make_tables();

// Eight bytes a step. The bytes are put together one by one, so that the order of bytes in the
// machine's words does not matter.
inline std::uint32_t crc32c_by_table(std::string_view bytes) {
  const auto& table = kTables;
  std::uint32_t crc = 0xffffffffU;
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    crc ^= static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8 |
           static_cast<std::uint32_t>(at[2]) << 16 | static_cast<std::uint32_t>(at[3]) << 24;
    crc = table[7][crc & 0xff] ^ table[6][(crc >> 8) & 0xff] ^ table[5][(crc >> 16) & 0xff] ^
          table[4][crc >> 24] ^ table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^
          table[0][at[7]];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ table[0][(crc ^ *at) & 0xff];
  return ~crc;
}

#ifdef __x86_64__
// Asked of the processor itself, once and only where it is needed: the compiler's own way asks a
// great deal when any program starts, and on a virtual machine every question costs microseconds.
inline bool has_instruction() {
  static const bool has = [] {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0;
  }();
  return has;
}

// The same by the instruction that most processors have for it.
[[gnu::target("sse4.2")]] inline std::uint32_t crc32c_by_instruction(std::string_view bytes) {
  std::uint64_t crc = 0xffffffffU;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++at)
    rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*at));
  return ~rest;
}
#endif

}  // namespace checksum_detail

inline std::uint32_t crc32c(std::string_view bytes) {
#ifdef __x86_64__
  if (checksum_detail::has_instruction()) return checksum_detail::crc32c_by_instruction(bytes);
#endif
  return checksum_detail::crc32c_by_table(bytes);
}

}  // namespace sluice
