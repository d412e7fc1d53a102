// The time the engine lives in, and what people's clocks show at that time.
//
// Engine time passes as CLOCK_BOOTTIME does: setting the wall clock changes nothing about limits,
// begin times and usage. It is that clock plus an offset, which is in the journal beside the name
// of the boot it belongs to. The first offset makes engine time the wall's. After a reboot it is
// found again from the wall clock, the only one that went on; but time never runs backwards.
//
// How far the wall clock is ahead of engine time is the other number in that note: zero until it is
// set. Whatever people read or write is engine time plus that. See docs/decisions/0009.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace sluice {

class EngineClock {
 public:
  // Names of notes in the journal.
  static constexpr std::string_view kNote = "clock";

  // The three clocks of the machine; others for tests.
  struct Machine {
    std::function<Instant()> boot_time;
    std::function<Instant()> wall_time;
    std::string boot;
  };
  EngineClock();
  explicit EngineClock(Machine machine);

  // Before anything else: what the journal noted, if it did, and the time of its last event.
  void begin(const std::optional<std::string>& note, Instant last);

  // Never less than before.
  Instant now() const;
  // When the machine had been up for so long.
  Instant at(Instant boot_time) const { return boot_time + offset_; }
  // What to add to engine time for people's clocks, and to take off what they say.
  Duration wall_ahead() const;

  // For the journal, where it differs from what is there; once for each change.
  std::optional<std::string> take_note();
  // It could not be written there.
  void forget_note() { noted_.clear(); }

 private:
  Machine machine_;
  Duration offset_{0};
  mutable Duration ahead_{0};
  std::string noted_;
};

}  // namespace sluice
