// SQLite's result codes turned into what a person can do about them.
#include "storage/sqlite.h"

#include <fmt/format.h>

#include <cstring>

namespace sluice {

SqliteStatement& SqliteStatement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(handle_, parameter, value);
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(handle_, parameter, text.data() ? text.data() : "", text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

SqliteStatement& SqliteStatement::bind_blob(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(handle_, parameter, bytes.data() ? bytes.data() : "", bytes.size(),
                      SQLITE_STATIC);
  return *this;
}

std::string_view SqliteStatement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  return data ? std::string_view(data, static_cast<std::size_t>(size)) : std::string_view();
}

Result<SqliteDatabase> SqliteDatabase::open(const std::string& path) {
  SqliteDatabase database;
  database.path_ = path;
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (sqlite3_open_v2(path.c_str(), &database.handle_, flags, nullptr) != SQLITE_OK) {
    return database.error("open");
  }
  return database;
}

Result<void> SqliteDatabase::execute(const char* statements) {
  if (sqlite3_exec(handle_, statements, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return error("use");
  }
  return {};
}

Result<SqliteStatement> SqliteDatabase::prepare(std::string_view text) {
  SqliteStatement statement;
  if (sqlite3_prepare_v3(handle_, text.data(), static_cast<int>(text.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement.handle_, nullptr) != SQLITE_OK) {
    return error("read");
  }
  return statement;
}

Result<bool> SqliteDatabase::next(SqliteStatement& rows) const {
  const int step = rows.step();
  if (step != SQLITE_ROW && step != SQLITE_DONE) return error("read");
  return step == SQLITE_ROW;
}

Result<std::int64_t> SqliteDatabase::ask(const char* query) {
  TRY(SqliteStatement statement, prepare(query));
  if (statement.step() != SQLITE_ROW) return error("read");
  return statement.number(0);
}

tl::unexpected<Error> SqliteDatabase::error(std::string_view doing) const {
  const int code = handle_ ? sqlite3_extended_errcode(handle_) : SQLITE_NOMEM;
  const int system = handle_ ? sqlite3_system_errno(handle_) : 0;
  std::string why = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
  std::string hint;
  ErrorKind kind = ErrorKind::kFailed;
  switch (code & 0xff) {
    case SQLITE_FULL:
      why = "the disk is full, or the quota is used up";
      hint = "Make room there, then start again; what was saved before is untouched.";
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      why = "the file or its folder may not be written to";
      hint = "Make both writable, or set SLUICE_HOME to another folder.";
      break;
    case SQLITE_CANTOPEN:
      if (system != 0) why = std::strerror(system);
      hint = "The folder must exist and be writable.";
      break;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      why = "the file is damaged (" + why + ")";
      hint = "Nothing was changed. Restore a copy of it, or move it away to start over.";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      why = "another process is using it";
      hint = "Only one daemon may write a journal: end the other one first.";
      kind = ErrorKind::kNoCapacity;
      break;
    case SQLITE_IOERR:
      if (system != 0) why = std::strerror(system);
      hint = "What was saved before is untouched.";
      break;
    default:
      break;
  }
  return tl::unexpected(Error{kind, fmt::format("cannot {} it: {}", doing, why), path_, hint});
}

}  // namespace sluice
