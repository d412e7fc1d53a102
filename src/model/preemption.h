// Who may push out whom, and what then happens to the one pushed out.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace sluice {

enum class PreemptType : std::uint8_t { kNone, kQos, kPartitionPriority };
enum class PreemptMode : std::uint8_t { kOff, kCancel, kRequeue, kSuspend };

struct PreemptSettings {
  PreemptType type = PreemptType::kNone;
  PreemptMode mode = PreemptMode::kOff;
  bool gang = false;                  // PreemptMode=…,GANG
  Duration exempt_time{0};            // PreemptExemptTime
  Duration time_slice = seconds(30);  // SchedulerTimeSlice
  bool youngest_first = false;        // PreemptParameters=youngest_first
  bool reorder = true;                // preempt_reorder_count is 1 by default
  bool strict_order = false;
  friend bool operator==(const PreemptSettings&, const PreemptSettings&) = default;
};

}  // namespace sluice
