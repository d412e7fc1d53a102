// Any text as licenses, signals, node counts, states and exports: read or refused, and what was
// read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/export_mode.h"
#include "text/job_states.h"
#include "text/licenses.h"
#include "text/node_count.h"
#include "text/signal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto list = parse_licenses(text)) {
    auto expected = *list;
    if (expected.licenses.size() < 2) expected.any = false;
    CHECK(parse_licenses(format_licenses(*list)) == expected);
  }
  if (const auto option = parse_signal_option(text))
    CHECK(parse_signal_option(format_signal_option(*option)) == *option);
  if (const auto count = parse_node_count(text))
    CHECK(parse_node_count(format_node_count(*count)) == *count);
  parse_job_states(text);
  if (const auto mode = parse_export(text)) exported(*mode, {});
  return 0;
}
