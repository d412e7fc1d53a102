#include "host/journal/log_room.h"

#include <algorithm>
#include <vector>

namespace sluice {
namespace {

// A page of SQLite's usual size with its header, and the log's own.
constexpr std::int64_t kLogBytes = 32 + kLogFrames * (4096 + 24);

}  // namespace

void make_room_in_log(const SqliteDatabase& database) {
  sqlite3_file* log = nullptr;
  if (sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) !=
          SQLITE_OK ||
      log == nullptr || log->pMethods == nullptr)
    return;
  sqlite3_int64 length = 0;
  if (log->pMethods->xFileSize(log, &length) != SQLITE_OK) return;
  static const std::vector<char> zeros(64 << 10);
  for (sqlite3_int64 at = length; at < kLogBytes;) {
    const auto piece =
        std::min<sqlite3_int64>(static_cast<sqlite3_int64>(zeros.size()), kLogBytes - at);
    if (log->pMethods->xWrite(log, zeros.data(), static_cast<int>(piece), at) != SQLITE_OK) {
      log->pMethods->xTruncate(log, length);
      return;
    }
    at += piece;
  }
}

}  // namespace sluice
