// Who may use a reservation, and what becomes of a request for one.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/reason.h"
#include "model/reservation.h"
#include "state/state.h"

namespace sluice {

// Whether jobs of this user and account may be submitted to it. Nobody's may to one that floats.
bool may_use_reservation(const Policy& policy, const Reservation& reservation,
                         std::string_view user, std::string_view account);

using ReservationAnswer = std::variant<Reservation, Refusal>;

// What the request comes to now: times, and the nodes that are taken. Refused with Slurm's words.
// `policy` is the one that will be in force; jobs and reservations are those of the state, and
// what will be changed about these.
struct BesidesThem {
  std::vector<std::string> removed;
  std::vector<Reservation> added;
  bool leaves_out(std::string_view name) const {
    return std::find(removed.begin(), removed.end(), name) != removed.end();
  }
};
ReservationAnswer make_reservation(const State& state, const Policy& policy,
                                   const ReservationRequest& request, Instant now,
                                   const BesidesThem& besides = {});
ReservationAnswer change_reservation(const State& state, const Reservation& from,
                                     const ReservationChange& change, Instant now);

// The same at the next time that has not passed, for one that repeats.
Reservation advanced(Reservation reservation, Instant now);

}  // namespace sluice
