// Nodes that are kept for some users for some time, as Slurm's reservations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace sluice {

enum class ReservationRepeat : std::uint8_t { kNever, kHourly, kDaily, kWeekly };

struct ReservationFlags {
  bool maint = false;        // Maintenance: lies over other reservations, and keeps their jobs out.
  bool ignore_jobs = false;  // Is made although jobs run there beyond its start.
  bool overlap = false;      // May lie over other reservations.
  bool flex = false;         // Its jobs may start earlier, elsewhere, and run on after it.
  bool time_float = false;   // Stays ahead by the same time and so never begins.
  bool no_hold_after_end = false;  // Jobs that still wait at its end are not held.
  friend bool operator==(const ReservationFlags&, const ReservationFlags&) = default;
};

// As it is asked for, by a policy or by an operator.
struct ReservationRequest {
  std::string name;
  std::optional<Instant> start;  // Or so long after it is made; neither: at once.
  std::optional<Duration> start_in;
  std::optional<Instant> end;
  std::optional<Duration> duration;
  bool all_nodes = false;
  std::vector<std::string> nodes;
  std::int32_t node_count = 0;        // So many nodes, whichever are free then.
  std::string partition;              // Of these; empty: the default partition.
  std::vector<std::string> features;  // Of those that have all of them.
  std::vector<std::string> users;     // "-ann": all but ann.
  std::vector<std::string> accounts;  // With those below them; "-physics": all but these.
  ReservationRepeat repeat = ReservationRepeat::kNever;
  ReservationFlags flags;
  friend bool operator==(const ReservationRequest&, const ReservationRequest&) = default;
};

// As it is in force.
struct Reservation {
  std::string name;
  Instant start;  // The time it is in force now, or next.
  Instant end;
  Duration ahead{0};               // Of one that floats.
  std::vector<std::string> nodes;  // In the order of the policy.
  std::string partition;
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  ReservationRepeat repeat = ReservationRepeat::kNever;
  ReservationFlags flags;
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

// What is changed about one; absent parts stay as they are.
struct ReservationChange {
  std::optional<Instant> start;
  std::optional<Instant> end;
  std::optional<Duration> duration;
  std::optional<std::vector<std::string>> nodes;
  std::optional<std::vector<std::string>> users;
  std::optional<std::vector<std::string>> accounts;
};

constexpr Duration period_of(ReservationRepeat repeat) {
  switch (repeat) {
    case ReservationRepeat::kNever:
      break;
    case ReservationRepeat::kHourly:
      return std::chrono::hours(1);
    case ReservationRepeat::kDaily:
      return std::chrono::hours(24);
    case ReservationRepeat::kWeekly:
      return std::chrono::hours(24 * 7);
  }
  return Duration(0);
}

}  // namespace sluice
