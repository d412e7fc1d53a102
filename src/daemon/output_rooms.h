// How much captured output the runs of each user may still leave on the daemon's disk.
//
// Root and whoever runs the daemon are not bounded. What others have is counted from the history
// when the daemon starts, and goes on with every run that ends and every row that is forgotten.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/journal/sqlite_journal.h"

namespace sluice {

class OutputRooms {
 public:
  OutputRooms(std::string folder, std::string own_user);

  Result<void> count(SqliteJournal& journal);
  void ended(const std::string& user, const std::string& token);
  // Before the output itself is removed.
  void forgotten(const UsersOutput& output);
  // Bytes; nothing where the user is not bounded.
  std::optional<std::uint64_t> left(const std::string& user) const;

 private:
  bool is_bounded(const std::string& user) const { return user != "root" && user != own_user_; }

  std::string folder_;
  std::string own_user_;
  std::uint64_t most_;
  std::map<std::string, std::uint64_t> taken_;
};

}  // namespace sluice
