// Walks both names at once, a row of digits or a character at a time.
#include "policy/natural_order.h"

#include <cstddef>

namespace sluice {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view digits_at(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(from, end - from);
}

int compare_digits(std::string_view a, std::string_view b) {
  const bool as_fractions = a.front() == '0' || b.front() == '0';
  if (!as_fractions && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() && k < b.size()) {
    if (is_digit(a[i]) && is_digit(b[k])) {
      const std::string_view left = digits_at(a, i);
      const std::string_view right = digits_at(b, k);
      if (const int order = compare_digits(left, right); order != 0) return order < 0;
      i += left.size();
      k += right.size();
      continue;
    }
    if (a[i] != b[k]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[k]);
    ++i;
    ++k;
  }
  return i == a.size() && k < b.size();
}

}  // namespace sluice
