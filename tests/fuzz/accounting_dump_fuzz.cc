// Any text as a file that sacct wrote: jobs, or a mistake with its line.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "slurm/accounting_dump.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)is_accounting_dump(text);
  std::uint32_t bad = 0;
  const auto go_on = [&](std::uint32_t line, const std::string& what) -> Result<void> {
    CHECK(line > 0 && !what.empty());
    ++bad;
    return {};
  };
  const auto records = parse_accounting_dump(text, "fuzz.txt", go_on);
  if (!records) CHECK(!records.error().what.empty());
  return 0;
}
