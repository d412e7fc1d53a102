// Commit, replay and the checks on opening.
#include "host/journal/sqlite_journal.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "engine/codec.h"
#include "host/files/durable_file.h"
#include "host/files/folders.h"
#include "host/journal/history_table.h"
#include "host/journal/log_room.h"
#include "storage/sqlite.h"

namespace sluice {
namespace {

constexpr std::int64_t kApplicationId = 0x534c4345;  // "SLCE"
constexpr std::int64_t kFormat = 5;
// No client asks again for an answer that was lost so long ago.
constexpr Duration kAnswersKept = seconds(86'400);
// How many new answers between two looks for old ones.
constexpr std::size_t kForgetEvery = 1024;
// Of one user: more than a client that asks again can have sent meanwhile.
constexpr std::int64_t kMostAnswersOfOneUser = 50'000;

constexpr const char* kSubmissions =
    "CREATE TABLE submission(user TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL,"
    " answer TEXT NOT NULL, PRIMARY KEY(user, key)) WITHOUT ROWID;"
    "CREATE INDEX submission_by_time ON submission(at);";

constexpr const char* kSnapshot =
    "CREATE TABLE snapshot(batch INTEGER PRIMARY KEY, bytes BLOB NOT NULL);";

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Result<void> make_tables(SqliteDatabase& database) {
  TRY_VOID(database.execute("BEGIN IMMEDIATE"));
  const std::string tables = fmt::format(
      "CREATE TABLE batch(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
      "CREATE TABLE note(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
      "{} {} {} {} {} {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT",
      HistoryTable::schema(), HistoryTable::schema_since_1(), HistoryTable::schema_since_3(),
      HistoryTable::schema_since_4(), kSubmissions, kSnapshot, kApplicationId, kFormat);
  auto made = database.execute(tables.c_str());
  if (!made) sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  return made;
}

Result<void> bring_up_to_date(SqliteDatabase& database, std::int64_t from) {
  const std::string more =
      fmt::format("BEGIN IMMEDIATE; {} {} {} {} {} PRAGMA user_version = {}; COMMIT",
                  from < 2 ? HistoryTable::schema_since_1() : "", from < 2 ? kSubmissions : "",
                  from < 3 ? kSnapshot : "", from < 4 ? HistoryTable::schema_since_3() : "",
                  HistoryTable::schema_since_4(), kFormat);
  auto made = database.execute(more.c_str());
  if (!made) sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  return made;
}

// Reads before anything is written, so that a foreign, newer or damaged file stays as it is.
Result<void> check_format(SqliteDatabase& database) {
  TRY(const std::int64_t application, database.ask("PRAGMA application_id"));
  TRY(const std::int64_t format, database.ask("PRAGMA user_version"));
  TRY(const std::int64_t tables, database.ask("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && format == 0 && tables == 0) return {};  // New.
  if (application != kApplicationId) {
    return tl::unexpected(Error{ErrorKind::kBadInput, "this database is not a journal of sluice",
                                database.path(), "Move it away; nothing was changed."});
  }
  if (format > kFormat) {
    return tl::unexpected(
        Error{ErrorKind::kBadInput,
              fmt::format("a newer sluice wrote this journal (format {}; this one reads up to {})",
                          format, kFormat),
              database.path(), "Start the newer sluice; nothing was changed."});
  }
  return {};
}

// A full disk, a used-up quota, a file system that has gone away for a while.
bool lacks_room(const SqliteDatabase& database) {
  const int code = sqlite3_errcode(database.handle()) & 0xff;
  return code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_NOMEM ||
         code == SQLITE_CANTOPEN;
}

// A new one is made whole beside its place: a file of 0 bytes there has lost what it held.
Result<void> make_if_missing(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if (found.st_size > 0) return {};
    return tl::unexpected(
        Error{ErrorKind::kFailed, "the journal is empty (0 bytes): what it held is lost", path,
              "Nothing was changed. Restore a copy of the file, or move it away to start over."});
  }
  const std::string fresh = path + ".new";
  for (const char* end : {"", "-journal", "-wal", "-shm"}) ::unlink((fresh + end).c_str());
  {
    TRY(SqliteDatabase database, SqliteDatabase::open(fresh));
    TRY_VOID(database.execute("PRAGMA synchronous = FULL"));
    TRY_VOID(make_tables(database));
  }
  return rename_durably(fresh, path);
}

Error damaged(const SqliteDatabase& database, std::int64_t batch, const std::string& why) {
  return Error{ErrorKind::kFailed, fmt::format("batch {} is damaged: {}", batch, why),
               database.path(),
               "Nothing was changed. Restore a copy of the file, or move it away to start over."};
}

// A part that is damaged would be met when a run ends, and then again after every start: said at
// once. Of a file that is longer only what is read anyway is looked at: starting must not take
// long.
Result<void> check_pages(SqliteDatabase& database, const std::string& path) {
  constexpr std::uintmax_t kLongestChecked = std::uintmax_t{32} << 20;
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) > kLongestChecked || ignored) return {};
  TRY(SqliteStatement check, database.prepare("PRAGMA quick_check(1)"));
  TRY(const bool said, database.next(check));
  const std::string found(said ? check.bytes(0) : std::string_view());
  if (found == "ok") return {};
  return tl::unexpected(
      Error{ErrorKind::kFailed,
            fmt::format("cannot read it: the file is damaged ({})", found.substr(0, 200)), path,
            "Nothing was changed. Restore a copy of it, or move it away to start over."});
}

}  // namespace

struct SqliteJournal::Parts {
  explicit Parts(SqliteDatabase opened) : database(std::move(opened)), writer(bytes) {}

