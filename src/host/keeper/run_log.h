// What a keeper writes down of its runs, so that their ends outlive it.
//
// A file of frames as on the keeper's socket, each followed by the checksum of its bytes. Written
// without waiting for the disk: it is for a keeper that was killed, not for a machine that lost its
// power, on which every run is gone anyway. What is damaged ends the list.
//
// Before a process is made, its run is written down; then the process's number; when it has ended,
// its exit status, before it is waited for: at every moment either this file or the kernel knows
// how it ended, and a process that inherits it can ask the kernel (host/keeper/warden.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "host/keeper/keeper_protocol.h"

namespace sluice {

// The first note of a file.
struct LogBegins {
  std::string boot;
};
struct RunBegins {
  RunKey run;
  std::optional<RunKey> after;  // Whose place it takes.
  Instant at;                   // Since the machine was started.
};
struct RunHasProcess {
  RunKey run;
  std::int32_t pid = 0;
};
// The first process of a run, by its number.
struct ProcessEnded {
  std::int32_t pid = 0;
  std::int32_t status = 0;  // As wait4 has it.
  Duration cpu_time{0};
  std::int64_t max_rss_kb = 0;
  Instant at;
  Instant started{};  // Both since the machine was started; known where the warden notes it.
};
// Its end is in the journal.
struct RunSettled {
  RunKey run;
};

using RunNote =
    std::variant<LogBegins, RunBegins, RunHasProcess, ProcessEnded, RunIsOver, RunSettled>;

// What the notes come to.
struct RunsLeft {
  std::vector<RunIsOver> over;   // Ended, and not yet in the journal.
  std::vector<RunIsUp> unknown;  // Began, and how they ended is not known.
};
RunsLeft runs_left(std::span<const RunNote> notes, const std::string& boot);

class RunLog {
 public:
  // The notes that are there. Never an error: without the file nothing is known.
  static std::vector<RunNote> read(const std::string& path);

  RunLog() = default;
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;
  ~RunLog();

  // Goes on with the notes that are there; for the warden.
  Result<void> open(const std::string& path);
  // Begins anew with these.
  Result<void> begin(const std::string& path, std::span<const RunNote> notes);

  // In the file when this returns, if it can be written at all; what cannot is kept and written
  // with the next note.
  void write(const RunNote& note);
  // With the next write() or flush().
  void add(const RunNote& note);
  void flush();
  // Whether there are so many notes that begin() should forget those of settled runs.
  bool is_long() const { return size_ > most_; }

 private:
  std::string path_;
  int file_ = -1;
  std::string unwritten_;
  std::uint64_t size_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace sluice
