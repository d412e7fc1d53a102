#include "cli/reservation_settings.h"

#include <fmt/format.h>

#include "cli/local_time.h"
#include "text/begin_time.h"
#include "text/reservation_words.h"
#include "text/scan.h"

namespace sluice {

Result<std::vector<std::string>> reservation_settings(std::span<const std::string> words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    TRY(const ReservationSetting setting, split_reservation_setting(word));
    const std::string key = to_lower(setting.key);
    const std::string value(setting.value);
    const bool is_time = key.starts_with("start") || key.starts_with("end");
    if (!is_time || parse_reservation_time(value)) {
      out.push_back(word);
      continue;
    }
    const Instant now = now_here();
    TRY(const Instant time, parse_begin_time(value, now, local_offset(now)));
    out.push_back(fmt::format("{}={}", key, format_reservation_time(time, std::nullopt)));
  }
  return out;
}

}  // namespace sluice
