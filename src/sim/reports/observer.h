// What a simulation looks like over time: averages of short steps, and what jobs wait for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/engine.h"
#include "model/allocation.h"

namespace sluice {

// Averages over steps of equal length from `begin` on.
struct Timeline {
  Instant begin;
  Duration step{0};
  std::vector<double> pending;  // Jobs.
  std::vector<double> running;  // Jobs.
  std::vector<double> cpus;     // Held by running jobs, like the next two.
  std::vector<double> gpus;
  std::vector<double> memory_mb;
  // CPUs by account, for the accounts that were asked for; as Observer's `accounts`.
  std::vector<std::vector<double>> account_cpus;
};

// One run on the node where it began, for a chart.
struct RunBar {
  std::uint32_t item = 0;
  std::uint32_t node = 0;
  std::uint32_t nodes = 1;
  Instant start;
  Instant end = Instant::max();
};

// What jobs waited for: jobs times time, by Slurm's word.
using WaitReasons = std::map<std::string, double>;

// Told of every change, it keeps no more than a few hundred steps, however long the simulation is:
// when they are used up, two become one.
class Observer {
 public:
  explicit Observer(std::size_t accounts);

  void begin(Instant now);
  // Everything stays as it is up to `now`. Looks at the queue when a step begins.
  void advance(Instant now, const Engine& engine);
  void waits(std::int64_t jobs) { current_[kPending] += static_cast<double>(jobs); }
  // `sign` is 1 where a run begins to hold these and -1 where it ends; account: counted from 1 in
  // those that are kept, 0 for others.
  void holds(const Allocation& allocation, std::uint32_t account, int sign);

  Timeline timeline(Instant end) const;
  const WaitReasons& reasons() const { return reasons_; }

 private:
  enum Series : std::size_t { kPending, kRunning, kCpus, kGpus, kMemory, kAccounts };
  void coarsen();
  void look_at_queue(const Engine& engine, Instant now);

  std::size_t width_;
  std::vector<double> current_;
  std::vector<double> sums_;  // Value times milliseconds; width_ for each step.
  Instant begin_{};
  Instant last_{};
  Instant next_look_{};
  Duration step_ = minutes(1);
  WaitReasons reasons_;
};

}  // namespace sluice
