// How much of the history the runs of each user may take.
//
// One user's runs push out nobody else's: where one has more than its part, its own oldest go. Root
// and the user who runs the daemon are not bounded. What others have is counted when the daemon
// starts, and goes on with every row.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/journal/sqlite_journal.h"

namespace sluice {

class HistoryRooms {
 public:
  explicit HistoryRooms(std::string own_user);

  Result<void> count(SqliteJournal& journal);
  void ended(const HistoryRow& row);
  void forgotten(const UsersHistory& gone);

  // Removes some of a user's oldest rows, where one has too much: it looks at a thousand rows, and
  // remembers how far it came. Nothing where nobody has.
  struct Removed {
    std::string user;
    UsersForgotten gone;
    bool is_enough = false;  // That user has room again.
  };
  Result<std::optional<Removed>> make_room(SqliteJournal& journal);

 private:
  struct Taken {
    std::uint64_t bytes = 0;
    std::optional<HistoryPlace> looked_to;  // No older row is this user's.
  };
  bool is_bounded(const std::string& user) const { return user != "root" && user != own_user_; }

  std::string own_user_;
  std::uint64_t most_;
  std::map<std::string, Taken> taken_;
  std::optional<std::string> over_;  // Whose rows are being removed.
};

}  // namespace sluice
