// What waiting jobs wait for, and which jobs hold it: from looks at the queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "engine/engine.h"

namespace sluice {

// The side that waits and the side that holds what is waited for: accounts, or users.
using WaitPair = std::pair<std::string, std::string>;

// Jobs times milliseconds.
struct WaitCausesFound {
  std::map<std::string, double> reasons;  // By Slurm's word, with whose limit it is.
  std::map<WaitPair, double> accounts;
  std::map<WaitPair, double> users;  // Empty where there are too many of them.
};

// Where a limit stops a job, those who fill that limit hold it up: all jobs of the QoS or account
// for a limit of the group, the user's or account's own for theirs. A job that has none of these in
// its way waits for nodes: those who run on the nodes of its partitions hold it up, in proportion
// to their GPUs where it wants some, else to their CPUs. Where nobody else holds anything it is
// held up by its own request.
class WaitCauses {
 public:
  // Each job that is looked at stands for its part of the queue, until the next look.
  void look(const Engine& engine, Instant now);
  // What was seen last holds up to `now`.
  void settle(Instant now);
  const WaitCausesFound& found() const { return found_; }

 private:
  // One run, with what it holds.
  struct Holding {
    const std::string* account = nullptr;
    const std::string* user = nullptr;
    AssocId assoc;
    bool has_assoc = false;
    std::optional<QosId> qos;
    std::optional<QosId> partition_qos;
    PartitionId partition;
    NodeId node;  // The first of them.
    double cpus = 0;
    double gpus = 0;
    double memory = 0;
  };
  struct Waiter;

  void read_holdings(const State& state);
  void blame(const State& state, const Waiter& waiter, double jobs);
  double held_for(const State& state, const Waiter& waiter, const Holding& holding) const;

  WaitCausesFound found_;
  WaitCausesFound seen_;  // At the last look: jobs.
  Instant seen_at_{};
  std::vector<Holding> holdings_;
  bool counts_users_ = true;
};

}  // namespace sluice
