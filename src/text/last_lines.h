// The end of a text.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// So many lines; one that has no end counts as a line.
std::string_view last_lines(std::string_view text, std::uint32_t lines);

}  // namespace sluice
