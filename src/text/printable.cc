#include "text/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace sluice {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// How many bytes of the text are one character; 0: they are not UTF-8.
std::size_t length_at(std::string_view text, std::size_t i, std::uint32_t& character) {
  const unsigned first = byte_at(text, i);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || i + length > text.size()) return 0;
  if (length == 1) {
    character = first;
    return 1;
  }
  character = first & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xC0U) != 0x80) return 0;
    character = (character << 6U) | (byte_at(text, i + k) & 0x3FU);
  }
  // Longer than need be, or half of a pair.
  if ((length == 3 && (character < 0x800 || (character >= 0xD800 && character < 0xE000))) ||
      (length == 4 && (character < 0x10000 || character > 0x10FFFF)))
    return 0;
  return length;
}

bool is_dangerous(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200E && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string safe(std::string_view text, std::string_view kept) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::uint32_t character = 0;
    std::size_t length = length_at(text, i, character);
    const bool stays =
        length != 0 &&
        (!is_dangerous(character) || (length == 1 && kept.find(text[i]) != std::string_view::npos));
    if (length == 0) length = 1;
    for (std::size_t k = i; k < i + length; ++k) {
      if (stays)
        out += text[k];
      else
        out += fmt::format("\\x{:02x}", byte_at(text, k));
    }
    i += length;
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return safe(text, {}); }
std::string printable_lines(std::string_view text) { return safe(text, "\n"); }

}  // namespace sluice
