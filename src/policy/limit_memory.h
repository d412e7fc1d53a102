// Which waiting requests the limits let through, as long as nothing they count has changed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/queue_entry.h"
#include "state/state.h"

namespace sluice {

// For limits that count what is held, not for those that go by time: nobody's books change by that.
class LimitMemory {
 public:
  // To be called when a policy comes into force.
  void adopt(const Policy& policy);

  // What was noted of the request, where it is still so.
  std::optional<bool> recall(const State& state, const QueueEntry& entry, SpecId spec,
                             const Shape& shape) const;
  void note(const State& state, const QueueEntry& entry, SpecId spec, bool passes);

 private:
  bool holds_since(const State& state, const QueueEntry& entry, const Shape& shape,
                   std::uint64_t then) const;

  struct Noted {
    SpecId spec;  // None: nothing was.
    bool passes = false;
    Duration limit{0};
    std::uint64_t changes = 0;  // Of holdings, by then.
  };
  std::vector<Noted> by_request_;  // By row of the waiting requests.
  // Where all that run in it are counted together.
  std::vector<std::uint8_t> counts_qos_;
  std::vector<std::uint8_t> counts_assoc_;
};

}  // namespace sluice
