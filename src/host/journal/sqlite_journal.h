// The journal as an SQLite file: a row a turn, and the history of ended runs beside it.
//
// Durable when commit() returns: synchronous=FULL, with a write-ahead log on local disks and
// without one on network file systems. One process at a time: the file is locked while it is open.
//
//   batch    id (1, 2, 3, …) and one batch as engine/codec.h writes it, with its checksum
//   snapshot at most one row: the state that the batches up to its number led to; those are gone
//   note     small facts of the driver by name
//   history  one row a run that ended; texts are numbers into `word`
//   submission  what was answered to a submission with a key, for a day
//
// The file's application id says that it is ours, its user version is the format:
//   1  batch, note, word, history
//   2  history: where output went, tasks that share a row; submission: answers by key
//   3  snapshot
//   4  history: details of the request, steps
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/ports.h"
#include "host/journal/history.h"

namespace sluice {

struct Note {
  std::string name;
  std::string value;  // Empty: it is removed.
};

// The answer to a submission that has a key: a client that lost it may ask again.
struct KeptAnswer {
  std::string user;
  std::string key;
  Instant at;
  std::string answer;
};

class SqliteJournal final : public Journal {
 public:
  // Opens it, or makes it where there is none. An error leaves the file as it was.
  static Result<std::unique_ptr<SqliteJournal>> open(const std::string& path);
  ~SqliteJournal() override;

  // One transaction: all of it is there after a crash, or nothing.
  Result<void> commit(std::span<const Event> events) override { return commit(events, {}, {}); }
  Result<void> commit(std::span<const Event> events, std::span<const HistoryRow> ended,
                      std::span<const Note> notes = {},
                      std::span<const KeptAnswer> submissions = {});

  // After a commit that failed: whether the same may succeed later. Nothing of it was written.
  bool trouble_may_pass() const;

  // The state that the events of replay() begin with; nothing where they begin with the first.
  Result<std::optional<std::string>> snapshot();
  // Every event since, in order. An error names the batch; the visitor has seen what came before.
  Result<void> replay(const std::function<void(const Event&)>& visit);
  // This state instead of all batches so far: one transaction.
  Result<void> compact(std::string_view snapshot);

  std::uint64_t batches() const;
  // Bytes of batches that a replay would read, and of the snapshot before them.
  std::uint64_t batch_bytes() const;
  std::uint64_t snapshot_bytes() const;

  Result<std::optional<std::string>> note(std::string_view name);
  // Those whose names begin so.
  Result<std::vector<Note>> notes(std::string_view beginning);
  // What was answered to this user's submission of that key.
  Result<std::optional<std::string>> answer(std::string_view user, std::string_view key);

  // Forgets runs that ended before this, some thousands at a time: one transaction.
  Result<HistoryForgotten> forget_before(Instant before);
  // One user's, some at a time: see HistoryTable::forget_of.
  Result<UsersForgotten> forget_of(const std::string& user, std::optional<HistoryPlace> place,
                                   std::size_t most);
  Result<std::vector<UsersHistory>> history_of_users();
  Result<std::uint64_t> first_segment();
  // Latest end first.
  Result<std::vector<HistoryRow>> history(const HistoryQuery& query);
  Result<void> for_each_output(const std::function<void(const UsersOutput&)>& visit);
  // The same, some at a time: see HistoryTable::find_part.
  Result<HistoryPart> history_part(const HistoryQuery& query, std::optional<HistoryPlace> before);

 private:
  struct Parts;
  explicit SqliteJournal(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice
