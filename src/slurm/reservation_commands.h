// scontrol's commands for reservations, and what it says when it refuses them.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "model/reservation.h"

namespace sluice {

// Times are those of the request plus `origin`.
std::vector<std::string> create_arguments(const ReservationRequest& request, Duration origin);
std::vector<std::string> update_arguments(const std::string& name, const ReservationChange& change,
                                          Duration origin);

// Of what `scontrol --oneliner show reservation` printed.
std::vector<std::string> reservation_names(const std::string& printed);

// "Error creating the reservation: Requested nodes are busy": what stands behind the last colon.
std::string said_of_reservation(const std::string& standard_error);

}  // namespace sluice
