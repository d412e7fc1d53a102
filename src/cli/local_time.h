// Times as the person's clock shows them.
#pragma once

#include <ctime>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "text/begin_time.h"

namespace sluice {

Instant now_here();
// In this machine's time zone.
std::tm local_parts(Instant time);
// Of this machine's time zone at that time.
UtcOffset local_offset(Instant time);
// What was typed for an option, as "7d" (ago) or "08:00"; a mistake names the option.
Result<Instant> time_or_age_of(const char* option, const std::string& text, Instant now);
// "12:04:05" today, else "Nov 15 12:04".
std::string local_time(Instant time, Instant now);
// "2026-11-15 12:04:05"
std::string full_local_time(Instant time);

}  // namespace sluice
