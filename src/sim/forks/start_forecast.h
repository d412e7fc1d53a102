// When a job will start: the cluster as it is runs ahead in virtual time, again and again with run
// times as they were before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"
#include "model/job_change.h"
#include "model/reason.h"
#include "sim/forks/learnt_run_times.h"
#include "sim/forks/start_run.h"
#include "state/snapshot.h"

namespace sluice {

// Work is counted in about microseconds (StartRun::work).
struct ForecastBounds {
  std::uint32_t runs = 20;        // With run times drawn; fewer where one takes long.
  std::uint32_t enough_runs = 3;  // But not fewer than these.
  std::uint64_t work = 600'000;   // Of all runs of one question, about.
  // Of one run, before it is tried in steps; more where there is no past and it is the answer.
  std::uint64_t exact_work = 50'000;
  std::uint64_t exact_answer_work = 300'000;
  std::uint64_t step_work = 1'000'000;  // Of one in steps, before the steps become longer.
  std::uint64_t seed = 1;
};

// One of ten starts before `early`, half before `likely`, nine of ten before `late`.
struct StartRange {
  Instant early;
  Instant likely;
  Instant late;
};

// Something that would make it start sooner.
struct Sooner {
  std::string what;
  JobChange change;
  StartRange start;
  Instant end;
};

struct StartForecast {
  std::optional<Refusal> refusal;      // It would not be taken.
  std::optional<Instant> running;      // It runs already, since then.
  bool ended = false;                  // Or has ended, or is not there.
  std::optional<StartRange> start;     // Of the first task, for an array.
  std::optional<Instant> last_start;   // Of the last task, likely.
  std::optional<Instant> end;          // Likely; of the last task.
  std::optional<Instant> by_limits;    // Where every job runs to its limit,
  std::optional<JobStarted> place;     // and how it starts then; of an array the first task.
  std::optional<Reason> never;         // Why it does not start by itself.
  std::optional<JobId> after_endless;  // No start is known: it waits for this job without limit.
  std::size_t tasks = 1;
  std::uint32_t runs = 0;
  std::uint64_t work = 0;
  Duration grain{0};       // The steps in which time moved; zero: event by event.
  bool cut_short = false;  // Where it starts so late that it was not found out.
  Duration limit{0};
  std::size_t own_runs = 0;  // Earlier runs of the same name that its own run time is from.
  std::vector<Sooner> sooner;
};

// Nothing else is submitted meanwhile.
StartForecast forecast_start(const StateSnapshot& from, Instant now, const StartQuestion& question,
                             const LearntRunTimes& learnt, const ForecastBounds& bounds = {});

}  // namespace sluice
