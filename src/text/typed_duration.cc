// "90" is minutes, as in sbatch; a unit says otherwise.
#include "text/typed_duration.h"

#include <fmt/format.h>

#include "text/duration.h"
#include "text/scan.h"

namespace sluice {
namespace {

Duration whole_seconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration);
}

}  // namespace

std::optional<Duration> duration_with_unit(std::string_view text) {
  if (text.empty() || !is_digit(text.front()) || is_digit(text.back())) return std::nullopt;
  const auto limit = parse_friendly_duration(text);
  return limit ? limit->duration : std::nullopt;
}

std::string plain_time_limit(std::string_view text) {
  const auto span = duration_with_unit(text);
  return span ? format_duration(whole_seconds(*span)) : std::string(text);
}

std::string plain_begin_time(std::string_view text) {
  std::string_view rest = text;
  if (starts_ignoring_case(rest, "now")) rest.remove_prefix(3);
  if (rest.starts_with('+')) rest.remove_prefix(1);
  const auto span = duration_with_unit(rest);
  return span ? fmt::format("now+{}", to_seconds(whole_seconds(*span))) : std::string(text);
}

}  // namespace sluice
