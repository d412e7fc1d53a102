// Reservations come, change and go.
#include <algorithm>

#include "state/fold.h"

namespace sluice {

const KeptReservation* State::find_reservation(std::string_view name) const {
  const auto found =
      std::find_if(reservations_.begin(), reservations_.end(),
                   [&](const KeptReservation& kept) { return kept.told.name == name; });
  return found == reservations_.end() ? nullptr : &*found;
}

void StateFold::number_nodes(KeptReservation& reservation) const {
  const Policy& policy = *s_.policy_;
  reservation.nodes.clear();
  reservation.has_node.assign(policy.nodes.size(), 0);
  for (const std::string& name : reservation.told.nodes)
    if (const auto node = policy.find_node(name)) {
      reservation.nodes.push_back(*node);
      reservation.has_node[node->index()] = 1;
    }
}

void StateFold::operator()(const ReservationMade& event) {
  const auto known = std::find_if(
      s_.reservations_.begin(), s_.reservations_.end(),
      [&](const KeptReservation& kept) { return kept.told.name == event.reservation.name; });
  KeptReservation& kept =
      known == s_.reservations_.end() ? s_.reservations_.emplace_back() : *known;
  kept.told = event.reservation;
  number_nodes(kept);
}

void StateFold::operator()(const ReservationRemoved& event) {
  std::erase_if(s_.reservations_,
                [&](const KeptReservation& kept) { return kept.told.name == event.name; });
}

}  // namespace sluice
