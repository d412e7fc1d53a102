// The history's rows in the journal's file.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/journal/history.h"
#include "storage/sqlite.h"

namespace sluice {

class HistoryTable {
 public:
  static const char* schema();
  // What format 2 has more than format 1.
  static const char* schema_since_1();
  // What format 4 has more than format 3.
  static const char* schema_since_3();
  // What format 5 has more than format 4.
  static const char* schema_since_4();
  static Result<HistoryTable> of(SqliteDatabase& database);

  // Inside the caller's transaction. The same run again replaces its row.
  Result<void> add(const HistoryRow& row);
  // What a row takes: itself, and its texts as if no other row had the same.
  static std::uint64_t size_of(const HistoryRow& row);
  // What add() remembered of a transaction that was rolled back is void.
  void forget_words() { words_.clear(); }
  Result<std::vector<HistoryRow>> find(const HistoryQuery& query);
  // The same, the latest first, a part at a time: whatever is asked, at most some thousand rows are
  // looked at. `most` bounds a part only.
  Result<HistoryPart> find_part(const HistoryQuery& query, std::optional<HistoryPlace> before);
  // Whose output is kept.
  Result<void> for_each_output(const std::function<void(const UsersOutput&)>& visit);
  // Rows of runs that ended before this, the oldest first and not too many at once; inside the
  // caller's transaction.
  Result<HistoryForgotten> forget_before(Instant before);
  // How much each user has.
  Result<std::vector<UsersHistory>> of_users();
  // That user's among the next rows after `place`, the oldest first: `most` are looked at. Inside
  // the caller's transaction.
  Result<UsersForgotten> forget_of(const std::string& user, std::optional<HistoryPlace> place,
                                   std::size_t most);
  // The first segment of captured output that a row still names.
  Result<std::uint64_t> first_segment();

 private:
  explicit HistoryTable(SqliteDatabase& database) : database_(&database) {}
  struct Range {
    std::optional<HistoryPlace> before;  // Older than this,
    std::optional<HistoryPlace> from;    // not older than this.
  };
  Result<std::vector<HistoryRow>> find(const HistoryQuery& query, const Range* range);
  Result<bool> are_few(const HistoryQuery& query);
  // Names repeat for every task of an array: each is stored once.
  Result<std::int64_t> word(std::string_view text);

  SqliteDatabase* database_;
  SqliteStatement insert_;
  SqliteStatement find_word_;
  SqliteStatement add_word_;
  std::map<std::string, std::int64_t, std::less<>> words_;
};

}  // namespace sluice
