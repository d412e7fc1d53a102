#include "daemon/history_rooms.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "host/journal/history_table.h"

namespace sluice {
namespace {

// About two million runs.
constexpr std::uint64_t kMostOfOneUser = std::uint64_t{1} << 30;
// Some milliseconds where all of them are removed.
constexpr std::size_t kRowsAtOnce = 1000;

}  // namespace

HistoryRooms::HistoryRooms(std::string own_user)
    : own_user_(std::move(own_user)), most_(kMostOfOneUser) {
  // Tests fill it sooner.
  if (const char* bytes = std::getenv("SLUICE_HISTORY_OF_ONE_USER"))
    most_ = std::strtoull(bytes, nullptr, 10);
}

Result<void> HistoryRooms::count(SqliteJournal& journal) {
  taken_.clear();
  TRY(const std::vector<UsersHistory> all, journal.history_of_users());
  for (const UsersHistory& each : all)
    if (is_bounded(each.user)) taken_[each.user].bytes = each.bytes;
  for (const auto& [user, taken] : taken_)
    if (taken.bytes > most_) over_ = user;
  return {};
}

void HistoryRooms::ended(const HistoryRow& row) {
  if (!is_bounded(row.user)) return;
  Taken& taken = taken_[row.user];
  taken.bytes += HistoryTable::size_of(row);
  if (!over_ && taken.bytes > most_) over_ = row.user;
}

void HistoryRooms::forgotten(const UsersHistory& gone) {
  const auto found = taken_.find(gone.user);
  if (found != taken_.end()) found->second.bytes -= std::min(found->second.bytes, gone.bytes);
}

Result<std::optional<HistoryRooms::Removed>> HistoryRooms::make_room(SqliteJournal& journal) {
  if (!over_) return std::nullopt;
  Taken& taken = taken_[*over_];
  Removed removed;
  removed.user = *over_;
  TRY(removed.gone, journal.forget_of(removed.user, taken.looked_to, kRowsAtOnce));
  taken.bytes -= std::min(taken.bytes, removed.gone.bytes);
  taken.looked_to = removed.gone.next;
  // Some more than has to go, so that this is not done again at once. Where all rows were looked at
  // there is nothing left to remove.
  removed.is_enough = taken.bytes <= most_ - most_ / 10 || !removed.gone.next;
  if (!removed.is_enough) return removed;
  over_.reset();
  for (const auto& [user, of_user] : taken_)
    if (user != removed.user && of_user.bytes > most_) over_ = user;
  return removed;
}

}  // namespace sluice
