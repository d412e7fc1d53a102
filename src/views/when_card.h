// When a job will start, how sure that is, and what would make it start sooner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "views/finish_card.h"

namespace sluice {

struct SoonerLine {
  std::string what;
  std::string command;
  Instant starts;
  Duration gains{0};  // Earlier than as it is.
};

// What a job starts with.
struct StartPlace {
  std::int64_t job = 0;  // The number that it has, or would get.
  std::string nodes;     // "n[1-2]"
  std::int64_t cpus = 0;
  std::string partition;
};

struct WhenCard {
  std::string schema = "sluice.when/1";
  std::string id;  // Empty: of a job that is not submitted.
  std::string name;
  std::string user;
  std::string state;  // Slurm's word; empty where it is not submitted.
  Instant asked;
  std::optional<Instant> submitted;
  std::optional<Instant> started;  // It runs already.
  std::optional<Instant> early;    // One of ten runs started it before,
  std::optional<Instant> likely;   // half of them,
  std::optional<Instant> late;     // nine of ten.
  std::optional<Instant> last_task;
  std::optional<Instant> ends;       // Likely.
  std::optional<Instant> by_limits;  // Where every job runs to its limit,
  std::optional<StartPlace> place;   // and what it starts with then.
  std::optional<Instant> planned;    // What the scheduler itself plans: squeue --start.
  std::int64_t tasks = 1;
  std::int64_t runs = 0;    // Simulated.
  std::int64_t learnt = 0;  // Earlier runs that the run times are from.
  std::string refused;      // It would not be taken.
  std::string never;        // Why it does not start by itself.
  std::vector<SoonerLine> sooner;
  std::vector<std::string> notes;
  std::optional<FinishCard> finish;  // Where the question was about pools that could take tasks.
};

// `clock` writes a time as the reader's clock shows it.
using ClockText = std::string (*)(Instant time, Instant now);
std::string when_text(const WhenCard& card, ClockText clock);

}  // namespace sluice
