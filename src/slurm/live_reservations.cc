// Times are seconds since the epoch, as all commands are asked to print them.
#include "slurm/live_reservations.h"

#include "slurm/records.h"
#include "slurm/table.h"
#include "text/hostlist.h"
#include "text/reservation_words.h"
#include "text/scan.h"

namespace sluice {

std::vector<KeptNodes> read_reservations(std::string_view text, const Policy& policy) {
  std::vector<KeptNodes> out;
  for (const Record& record : records_of(text, "ReservationName=")) {
    const auto start = printed_time(record.get("StartTime"));
    const auto end = printed_time(record.get("EndTime"));
    const auto names = expand_hostlist(record.given("Nodes"));
    if (!start || !end || !names) continue;  // One of licenses alone keeps no nodes.
    KeptNodes kept;
    kept.reservation = record.get("ReservationName");
    kept.start = *start;
    kept.end = *end;
    kept.users = record.given("Users");
    kept.accounts = record.given("Accounts");
    kept.flags = record.given("Flags");
    for (const std::string_view user : split(kept.users, ','))
      if (!user.empty()) kept.terms.users.emplace_back(user);
    for (const std::string_view account : split(kept.accounts, ','))
      if (!account.empty()) kept.terms.accounts.emplace_back(account);
    ReservationRequest known;
    // A flag that has no name here changes nothing about who may use the nodes.
    for (const std::string_view flag : split(kept.flags, ','))
      static_cast<void>(read_reservation_flag(flag, known));
    kept.terms.flags = known.flags;
    std::int64_t cores = 0;
    for (const std::string& name : *names)
      if (const auto node = policy.find_node(name)) {
        kept.nodes.push_back(*node);
        const Node& there = policy.nodes[node->index()];
        cores += there.cpus / there.threads_per_core;
      }
    if (kept.nodes.empty()) continue;
    // Some cores of each node: the others are free for all.
    const auto count = whole_number<std::int64_t>(record.get("CoreCnt"));
    if (count && *count < cores) {
      const auto nodes = std::ssize(kept.nodes);
      const std::int32_t threads = policy.nodes[kept.nodes.front().index()].threads_per_core;
      kept.cpus = static_cast<std::int32_t>((*count + nodes - 1) / nodes) * threads;
    }
    out.push_back(std::move(kept));
  }
  return out;
}

}  // namespace sluice
