// SQLite's handles as values, and its errors as sentences that name the file.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace sluice {

class SqliteDatabase;

// One prepared statement. Values are always bound, never pasted into the text.
class SqliteStatement {
 public:
  SqliteStatement() = default;
  SqliteStatement(SqliteStatement&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  SqliteStatement& operator=(SqliteStatement&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~SqliteStatement() { sqlite3_finalize(handle_); }

  // Parameters count from 1; a text or blob must live until the step is done.
  SqliteStatement& bind(int parameter, std::int64_t value);
  SqliteStatement& bind(int parameter, std::string_view text);
  SqliteStatement& bind_blob(int parameter, std::string_view bytes);

  // SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return sqlite3_step(handle_); }
  void reset() { sqlite3_reset(handle_); }
  // Columns count from 0; what they point to lives until the next step.
  std::int64_t number(int column) const { return sqlite3_column_int64(handle_, column); }
  std::string_view bytes(int column) const;

 private:
  friend class SqliteDatabase;
  sqlite3_stmt* handle_ = nullptr;
};

class SqliteDatabase {
 public:
  SqliteDatabase() = default;
  SqliteDatabase(SqliteDatabase&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}
  SqliteDatabase& operator=(SqliteDatabase&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~SqliteDatabase() { sqlite3_close(handle_); }

  static Result<SqliteDatabase> open(const std::string& path);
  const std::string& path() const { return path_; }

  Result<void> execute(const char* statements);
  Result<SqliteStatement> prepare(std::string_view text);
  // Whether there is another row. An error (a busy file, a bad disk) is not the end of the rows.
  Result<bool> next(SqliteStatement& rows) const;
  // The one number that a query answers with.
  Result<std::int64_t> ask(const char* query);
  // What went wrong last, as a person reads it: the file, the cause, what to do.
  tl::unexpected<Error> error(std::string_view doing) const;
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
  std::string path_;
};

}  // namespace sluice
