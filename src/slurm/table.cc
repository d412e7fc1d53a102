#include "slurm/table.h"

namespace sluice {

std::optional<Instant> printed_time(std::string_view text) {
  const auto value = whole_number<std::int64_t>(text);
  // Beyond the year 10000 nobody means a time.
  if (!value || *value <= 0 || *value > 253'402'300'800) return std::nullopt;
  return instant_at(seconds(*value));
}

bool is_absent(std::string_view text) {
  return text.empty() || text == "N/A" || text == "(null)" || text == "None assigned" ||
         text == "Unknown";
}

std::string or_empty(std::string_view text) {
  return is_absent(text) ? std::string() : std::string(text);
}

std::optional<JobState> printed_state(std::string_view text) {
  struct Transition {
    std::string_view word;
    JobState state;
  };
  static constexpr Transition kTransitions[] = {
      {"SIGNALING", JobState::kRunning},    {"CONFIGURING", JobState::kRunning},
      {"RESIZING", JobState::kRunning},     {"STOPPED", JobState::kSuspended},
      {"REQUEUED", JobState::kPending},     {"REQUEUE_HOLD", JobState::kPending},
      {"REQUEUE_FED", JobState::kPending},  {"RESV_DEL_HOLD", JobState::kPending},
      {"SPECIAL_EXIT", JobState::kPending}, {"STAGE_OUT", JobState::kCompleting},
      {"REVOKED", JobState::kCancelled},    {"EXPEDITING", JobState::kPending},
  };
  text = text.substr(0, text.find(' '));
  for (const Transition& known : kTransitions)
    if (known.word == text) return known.state;
  return job_state_named(text);
}

}  // namespace sluice
