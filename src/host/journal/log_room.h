// Room on the disk for SQLite's write-ahead log, taken before it is needed.
#pragma once

#include "storage/sqlite.h"

namespace sluice {

// Frames that SQLite gathers before it moves them into the database, and one commit on top.
constexpr std::int64_t kLogFrames = 1024;

// A commit that makes a file longer must sync the file's new length too, which takes a file system
// twice as long as the bytes alone. So the log is as long from the start as it gets: zeros, which a
// replay of the log takes for its end. Where there is no log, or no room, everything stays as it
// is.
void make_room_in_log(const SqliteDatabase& database);

}  // namespace sluice
