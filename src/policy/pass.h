// What every pass does with a job: let it start here and now, or say what stops it.
#pragma once

#include <cstdint>

#include "policy/decisions.h"
#include "policy/pass_kit.h"
#include "policy/queue.h"

namespace sluice {

class Pass {
 public:
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

 protected:
  explicit Pass(PassKit& kit) : kit_(kit) {}
  ~Pass() = default;

  // Starts as many of the entry's tasks as may; what stopped the next one is in `why`.
  enum class Stop : std::uint8_t { kStarted, kGate, kNoRoom, kLimit };
  Stop start_now(const PassInput& input, const QueueEntry& entry, Reason& why);
  // A job before it keeps the partition, or its reservation, from it.
  virtual bool is_closed_to(const QueueEntry& /*entry*/, const Shape& /*shape*/) const {
    return false;
  }
  // The job, or the next task of the array, begins.
  void start(const PassInput& input, const QueueEntry& entry, const Allocation& allocation);
  static bool is_last_task(const State& state, const Job& job);
  // Whether others were told to leave for it, or it started in their place at once.
  bool push_out_for(const PassInput& input, const QueueEntry& entry, const Shape& shape);
  bool pushes_out_for_preferred(const PassInput& input, const QueueEntry& entry,
                                const Shape& shape);
  // bf_min_prio_reserve and bf_min_age_reserve.
  static bool may_reserve(const PassInput& input, const QueueEntry& entry, const Job& job);

  PassKit& kit_;
};

}  // namespace sluice
