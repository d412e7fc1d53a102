// Any text as durations: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/duration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto limit = parse_duration(text)) {
    CHECK(parse_duration(format_time_limit(*limit)) == *limit);
    CHECK(parse_job_time_limit(text).has_value());
  }
  if (const auto limit = parse_friendly_duration(text); limit && !limit->unlimited())
    CHECK(parse_friendly_duration(format_friendly_duration(*limit->duration)) == *limit);
  return 0;
}
