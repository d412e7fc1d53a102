#include "text/leading_number.h"

#include "text/scan.h"

namespace sluice {

std::int64_t leading_number(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && end < 15 && is_digit(text[end])) ++end;
  const std::int64_t number = whole_number(text.substr(0, end)).value_or(0);
  return negative ? -number : number;
}

}  // namespace sluice
