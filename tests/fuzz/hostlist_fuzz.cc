// Any text as hostlists: read or refused, and what was read is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/hostlist.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Lists that multiply out to thousands of names say nothing new.
  if (size > 200) return 0;
  if (auto hosts = expand_hostlist(text)) {
    CHECK(expand_hostlist(compress_hostlist(*hosts)) == *hosts);
    sort_hosts(*hosts);
    CHECK(expand_hostlist(compress_hostlist(*hosts)) == *hosts);
  }
  return 0;
}
