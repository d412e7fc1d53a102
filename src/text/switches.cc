#include "text/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "text/duration.h"
#include "text/scan.h"

namespace sluice {

Result<AskedSwitches> parse_switches(std::string_view text) {
  const std::size_t at = std::min(text.find('@'), text.size());
  const auto most = whole_number(text.substr(0, at));
  if (!most || *most < 1 || *most > std::numeric_limits<std::int32_t>::max())
    return bad_input(fmt::format("'{}' is not a number of switches", text),
                     "write 1, or 1@10:00 for one if it comes free within ten minutes");
  AskedSwitches out{static_cast<std::int32_t>(*most), {}};
  if (at == text.size()) return out;
  TRY(const TimeLimit wait, parse_duration(text.substr(at + 1)));
  out.wait = wait.duration;
  return out;
}

}  // namespace sluice
