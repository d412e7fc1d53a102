#include "host/machine/engine_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "host/machine/clock.h"

namespace sluice {
namespace {

// Two clocks cannot be read at once; what differs by less was not set.
constexpr Duration kNotSet(500);

struct Noted {
  std::string boot;
  Duration offset{0};
  Duration ahead{0};
};

std::optional<Noted> read_note(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  Noted noted;
  std::int64_t offset = 0;
  std::int64_t ahead = 0;
  if (!(words >> noted.boot >> offset >> ahead)) return std::nullopt;
  noted.offset = Duration(offset);
  noted.ahead = Duration(ahead);
  return noted;
}

}  // namespace

EngineClock::EngineClock() : EngineClock(Machine{boot_time, wall_time, boot_id()}) {}
EngineClock::EngineClock(Machine machine) : machine_(std::move(machine)) {}

void EngineClock::begin(const std::optional<std::string>& note, Instant last) {
  const Instant boot = machine_.boot_time();
  const Instant wall = machine_.wall_time();
  const auto noted = read_note(note);
  noted_ = note.value_or("");
  ahead_ = noted ? noted->ahead : Duration(0);
  if (noted && noted->boot == machine_.boot)
    offset_ = noted->offset;
  else
    offset_ = wall - ahead_ - boot;
  // What is in the journal has happened.
  offset_ = std::max(offset_, last - boot);
}

Instant EngineClock::now() const { return at(machine_.boot_time()); }

Duration EngineClock::wall_ahead() const {
  const Duration ahead = machine_.wall_time() - now();
  if (std::chrono::abs(ahead - ahead_) > kNotSet) ahead_ = ahead;
  // A first offset is made from two looks at clocks too.
  if (std::chrono::abs(ahead_) <= kNotSet) ahead_ = Duration(0);
  return ahead_;
}

std::optional<std::string> EngineClock::take_note() {
  const Duration ahead = wall_ahead();
  std::string note = fmt::format("{} {} {}", machine_.boot.empty() ? "-" : machine_.boot,
                                 offset_.count(), ahead.count());
  if (note == noted_) return std::nullopt;
  noted_ = note;
  return note;
}

}  // namespace sluice
