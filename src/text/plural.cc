// Plain text: no locale, the same everywhere.
#include "text/plural.h"

#include <fmt/format.h>

namespace sluice {

std::string count_text(std::uint64_t value) {
  const std::string digits = fmt::to_string(value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string plural(std::uint64_t value, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(value), noun, value == 1 ? "" : "s");
}

}  // namespace sluice
