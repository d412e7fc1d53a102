// One run in the keeper's hands, from its launch until the daemon has written down its end.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "host/cages/cage.h"
#include "host/keeper/keeper_protocol.h"
#include "host/keeper/launching.h"
#include "host/machine/assignment.h"
#include "host/machine/spawn.h"

namespace sluice {

using SteadyTime = std::chrono::steady_clock::time_point;

enum class RunPhase : std::uint8_t {
  kProlog,    // The policy's prolog runs.
  kUp,        // Its first process runs.
  kClearing,  // That has ended; what is left of it is being killed.
  kEpilog,
  kOver,  // Waits for the daemon's acknowledgement.
};

struct RunLine;

struct HeldRun {
  Assignment assignment;  // Without script and environment once it is up.
  RunPhase phase = RunPhase::kProlog;
  std::unique_ptr<Cage> cage;            // Of its processes, or of the hook's.
  std::unique_ptr<Launching> launching;  // Until its first process runs its program.
  pid_t leader = 0;                      // Or the hook that runs.
  Instant started;                       // Both since the machine was started.
  Instant ended;                         // Its first process.
  std::optional<RunKey> after;           // Whose place it took.
  std::string script_path;
  SpawnFailure* failure = nullptr;  // In shared memory.
  int output = -1;                  // The reading end of the pipe that captures,
  int output_end = -1;              // and the writing end until its first process has it.
  bool watched = false;             // The loop knows of it.

  int status = 0;       // As wait4 has it.
  int hook_status = 0;  // Of the prolog or epilog that ran last.
  Duration cpu_time{0};
  std::int64_t max_rss_kb = 0;
  std::int64_t memory_kb = 0;  // When it was measured last.
  bool over_memory = false;    // Measured above its limit and killed for it.
  std::string why;

  std::optional<SteadyTime> kill_at;     // It was told to end.
  std::optional<SteadyTime> measure_at;  // Its memory is looked at next.
  std::optional<SteadyTime> check_at;    // Whether the rest of it is gone.
  std::optional<SteadyTime> hook_ends;
  std::optional<SteadyTime> gave_up;  // What cannot be killed is left alone from here on.
  Duration measure_every{0};
  bool paused = false;
  Instant paused_at;       // Since the machine was started.
  Duration paused_for{0};  // Before that: does not count against its time limit.
  bool hangs = false;      // It was waited for, and has not come to its program.

  std::shared_ptr<RunLine> line;
  std::optional<SteadyTime> return_at;  // When those in line go back.
  std::optional<SteadyTime> limit_at;   // Its time is over; only while no daemon looks after that.
  std::unique_ptr<HeldRun> successor;   // Has its place already.

  RunIsOver over;

  std::optional<SteadyTime> next_due() const {
    std::optional<SteadyTime> first;
    for (const auto& due : {kill_at, measure_at, check_at, hook_ends, return_at, limit_at}) {
      if (due && (!first || *due < *first)) first = due;
    }
    return first;
  }
};

// Those that will have a run's place after it, one after the other.
struct RunLine {
  // The first of them, with all that can be made ahead; its process is all that is missing.
  std::unique_ptr<HeldRun> ready;
  std::deque<LaunchRun> waiting;
  Duration within{0};      // No run waits in line for longer.
  std::size_t enough = 0;  // With fewer left the daemon should hear of it at once.
  bool open = true;        // False: runs that still come are returned.

  bool empty() const { return !ready && waiting.empty(); }
  std::size_t size() const { return waiting.size() + (ready ? 1 : 0); }
};

}  // namespace sluice
