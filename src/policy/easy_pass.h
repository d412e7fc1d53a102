// EASY backfill: one reservation, for the first that waits.
#pragma once

#include "policy/conservative.h"
#include "policy/flat_easy.h"
#include "policy/pass.h"

namespace sluice {

// In order of the queue. Only the first that waits has a reservation, and others may overtake it
// where it starts no later for that.
class EasyPass final : public Pass {
 public:
  explicit EasyPass(PassKit& kit) : Pass(kit) {}

  void run(const PassInput& input);

 private:
  FlatEasy flat_;
};

// Every job that waits has a place, on one node that is nothing but CPUs; elsewhere as EASY.
class ConservativePass final : public Pass {
 public:
  explicit ConservativePass(PassKit& kit) : Pass(kit), easy_(kit) {}

  void run(const PassInput& input) {
    if (!kit_.traits.only_cpus || !input.queue.only_cpus()) return easy_.run(input);
    plan_.pass(input.state, input.queue, input.now, input.since != SincePass::kSubmissions,
               input.out);
  }

 private:
  EasyPass easy_;
  ConservativePlan plan_;
};

}  // namespace sluice