  SqliteDatabase database;
  std::optional<HistoryTable> history;
  SqliteStatement begin;
  SqliteStatement commit;
  SqliteStatement add_batch;
  SqliteStatement add_note;
  SqliteStatement remove_note;
  SqliteStatement add_answer;
  SqliteStatement find_answer;
  SqliteStatement forget_answers;
  SqliteStatement bound_answers;
  bool may_pass = false;                          // What kept the last commit from being written.
  std::size_t answers = 0;                        // Since old ones were looked for.
  std::map<std::string, std::size_t> answers_of;  // The same for each user's.
  std::uint64_t batches = 0;
  std::uint64_t batch_bytes = 0;
  std::uint64_t snapshot_bytes = 0;
  std::string bytes;
  JournalWriter writer;

  Result<void> run(SqliteStatement& statement) {
    const int step = statement.step();
    if (step != SQLITE_DONE) {
      auto error = database.error("write to");
      statement.reset();
      return error;
    }
    statement.reset();
    return {};
  }

  Result<void> write(std::span<const Event> events, std::span<const HistoryRow> ended,
                     std::span<const Note> notes, std::span<const KeptAnswer> submissions) {
    bytes.clear();
    for (const Event& event : events) writer.append(event);
    writer.end_batch();
    TRY_VOID(run(begin));
    if (!bytes.empty()) {
      add_batch.bind(1, static_cast<std::int64_t>(batches + 1)).bind_blob(2, bytes);
      TRY_VOID(run(add_batch));
    }
    for (const HistoryRow& row : ended) TRY_VOID(history->add(row));
    for (const Note& note : notes) {
      SqliteStatement& change = note.value.empty() ? remove_note : add_note;
      change.bind(1, note.name);
      if (!note.value.empty()) change.bind(2, note.value);
      TRY_VOID(run(change));
    }
    for (const KeptAnswer& it : submissions) {
      add_answer.bind(1, it.user).bind(2, it.key).bind(4, it.answer);
      add_answer.bind(3, it.at.time_since_epoch().count());
      TRY_VOID(run(add_answer));
      if (++answers_of[it.user] % kForgetEvery == 0) {
        bound_answers.bind(1, it.user).bind(2, kMostAnswersOfOneUser - 1);
        TRY_VOID(run(bound_answers));
      }
      if (answers++ % kForgetEvery != 0) continue;
      forget_answers.bind(1, (it.at - kAnswersKept).time_since_epoch().count());
      TRY_VOID(run(forget_answers));
    }
    TRY_VOID(run(commit));
    if (!bytes.empty()) ++batches;
    batch_bytes += bytes.size();
    return {};
  }

  // The work and nothing else, in one transaction.
  template <class Work>
  auto in_one(const Work& work) -> decltype(work()) {
    TRY_VOID(run(begin));
    auto done = work();
    if (done) {
      if (auto written = run(commit); !written) done = tl::unexpected(written.error());
    }
    if (!done && sqlite3_get_autocommit(database.handle()) == 0)
      sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    return done;
  }

  Result<void> replace_batches(std::string_view snapshot) {
    TRY_VOID(run(begin));
    TRY_VOID(database.execute("DELETE FROM snapshot"));
    TRY(SqliteStatement add, database.prepare("INSERT INTO snapshot VALUES(?, zeroblob(?))"));
    const auto row = static_cast<std::int64_t>(batches);
    add.bind(1, row).bind(2, static_cast<std::int64_t>(snapshot.size()));
    TRY_VOID(run(add));
    TRY_VOID(fill_snapshot(row, snapshot));
    TRY_VOID(database.execute("DELETE FROM batch"));
    return run(commit);
  }

