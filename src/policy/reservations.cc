// The rules of slurmctld's create_resv and update_resv.
#include "policy/reservations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "policy/refusal.h"

namespace sluice {
namespace {

// slurmctld takes a year where no end was asked for.
constexpr Duration kLongest = std::chrono::hours(24 * 365);
// Those that repeat are compared for a week, as slurmctld does.
constexpr Duration kLookAhead = std::chrono::hours(24 * 7);

using Words = std::vector<std::string>;

// What can stand in a list, on a command line and on a line of scontrol's.
bool is_name(std::string_view name) {
  constexpr std::size_t kLongestName = 64;
  return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.' || c == '+' || c == ':';
         });
}

// Sums with these stay far from the end of time.
bool is_sensible(Instant time) {
  constexpr Instant kLast{std::chrono::hours(24 * 366 * 10'000LL)};
  return time >= Instant{} && time <= kLast;
}

bool is_exclusion(std::string_view name) { return name.starts_with('-'); }

// "ann,bob": one of them; "-ann": any other; nothing: any.
template <class Matches>
bool is_let_in(const Words& names, Matches matches) {
  if (names.empty()) return true;
  if (is_exclusion(names.front()))
    return std::none_of(names.begin(), names.end(), [&](const std::string& name) {
      return matches(std::string_view(name).substr(is_exclusion(name) ? 1 : 0));
    });
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches(std::string_view(name)); });
}

bool is_in_account(const Policy& policy, std::string_view account, std::string_view above) {
  for (auto id = policy.find_account(account); id;) {
    const Association& here = policy.associations[id->index()];
    if (here.account == above) return true;
    id = here.parent;
  }
  return account == above;
}

Refusal no(std::string_view message) { return refusal::of(message); }

// Names all with or all without a dash, and each of them known.
template <class Known>
std::optional<Refusal> check_names(const Words& names, Known known, std::string_view unknown) {
  for (const std::string& name : names) {
    if (is_exclusion(name) != is_exclusion(names.front())) return no(unknown);
    if (!known(std::string_view(name).substr(is_exclusion(name) ? 1 : 0))) return no(unknown);
  }
  return std::nullopt;
}

std::optional<Refusal> check_access(const Policy& policy, const Words& users,
                                    const Words& accounts) {
  if (users.empty() && accounts.empty())
    return no("Either Users/Groups and/or Accounts must be specified.  No reservation created.");
  // Where nobody keeps accounts everybody may be known.
  const bool any = !policy.enforce.associations;
  const auto known_user = [&](std::string_view name) {
    return any || name == "root" || policy.find_user(name).has_value();
  };
  if (auto refusal = check_names(users, known_user, "Invalid user id")) return refusal;
  return check_names(
      accounts, [&](std::string_view name) { return any || policy.find_account(name).has_value(); },
      refusal::kAccount);
}

bool overlaps(const Reservation& a, const Reservation& b) {
  const auto times = [](const Reservation& r) {
    const Duration period = period_of(r.repeat);
    std::vector<std::pair<Instant, Instant>> out{{r.start, r.end}};
    if (period <= Duration(0)) return out;
    for (Duration by = period; by <= kLookAhead; by += period)
      out.emplace_back(r.start + by, r.end + by);
    return out;
  };
  for (const auto& mine : times(a))
    for (const auto& other : times(b))
      if (mine.first < other.second && other.first < mine.second) return true;
  return false;
}

bool may_lie_over(const ReservationFlags& flags) { return flags.maint || flags.overlap; }

// Nodes that others have reserved at its time, and those on which jobs may still run then.
class Occupied {
 public:
  Occupied(const State& state, const Reservation& asked, Instant now, const BesidesThem& besides)
      : now_(now) {
    for (const KeptReservation& other : state.reservations())
      if (!besides.leaves_out(other.told.name)) note(asked, other.told);
    for (const Reservation& other : besides.added) note(asked, other);
    if (!state.has_policy()) return;
    state.for_each_job([&](const Job& job) {
      if (!holds_nodes(job.state)) return;
      const Run& run = state.run_of(job);
      // What runs in the reservation that it replaces is in nobody's way.
      const std::string& within = state.shape_of_job(job).request->reservation;
      if (run.expected_end <= asked.start || (!within.empty() && within == asked.name)) return;
      for (const NodeShare& share : run.allocation.shares())
        busy_.insert(state.policy().nodes[share.node.index()].name);
    });
  }
  bool is_reserved(const std::string& node) const { return reserved_.contains(node); }
  bool is_busy(const std::string& node) const { return busy_.contains(node); }

