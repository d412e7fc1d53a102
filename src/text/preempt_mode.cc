#include "text/preempt_mode.h"

namespace sluice {

std::string_view preempt_mode_word(PreemptMode mode) {
  switch (mode) {
    case PreemptMode::kOff:
      return "OFF";
    case PreemptMode::kCancel:
      return "CANCEL";
    case PreemptMode::kRequeue:
      return "REQUEUE";
    case PreemptMode::kSuspend:
      return "SUSPEND";
  }
  return "OFF";
}

}  // namespace sluice
