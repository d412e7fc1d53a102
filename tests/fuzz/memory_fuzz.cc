// Any text as memory sizes: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto mb = parse_printed_memory_mb(text))
    CHECK(parse_printed_memory_mb(format_memory_mb(*mb)) == *mb);
  if (const auto mb = parse_memory_mb(text)) CHECK(parse_printed_memory_mb(text) == *mb);
  parse_requested_memory(text);
  return 0;
}
