// Any text as constraints: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/constraint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto constraint = parse_constraint(text)) {
    CHECK(constraint->text == text);
    for (const auto& all : constraint->any_of) CHECK(!all.empty());
  }
  return 0;
}
