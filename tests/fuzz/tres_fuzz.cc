// Any text as TRES lists: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/tres.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TresRegistry registry;
  registry.add("gres/gpu:a100").value();
  registry.add("license/x").value();
  if (const auto limits = parse_tres_limits(text, registry))
    CHECK(parse_tres_limits(format_tres_limits(*limits, registry), registry) == *limits);
  if (const auto amounts = parse_tres_amounts(text, registry))
    CHECK(parse_tres_amounts(format_tres(*amounts, registry), registry) == *amounts);
  return 0;
}
