// Where tasks would be finished first: the question, and what simulated runs of the cluster say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/job.h"

namespace sluice {

// One pool that could take tasks.
struct FinishPool {
  JobSpec request;              // One task as it is submitted there, without an array.
  std::optional<Duration> run;  // How long it takes there; nothing: learnt from earlier runs.
  std::int64_t most = 0;        // So many may be submitted.
};

struct FinishQuestion {
  std::vector<FinishPool> pools;
  std::int64_t tasks = 1;
  bool array = false;                    // One job is no array of one.
  std::optional<std::int64_t> throttle;  // So many at once, in all pools together.
  // What the slots that are free now would choose, pool by pool; empty: there are none.
  std::vector<std::int64_t> by_slots;
};

// If one pool took all of the tasks that it may.
struct FinishAlone {
  std::optional<Instant> done;  // Nothing: never, or too late to be simulated.
  std::string refused;
};

struct FinishCard {
  std::string schema = "sluice.finish/1";
  Instant asked;
  std::vector<std::int64_t> tasks;  // For each pool, as chosen; empty: nothing could be said.
  std::optional<Instant> done;      // When the last of them has ended, likely.
  std::optional<Instant> middle;    // When half of them have.
  std::optional<Instant> done_by_slots;
  std::vector<FinishAlone> alone;  // As the pools.
  std::int64_t tried = 0;          // Ways to share the tasks out.
  std::int64_t learnt = 0;         // Earlier runs that the run times are from.
  std::vector<std::string> notes;
};

// What the choice is worth, and when each pool would be done with all of them alone; `names` are
// those of the pools.
std::string finish_text(const FinishCard& card, const std::vector<std::string>& names);

}  // namespace sluice