 private:
  // One that floats is as far ahead as ever.
  Reservation at_this_time(Reservation reservation) const {
    if (!reservation.flags.time_float) return reservation;
    const Duration length = reservation.end - reservation.start;
    reservation.start = now_ + reservation.ahead;
    reservation.end = reservation.start + length;
    return reservation;
  }
  void note(const Reservation& asked, const Reservation& other) {
    if (other.name == asked.name || may_lie_over(asked.flags) || may_lie_over(other.flags) ||
        !overlaps(at_this_time(asked), at_this_time(other)))
      return;
    reserved_.insert(other.nodes.begin(), other.nodes.end());
  }

  Instant now_;
  std::set<std::string> reserved_;
  std::set<std::string> busy_;
};

bool has_features(const Node& node, const Words& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& feature) {
    return std::find(node.features.begin(), node.features.end(), feature) != node.features.end();
  });
}

// Of the partition, those with the features, as slurmctld numbers them.
std::vector<std::string> nodes_to_choose(const Policy& policy, PartitionId id,
                                         const ReservationRequest& request) {
  std::vector<std::string> out;
  for (const NodeId node : policy.partitions[id.index()].nodes)
    if (has_features(policy.nodes[node.index()], request.features))
      out.push_back(policy.nodes[node.index()].name);
  return out;
}

std::variant<Words, Refusal> nodes_of(const State& state, const Policy& policy,
                                      const ReservationRequest& request, const Reservation& asked,
                                      Instant now, const BesidesThem& besides) {
  const Occupied occupied(state, asked, now, besides);
  Words out;
  if (request.node_count <= 0 || request.all_nodes || !request.nodes.empty()) {
    if (request.all_nodes)
      for (const Node& node : policy.nodes) out.push_back(node.name);
    else
      out = request.nodes;
    for (const std::string& name : out)
      if (!policy.find_node(name)) return no(refusal::kNodeName);
    for (const std::string& name : out)
      if (occupied.is_reserved(name))
        return no("Requested reservation overlaps with another reservation");
    if (!asked.flags.ignore_jobs)
      for (const std::string& name : out)
        if (occupied.is_busy(name)) return no("Requested nodes are busy");
    return out;
  }
  const auto partition = request.partition.empty() ? policy.default_partition()
                                                   : policy.find_partition(request.partition);
  if (!partition) return no(refusal::kPartition);
  const Words all = nodes_to_choose(policy, *partition, request);
  if (std::ssize(all) < request.node_count) return no(refusal::kNodeConfiguration);
  const auto wanted = static_cast<std::size_t>(request.node_count);
  for (const std::string& name : all)
    if (out.size() < wanted && !occupied.is_reserved(name) && !occupied.is_busy(name))
      out.push_back(name);
  if (asked.flags.ignore_jobs)
    for (const std::string& name : all)
      if (out.size() < wanted && !occupied.is_reserved(name) && occupied.is_busy(name))
        out.push_back(name);
  if (out.size() < wanted) return no("Requested nodes are busy");
  return out;
}

void put_in_order(const Policy& policy, Words& nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](const std::string& a, const std::string& b) {
    return *policy.find_node(a) < *policy.find_node(b);
  });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

bool may_use_reservation(const Policy& policy, const Reservation& reservation,
                         std::string_view user, std::string_view account) {
  if (reservation.flags.time_float) return false;
  return is_let_in(reservation.users, [&](std::string_view name) { return name == user; }) &&
         is_let_in(reservation.accounts,
                   [&](std::string_view name) { return is_in_account(policy, account, name); });
}

