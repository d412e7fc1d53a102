// Any text as array specs: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/array_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto spec = parse_array_spec(text)) {
    CHECK(parse_array_spec(format_array_spec(*spec)) == *spec);
    CHECK(format_array_tasks(*spec).size() <= 80);
    std::size_t sum = 0;
    for (const ArraySpecPart& part : split_array_spec(*spec, 64)) {
      CHECK(part.text.size() <= 64);
      sum += part.indices.size();
    }
    CHECK(sum == spec->indices.size());
  }
  return 0;
}
