// Any text as GPU requests: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/gpus.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto requests = parse_gres(text))
    CHECK(parse_gres(format_tres_per(*requests, GpusPer::kNode)) == *requests);
  if (const auto requests = parse_gpus(text, GpusPer::kTask); requests && !requests->empty())
    CHECK(parse_gpus(format_gpus(*requests, GpusPer::kTask), GpusPer::kTask) == *requests);
  return 0;
}
