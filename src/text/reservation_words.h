// Reservations as scontrol, stories and policy files write them: start=now+10minutes nodes=n[1-2].
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/reservation.h"

namespace sluice {

// A time, or so long after the reservation is made.
struct ReservationMoment {
  std::optional<Instant> at;
  std::optional<Duration> after;
};
using ReadMoment = std::function<Result<ReservationMoment>(std::string_view)>;

// "KEY=VALUE" in its parts.
struct ReservationSetting {
  std::string_view key;
  std::string_view value;
};
Result<ReservationSetting> split_reservation_setting(std::string_view word);

// One KEY=VALUE; keys in any spelling of scontrol's: starttime, endtime, duration, nodes, nodecnt,
// partition, features, users, accounts, flags.
Result<void> read_reservation_word(std::string_view key, std::string_view value,
                                   const ReadMoment& read_moment, ReservationRequest& out);
// The same of what can be changed.
Result<void> read_reservation_change(std::string_view key, std::string_view value,
                                     const ReadMoment& read_moment, ReservationChange& out);

// "now", "now+2h", "2026-11-18T06:00:00Z", "2026-11-18T06:00+01:00": what needs no clock to read.
Result<ReservationMoment> parse_reservation_time(std::string_view text);
std::string format_reservation_time(const std::optional<Instant>& at,
                                    const std::optional<Duration>& after);

// "MAINT", "DAILY": its flags and how it repeats, as scontrol names them.
std::vector<std::string> flag_words(const ReservationFlags& flags, ReservationRepeat repeat);
// One of them into the request.
Result<void> read_reservation_flag(std::string_view word, ReservationRequest& out);

}  // namespace sluice