  // Piece by piece: a value that is bound is copied whole into its row.
  Result<void> fill_snapshot(std::int64_t row, std::string_view snapshot) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    sqlite3_blob* open = nullptr;
    int result = sqlite3_blob_open(database.handle(), "main", "snapshot", "bytes", row, 1, &open);
    for (std::size_t at = 0; result == SQLITE_OK && at < snapshot.size(); at += kPiece) {
      const std::string_view piece = snapshot.substr(at, kPiece);
      result = sqlite3_blob_write(open, piece.data(), static_cast<int>(piece.size()),
                                  static_cast<int>(at));
    }
    if (result == SQLITE_OK) {
      result = sqlite3_blob_close(open);
    } else {
      auto error = database.error("write to");
      sqlite3_blob_close(open);
      return error;
    }
    if (result != SQLITE_OK) return database.error("write to");
    return {};
  }
};

SqliteJournal::SqliteJournal(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SqliteJournal::~SqliteJournal() = default;

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::open(const std::string& path) {
  const mode_t before = ::umask(077);
  auto made = make_if_missing(path);
  auto opened = made ? SqliteDatabase::open(path) : tl::unexpected(made.error());
  ::umask(before);
  if (!opened) return tl::unexpected(opened.error());
  auto parts = std::make_unique<Parts>(std::move(*opened));
  SqliteDatabase& database = parts->database;
  // Exclusive: a second daemon is refused, and SQLite needs no shared memory.
  TRY_VOID(database.execute("PRAGMA locking_mode = EXCLUSIVE"));
  TRY_VOID(check_format(database));
  const bool with_log = !is_on_network(folder_of(path));
  TRY_VOID(
      database.execute(with_log ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE"));
  TRY_VOID(database.execute("PRAGMA synchronous = FULL"));
  TRY(const std::int64_t format, database.ask("PRAGMA user_version"));
  if (format == 0) {
    TRY_VOID(make_tables(database));
  } else if (format < kFormat) {
    TRY_VOID(bring_up_to_date(database, format));
  } else {
    // Takes the lock now rather than at the first commit.
    TRY_VOID(database.execute("BEGIN IMMEDIATE; COMMIT"));
  }
  if (with_log) make_room_in_log(database);
  if (format != 0) TRY_VOID(check_pages(database, path));
  TRY(const std::int64_t last, database.ask("SELECT max(ifnull((SELECT max(id) FROM batch), 0),"
                                            " ifnull((SELECT max(batch) FROM snapshot), 0))"));
  parts->batches = static_cast<std::uint64_t>(last);
  TRY(const std::int64_t kept, database.ask("SELECT ifnull(sum(length(bytes)), 0) FROM batch"));
  parts->batch_bytes = static_cast<std::uint64_t>(kept);
  TRY(const std::int64_t snapshot,
      database.ask("SELECT ifnull(sum(length(bytes)), 0) FROM snapshot"));
  parts->snapshot_bytes = static_cast<std::uint64_t>(snapshot);
  TRY(HistoryTable history, HistoryTable::of(database));
  parts->history.emplace(std::move(history));
  TRY(parts->begin, database.prepare("BEGIN IMMEDIATE"));
  TRY(parts->commit, database.prepare("COMMIT"));
  TRY(parts->add_batch, database.prepare("INSERT INTO batch VALUES(?, ?)"));
  TRY(parts->add_note, database.prepare("INSERT OR REPLACE INTO note VALUES(?, ?)"));
  TRY(parts->remove_note, database.prepare("DELETE FROM note WHERE name = ?"));
  TRY(parts->add_answer, database.prepare("INSERT OR REPLACE INTO submission VALUES(?, ?, ?, ?)"));
  TRY(parts->find_answer,
      database.prepare("SELECT answer FROM submission WHERE user = ? AND key = ?"));
  TRY(parts->forget_answers, database.prepare("DELETE FROM submission WHERE at < ?"));
  TRY(parts->bound_answers,
      database.prepare("DELETE FROM submission WHERE user = ?1 AND at < (SELECT at FROM submission"
                       " WHERE user = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2)"));
  return std::unique_ptr<SqliteJournal>(new SqliteJournal(std::move(parts)));
}

Result<void> SqliteJournal::commit(std::span<const Event> events, std::span<const HistoryRow> ended,
                                   std::span<const Note> notes,
                                   std::span<const KeptAnswer> submissions) {
  if (events.empty() && ended.empty() && notes.empty() && submissions.empty()) return {};
  auto written = parts_->write(events, ended, notes, submissions);
  if (!written) parts_->may_pass = lacks_room(parts_->database);
  if (!written && sqlite3_get_autocommit(parts_->database.handle()) == 0) {
    sqlite3_exec(parts_->database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  if (!written) parts_->history->forget_words();
  return written;
}

Result<std::optional<std::string>> SqliteJournal::snapshot() {
  TRY(SqliteStatement found, parts_->database.prepare("SELECT bytes FROM snapshot"));
  const int step = found.step();
  if (step == SQLITE_ROW) return std::optional<std::string>(found.bytes(0));
  if (step == SQLITE_DONE) return std::optional<std::string>();
  return parts_->database.error("read");
}

Result<void> SqliteJournal::compact(std::string_view snapshot) {
  auto done = parts_->replace_batches(snapshot);
  if (!done && sqlite3_get_autocommit(parts_->database.handle()) == 0)
    sqlite3_exec(parts_->database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  if (!done) return done;
  parts_->batch_bytes = 0;
  parts_->snapshot_bytes = snapshot.size();
  return {};
}

Result<void> SqliteJournal::replay(const std::function<void(const Event&)>& visit) {
  SqliteDatabase& database = parts_->database;
  TRY(SqliteStatement rows, database.prepare("SELECT id, bytes FROM batch ORDER BY id"));
  TRY(std::int64_t expected, database.ask("SELECT ifnull(max(batch), 0) + 1 FROM snapshot"));
  std::vector<Event> events;
  int step = SQLITE_DONE;
  while ((step = rows.step()) == SQLITE_ROW) {
    const std::int64_t id = rows.number(0);
    if (id != expected) {
      return tl::unexpected(damaged(database, expected, "it is missing"));
    }
    ++expected;
    const std::string_view bytes = rows.bytes(1);
    JournalReader reader = JournalReader::of_batches(bytes);
    auto found = reader.next(events);
    if (!found) return tl::unexpected(damaged(database, id, found.error().what));
    if (!*found || reader.offset() != bytes.size()) {
      return tl::unexpected(damaged(database, id, "it is cut off or holds more than one turn"));
    }
    for (const Event& event : events) visit(event);
  }
  if (step != SQLITE_DONE) {
    auto error = database.error("read");
    error.value().what += fmt::format(" (at batch {})", expected);
    return error;
  }
  return {};
}

bool SqliteJournal::trouble_may_pass() const { return parts_->may_pass; }

std::uint64_t SqliteJournal::batches() const { return parts_->batches; }
std::uint64_t SqliteJournal::batch_bytes() const { return parts_->batch_bytes; }
std::uint64_t SqliteJournal::snapshot_bytes() const { return parts_->snapshot_bytes; }

Result<std::optional<std::string>> SqliteJournal::note(std::string_view name) {
  TRY(SqliteStatement found, parts_->database.prepare("SELECT value FROM note WHERE name = ?"));
  const int step = found.bind(1, name).step();
  if (step == SQLITE_ROW) return std::optional<std::string>(found.bytes(0));
  if (step == SQLITE_DONE) return std::optional<std::string>();
  return parts_->database.error("read");
}

Result<std::vector<Note>> SqliteJournal::notes(std::string_view beginning) {
  TRY(SqliteStatement found, parts_->database.prepare("SELECT name, value FROM note"
                                                      " WHERE substr(name, 1, ?) = ?"));
  found.bind(1, static_cast<std::int64_t>(beginning.size())).bind(2, beginning);
  std::vector<Note> out;
  int step = SQLITE_DONE;
  while ((step = found.step()) == SQLITE_ROW)
    out.push_back({std::string(found.bytes(0)), std::string(found.bytes(1))});
  if (step != SQLITE_DONE) return parts_->database.error("read");
  return out;
}

Result<std::optional<std::string>> SqliteJournal::answer(std::string_view user,
                                                         std::string_view key) {
  SqliteStatement& found = parts_->find_answer;
  const int step = found.bind(1, user).bind(2, key).step();
  std::optional<std::string> out;
  if (step == SQLITE_ROW) out = std::string(found.bytes(0));
  found.reset();
  if (step != SQLITE_ROW && step != SQLITE_DONE) return parts_->database.error("read");
  return out;
}

Result<std::vector<HistoryRow>> SqliteJournal::history(const HistoryQuery& query) {
  return parts_->history->find(query);
}

Result<void> SqliteJournal::for_each_output(const std::function<void(const UsersOutput&)>& visit) {
  return parts_->history->for_each_output(visit);
}

Result<HistoryPart> SqliteJournal::history_part(const HistoryQuery& query,
                                                std::optional<HistoryPlace> before) {
  return parts_->history->find_part(query, before);
}

Result<HistoryForgotten> SqliteJournal::forget_before(Instant before) {
  return parts_->in_one([&] { return parts_->history->forget_before(before); });
}

Result<UsersForgotten> SqliteJournal::forget_of(const std::string& user,
                                                std::optional<HistoryPlace> place,
                                                std::size_t most) {
  return parts_->in_one([&] { return parts_->history->forget_of(user, place, most); });
}

Result<std::vector<UsersHistory>> SqliteJournal::history_of_users() {
  return parts_->history->of_users();
}

Result<std::uint64_t> SqliteJournal::first_segment() { return parts_->history->first_segment(); }

}  // namespace sluice
