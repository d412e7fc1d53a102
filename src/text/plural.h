// Numbers of things as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

std::string count_text(std::uint64_t value);                     // "96,911"
std::string plural(std::uint64_t value, std::string_view noun);  // "1 job", "3,000 jobs"

}  // namespace sluice
