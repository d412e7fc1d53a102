// Who keeps a job from running.
#pragma once

#include <cstdint>

namespace sluice {

enum class SuspendedBy : std::uint8_t { kUser, kPreemption, kGang };
enum class HeldBy : std::uint8_t {
  kNobody,
  kUser,
  kAdmin,
  kReservationGone,  // The reservation it waited for is over.
};

}  // namespace sluice
