// What is known of every run that ended, kept long after the engine forgot the job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/outcome.h"

namespace sluice {

struct HistoryRow {
  JobId job;
  std::uint32_t attempt = 0;  // 0: cancelled before it ever started.
  JobId array{};              // 0: not of an array.
  std::uint32_t task = 0;     // Of an array.
  std::string tasks;          // Those that were cancelled together before they started: "4-9".
  std::string name;
  std::string user;
  std::string account;
  std::string qos;
  std::string partition;
  std::string nodes;      // As a hostlist.
  std::string requested;  // TRES, as text: "cpu=1,mem=100M,node=1".
  std::string allocated;
  Instant submitted;
  Instant eligible;
  std::optional<Instant> started;
  Instant ended;
  Duration limit{0};
  bool requeued = false;  // Ran again after this.
  Outcome outcome;
  std::string folder;          // Where it ran, or "" where its output was captured.
  std::string stdout_pattern;  // As it was asked for.
  std::string stderr_pattern;
  std::string details;  // What else the accounts keep of the request, as the daemon writes it.
  std::string steps;    // And of its steps; "" where it had none.
  std::string output;   // Where its captured output lies, as the output store names it; or "".
  friend bool operator==(const HistoryRow&, const HistoryRow&) = default;
};

// Empty parts ask for nothing in particular.
struct HistoryQuery {
  std::vector<JobId> jobs;  // By number or by the number of the array.
  std::optional<std::uint32_t> task;
  std::string user;
  std::string account;
  std::optional<Instant> ended_since;
  std::optional<Instant> ended_before;
  std::vector<JobState> states;
  // With one job: only this run of it, not the rows of an array of that number.
  std::optional<std::uint32_t> attempt;
  std::size_t most = SIZE_MAX;  // The latest of them,
  bool any_order = false;       // or any of them: found at once, however many there are.
};

// A row's place in the order of ends.
struct HistoryPlace {
  std::int64_t ended = 0;
  std::int64_t job = 0;
  std::int64_t attempt = 0;
};

// Some of what a query finds. Where there may be more, it is older than `next`.
struct HistoryPart {
  std::vector<HistoryRow> rows;
  std::optional<HistoryPlace> next;
};

// Captured output, as the output store names it.
struct UsersOutput {
  std::string user;
  std::string token;
};

// How much of the history is one user's: its rows with all their texts.
struct UsersHistory {
  std::string user;
  std::uint64_t bytes = 0;
};

// What went of one user's rows among some that are older than `next`; absent: all were looked at.
struct UsersForgotten {
  std::size_t rows = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> outputs;
  std::optional<HistoryPlace> next;
};

// What went with old rows, and the first segment of captured output that a row still names.
struct HistoryForgotten {
  std::size_t rows = 0;
  bool more = false;  // There are others as old.
  std::vector<UsersOutput> outputs;
  std::vector<UsersHistory> of_users;
  std::optional<std::uint64_t> first_segment;
};

}  // namespace sluice
