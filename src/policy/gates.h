// Every gate on a waiting job's way, with its numbers, and the one that stops it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/reason.h"
#include "state/state.h"

namespace sluice {

struct Gate {
  std::string name;    // Slurm's name of the limit: "GrpTRES gres/gpu", "MaxTime".
  std::string holder;  // "qos interactive", "account research", "user ann of research".
  std::int64_t limit = 0;
  std::int64_t used = 0;
  std::int64_t asked = 0;
  bool passed = true;
  Reason reason;  // What the job waits with where the gate is shut.
  friend bool operator==(const Gate&, const Gate&) = default;
};

// Association, QoS, partition, then each limit that is set, in the order in which they decide. The
// first that did not pass is what stops the job; those behind it are listed all the same. `tres`
// is what the job would hold (shape.asked where no nodes are known yet).
std::vector<Gate> gates_of(const State& state, const Shape& shape, PartitionId partition,
                           Duration limit, const TresVector& tres, Instant now);

// "qos interactive", "account research", "partition gpu"; "" where nobody holds it.
std::string holder_name(const Policy& policy, const Reason& reason);
// Slurm's name of the limit in sacctmgr and slurm.conf; "" for reasons that are no limits.
std::string limit_name(const Policy& policy, const Reason& reason);

}  // namespace sluice
