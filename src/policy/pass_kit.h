// What the passes of one engine share.
#pragma once

#include "policy/forecast.h"
#include "policy/job_gates.h"
#include "policy/pass_room.h"
#include "policy/passes.h"
#include "policy/policy_traits.h"
#include "policy/shortcuts.h"
#include "policy/topology.h"

namespace sluice {

struct PassKit {
  explicit PassKit(Passes passes)
      : shortcuts(passes, traits),
        gates(topology, traits, shortcuts),
        room(passes, topology, traits),
        forecast(passes) {}
  PassKit(const PassKit&) = delete;
  PassKit& operator=(const PassKit&) = delete;

  // To be called when a policy comes into force.
  void adopt(const Policy& policy) {
    topology = Topology(policy);
    traits = PolicyTraits(policy);
    shortcuts.adopt(policy);
    room.adopt();
  }

  Topology topology;
  PolicyTraits traits;
  Shortcuts shortcuts;
  JobGates gates;
  PassRoom room;
  Forecast forecast;
};

}  // namespace sluice
