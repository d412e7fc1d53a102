// Reservations as rows.
#include "views/reservation_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "text/hostlist.h"
#include "text/reservation_words.h"

namespace sluice {

std::vector<ReservationLine> reservation_lines(const State& state, Instant now) {
  std::vector<ReservationLine> out;
  for (const KeptReservation& kept : state.reservations()) {
    const Reservation& told = kept.told;
    ReservationLine& line = out.emplace_back();
    line.name = told.name;
    line.start = kept.from(now);
    line.end = told.flags.time_float ? line.start + (told.end - told.start) : told.end;
    line.state = line.start <= now && now < line.end ? "ACTIVE" : "INACTIVE";
    line.nodes = compress_hostlist(told.nodes);
    line.node_count = static_cast<std::int64_t>(kept.nodes.size());
    for (const NodeId node : kept.nodes) line.cpus += state.nodes()[node.index()].cpus;
    line.partition = told.partition;
    line.users = fmt::format("{}", fmt::join(told.users, ","));
    line.accounts = fmt::format("{}", fmt::join(told.accounts, ","));
    line.flags = fmt::format("{}", fmt::join(flag_words(told.flags, told.repeat), ","));
  }
  return out;
}

}  // namespace sluice
