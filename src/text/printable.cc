#include "text/printable.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/program_output.h"

namespace sluice {
namespace {

std::string safe(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(length, 1));
    const bool stays = length != 0 && (!acts_on_terminals(utf8_character(bytes)) ||
                                       kept.find(bytes.front()) != std::string_view::npos);
    if (stays)
      out += bytes;
    else
      for (const char c : bytes)
        out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    text.remove_prefix(bytes.size());
  }
  return out;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond Unicode.
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

char32_t utf8_character(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (bytes.size() == 1) return byte(0);
  // 0xC0, 0xE0 and 0xF0 mark two, three and four bytes.
  char32_t out = byte(0) & (0xFFU >> (bytes.size() + 1));
  for (std::size_t i = 1; i < bytes.size(); ++i) out = (out << 6U) | (byte(i) & 0x3FU);
  return out;
}

bool acts_on_terminals(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) ||  // Control characters.
         c == 0x061C || (c >= 0x200B && c <= 0x200F && c != 0x200C && c != 0x200D) ||
         (c >= 0x2028 && c <= 0x202E) ||  // Separators of lines; embeddings and overrides.
         (c >= 0x2060 && c <= 0x206F) ||  // Isolates, and what is not seen.
         c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

std::string printable(std::string_view text) { return safe(text, {}); }
std::string printable_lines(std::string_view text) { return safe(text, "\n"); }

std::string printable_output(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\n\t");
    out += printable(text.substr(0, end));
    if (end == std::string_view::npos) break;
    out += text[end];
    text.remove_prefix(end + 1);
  }
  return out;
}

std::size_t whole_characters(std::string_view text) {
  constexpr std::size_t kLongestCharacter = 4;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t back = 1; back < kLongestCharacter && back <= text.size(); ++back) {
    const unsigned first = byte(text.size() - back);
    if (first < 0x80) return text.size();
    if (first < 0xC0) continue;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

}  // namespace sluice
