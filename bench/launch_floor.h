// The least that running many small programs can cost: no scheduler, no shell, no waiting.
#pragma once

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/check.h"

namespace sluice::bench {

// A function of its own: parent and child share their memory until the program runs.
template <class Prepare>
[[gnu::noinline]] pid_t start_true(int number, const Prepare& prepare) {
  static char name[] = "true";
  static char* arguments[] = {name, nullptr};
  static char* environment[] = {nullptr};
  const pid_t pid = ::vfork();
  if (pid == 0) {
    prepare(number);
    ::execve("/bin/true", arguments, environment);
    ::_exit(127);
  }
  return pid;
}

// Two at a time; `prepare` runs in the child before its program, `ended` in the parent after it.
template <class Prepare, class Ended>
void run_two_at_a_time(int count, Prepare prepare, Ended ended) {
  int running = 0;
  for (int started = 0; started < count || running > 0;) {
    if (started < count && running < 2) {
      CHECK(start_true(started, prepare) > 0);
      ++started;
      ++running;
      continue;
    }
    int status = 0;
    CHECK(::wait4(-1, &status, 0, nullptr) > 0 && status == 0);
    --running;
    ended();
  }
}

// Nothing is kept.
inline void bare_floor(int count) {
  run_two_at_a_time(
      count, [](int) {}, [] {});
}

// One output file a task, and one row a task in SQLite: durable, ten a transaction.
inline void file_and_row_floor(int count, const std::string& folder) {
  sqlite3* database = nullptr;
  CHECK(sqlite3_open((folder + "/floor.db").c_str(), &database) == SQLITE_OK);
  const auto execute = [&](const char* text) {
    CHECK(sqlite3_exec(database, text, nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  execute(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
      "CREATE TABLE result(id INTEGER PRIMARY KEY, exit INTEGER); BEGIN");
  sqlite3_stmt* insert = nullptr;
  CHECK(sqlite3_prepare_v2(database, "INSERT INTO result(exit) VALUES(0)", -1, &insert, nullptr) ==
        SQLITE_OK);
  int done = 0;
  run_two_at_a_time(
      count,
      [&](int number) {
        static char path[4096];
        std::snprintf(path, sizeof path, "%s/%d.out", folder.c_str(), number);
        const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        ::dup2(file, 1);
        ::dup2(file, 2);
      },
      [&] {
        CHECK(sqlite3_step(insert) == SQLITE_DONE);
        sqlite3_reset(insert);
        if (++done % 10 == 0) execute("COMMIT; BEGIN");
      });
  execute("COMMIT");
  sqlite3_finalize(insert);
  sqlite3_close(database);
}

}  // namespace sluice::bench
