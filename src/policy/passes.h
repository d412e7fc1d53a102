// How a pass is made: quickly, or plainly.
#pragma once

#include <cstdint>

namespace sluice {

// The plain pass is the reference: it reads every node, tries every time, looks at everybody and
// remembers nothing. Whatever makes passes quick must decide the same.
enum class Passes : std::uint8_t { kQuick, kPlain };

}  // namespace sluice
