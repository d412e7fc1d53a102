// Any text as points in time: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/begin_time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Instant now = instant_at(seconds(1794734168));
  if (const auto time = parse_begin_time(text, now, UtcOffset{minutes(60)}))
    CHECK(parse_begin_time(format_time(*time), now) == *time);
  parse_printed_time(text);
  return 0;
}
