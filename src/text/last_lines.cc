#include "text/last_lines.h"

namespace sluice {

std::string_view last_lines(std::string_view text, std::uint32_t lines) {
  if (lines == 0) return {};
  std::size_t from = text.size();
  for (std::uint32_t found = 0; from > 0; --from)
    if (text[from - 1] == '\n' && from < text.size() && ++found >= lines) break;
  return text.substr(from);
}

}  // namespace sluice
