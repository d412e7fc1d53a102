// What a simulation looks like over time: averages of short steps, and what jobs wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "engine/engine.h"
#include "model/allocation.h"
#include "sim/reports/wait_causes.h"

namespace sluice {

// Averages over steps of equal length from `begin` on.
struct Timeline {
  Instant begin;
  Duration step{0};
  Duration last_step{0};        // The last may be shorter.
  std::vector<double> pending;  // Jobs.
  std::vector<double> running;  // Jobs.
  std::vector<double> cpus;     // Held by running jobs, like the next two.
  std::vector<double> gpus;
  std::vector<double> memory_mb;
  // For the accounts and users that are told apart: the CPUs they hold, and jobs that wait.
  std::vector<std::vector<double>> account_cpus;
  std::vector<std::vector<double>> account_pending;
  std::vector<std::vector<double>> user_cpus;
  std::vector<std::vector<double>> user_pending;

  // Of one of these series, over all of the time.
  double mean_of(const std::vector<double>& series) const;
};

// Places among the accounts and users that are told apart, counted from 1; 0: one of the others.
struct Observed {
  std::uint32_t account = 0;
  std::uint32_t user = 0;
};

// One run on the node where it began, for a chart.
struct RunBar {
  std::uint32_t item = 0;
  std::uint32_t node = 0;
  std::uint32_t nodes = 1;
  Instant start;
  Instant end = Instant::max();
};

// Told of every change, it keeps no more than a few hundred steps, however long the simulation is:
// when they are used up, two become one.
class Observer {
 public:
  Observer(std::size_t accounts, std::size_t users);

  void begin(Instant now);
  // Everything stays as it is up to `now`. Looks at the queue when a step begins.
  void advance(Instant now, const Engine& engine);
  void waits(std::int64_t jobs, Observed of);
  // `sign` is 1 where a run begins to hold these and -1 where it ends.
  void holds(const Allocation& allocation, Observed of, int sign);

  Timeline timeline(Instant end) const;
  const WaitCausesFound& causes(Instant end) {
    causes_.settle(end);
    return causes_.found();
  }

 private:
  enum Series : std::size_t { kPending, kRunning, kCpus, kGpus, kMemory, kApart };
  void coarsen();
  // Two series for each that is told apart: CPUs, then jobs that wait.
  std::size_t of_account(std::uint32_t place) const { return kApart + 2 * (place - 1); }
  std::size_t of_user(std::uint32_t place) const { return kApart + 2 * (accounts_ + place - 1); }

  std::size_t accounts_;
  std::size_t users_;
  std::size_t width_;
  std::vector<double> current_;
  std::vector<double> sums_;  // Value times milliseconds; width_ for each step.
  Instant begin_{};
  Instant last_{};
  Instant next_look_{};
  Instant looked_at_{};
  int looks_there_ = 0;
  Duration step_ = minutes(1);
  WaitCauses causes_;
};

}  // namespace sluice
