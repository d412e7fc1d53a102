// Any text as a trace in the standard workload format: jobs or a mistake with its line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "sim/workloads/swf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto workload = parse_swf(text, "fuzz.swf");
  if (!workload) CHECK(!workload.error().what.empty());
  if (workload) CHECK(parse_swf(write_swf(*workload), "written.swf").has_value());
  parse_swf_waits(text, "fuzz.swf");
  return 0;
}
