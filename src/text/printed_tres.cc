#include "text/printed_tres.h"

#include <algorithm>

#include "text/memory.h"
#include "text/scan.h"

namespace sluice {

std::int64_t printed_tres_amount(std::string_view list, std::string_view name) {
  for (const std::string_view item : split(list, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || item.substr(0, equals) != name) continue;
    const std::string_view amount = item.substr(equals + 1);
    if (name == "mem") return parse_printed_memory_mb(amount).value_or(0);
    const auto number = signed_number(amount);
    return number ? std::max<std::int64_t>(0, *number) : 0;
  }
  return 0;
}

}  // namespace sluice
