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
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      return bad_input(fmt::format("{} is not KEY=VALUE", sluice::quoted(word)),
                       "write start=now duration=2h nodes=n1 users=ann");
    const std::string key = to_lower(std::string_view(word).substr(0, equals));
    const std::string value = word.substr(equals + 1);
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
