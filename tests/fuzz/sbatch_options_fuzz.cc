// Any text as sbatch calls: a script, a NUL, arguments on a line each: read or refused, and what
// was read is written and read again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "text/batch_script.h"
#include "text/sbatch_options.h"
#include "text/scan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\0'), text.size());
  std::vector<std::string> arguments;
  if (end < text.size())
    for (std::string_view line : split(text.substr(end + 1), '\n')) arguments.emplace_back(line);
  const std::vector<EnvironmentVariable> environment{
      {"SBATCH_TIMELIMIT", std::string(text.substr(0, 9))}};
  const auto line = read_sbatch_arguments(arguments);
  if (!line) {
    CHECK(!line.error().what.empty());
    return 0;
  }
  for (const auto& variables : {std::vector<EnvironmentVariable>{}, environment}) {
    const auto made = make_sbatch_request(
        *line, text.substr(0, end), SbatchContext{variables, instant_at(seconds(1794734168)), {}});
    CHECK(made.has_value() || !made.error().what.empty());
  }
  read_directives(text, "fuzz.sh");
  return 0;
}
