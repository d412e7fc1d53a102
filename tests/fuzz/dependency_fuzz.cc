// Any text as dependencies: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/dependency.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto dependencies = parse_dependencies(text)) {
    auto expected = *dependencies;
    // Between no two terms there is no separator to remember.
    if (expected.terms.size() < 2) expected.any = false;
    CHECK(parse_dependencies(format_dependencies(*dependencies)) == expected);
  }
  return 0;
}
