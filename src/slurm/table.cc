// Records, and the words that stand for nothing.
#include "slurm/table.h"

#include <fmt/format.h>

#include "text/scan.h"

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
      {"REVOKED", JobState::kCancelled},
  };
  text = text.substr(0, text.find(' '));
  for (const Transition& known : kTransitions)
    if (known.word == text) return known.state;
  return job_state_named(text);
}

std::string squeue_format(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view& name : names)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", name,
                       &name == &names.back() ? kRecordEnd : kFieldEnd);
  return out;
}

Records squeue_records(std::string_view text, std::size_t fields) {
  Records out;
  while (!text.empty()) {
    const std::size_t end = text.find(kRecordEnd);
    const std::string_view record = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (text.starts_with('\n')) text.remove_prefix(1);
    auto row = split(record, kFieldEnd);
    if (row.size() == fields && end != std::string_view::npos)
      out.rows.push_back(std::move(row));
    else
      ++out.unreadable;
  }
  return out;
}

}  // namespace sluice
