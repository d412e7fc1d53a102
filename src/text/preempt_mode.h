// PreemptMode as Slurm writes it.
#pragma once

#include <string_view>

#include "model/preemption.h"

namespace sluice {

// "OFF", "CANCEL", "REQUEUE" or "SUSPEND".
std::string_view preempt_mode_word(PreemptMode mode);

}  // namespace sluice