ReservationAnswer make_reservation(const State& state, const Policy& policy,
                                   const ReservationRequest& request, Instant now,
                                   const BesidesThem& besides) {
  if (policy.scheduler.type == SchedulerType::kEasy)
    return no("the scheduler easy does not support reservations; use backfill or builtin");
  if (!is_name(request.name))
    return no("a reservation's name has 1 to 64 letters, digits and _ - . + :, no dash first");
  for (const std::optional<Instant>& time : {request.start, request.end})
    if (time && !is_sensible(*time)) return no("Invalid time specified");
  Reservation out;
  out.name = request.name;
  out.partition = request.partition;
  out.users = request.users;
  out.accounts = request.accounts;
  out.repeat = request.repeat;
  out.flags = request.flags;
  const Duration later =
      std::clamp(request.start_in.value_or(Duration(0)), Duration(0), 10 * kLongest);
  out.start = request.start ? *request.start : now + later;
  if (!request.end && !request.duration)
    return no("An end time or duration must be given.  No reservation created.");
  out.end = request.duration ? out.start + std::min(*request.duration, kLongest) : *request.end;
  if (out.repeat != ReservationRepeat::kNever) out = advanced(std::move(out), now);
  if (out.end <= out.start || out.end <= now) return no("Invalid time specified");
  if (out.repeat != ReservationRepeat::kNever && out.end - out.start > period_of(out.repeat))
    return no("Invalid time specified");
  if (out.flags.time_float) out.ahead = std::max(Duration(0), out.start - now);
  if (auto refusal = check_access(policy, out.users, out.accounts)) return *refusal;
  if (state.find_reservation(out.name) != nullptr && !besides.leaves_out(out.name))
    return no("Duplicate reservation name");
  if (!request.all_nodes && request.nodes.empty() && request.node_count <= 0)
    return no(
        "CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be specified.  No "
        "reservation created.");
  auto nodes = nodes_of(state, policy, request, out, now, besides);
  if (auto* refusal = std::get_if<Refusal>(&nodes)) return std::move(*refusal);
  out.nodes = std::get<Words>(std::move(nodes));
  put_in_order(policy, out.nodes);
  return out;
}

ReservationAnswer change_reservation(const State& state, const Reservation& from,
                                     const ReservationChange& change, Instant now) {
  for (const std::optional<Instant>& time : {change.start, change.end})
    if (time && !is_sensible(*time)) return no("Invalid time specified");
  Reservation out = from;
  const Duration length = from.end - from.start;
  if (change.start) {
    // One that has begun keeps its start.
    if (from.start <= now && *change.start != from.start) return no("Invalid time specified");
    out.start = std::max(*change.start, now);
    out.end = change.end || change.duration ? out.end : out.start + length;
  }
  if (change.end) out.end = *change.end;
  if (change.duration) out.end = out.start + std::min(*change.duration, kLongest);
  if (out.flags.time_float) out.ahead = std::max(Duration(0), out.start - now);
  if (out.end <= out.start || out.end <= now) return no("Invalid time specified");
  if (change.users) out.users = *change.users;
  if (change.accounts) out.accounts = *change.accounts;
  if (auto refusal = check_access(state.policy(), out.users, out.accounts)) return *refusal;
  if (change.nodes || change.start || change.end || change.duration) {
    ReservationRequest request;
    request.nodes = change.nodes.value_or(from.nodes);
    auto nodes = nodes_of(state, state.policy(), request, out, now, {});
    if (auto* refusal = std::get_if<Refusal>(&nodes)) return std::move(*refusal);
    out.nodes = std::get<Words>(std::move(nodes));
    put_in_order(state.policy(), out.nodes);
  }
  return out;
}

Reservation advanced(Reservation reservation, Instant now) {
  const Duration period = period_of(reservation.repeat);
  if (period <= Duration(0) || reservation.end > now) return reservation;
  const auto steps = (now - reservation.end) / period + 1;
  reservation.start += period * steps;
  reservation.end += period * steps;
  return reservation;
}

}  // namespace sluice
