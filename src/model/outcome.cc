// Slurm's names of the job states.
#include "model/outcome.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sluice {
namespace {

struct StateNames {
  JobState state;
  std::string_view name;
  std::string_view short_name;
};

constexpr std::array<StateNames, 13> kStates{{
    {JobState::kPending, "PENDING", "PD"},
    {JobState::kRunning, "RUNNING", "R"},
    {JobState::kSuspended, "SUSPENDED", "S"},
    {JobState::kCompleting, "COMPLETING", "CG"},
    {JobState::kCompleted, "COMPLETED", "CD"},
    {JobState::kCancelled, "CANCELLED", "CA"},
    {JobState::kFailed, "FAILED", "F"},
    {JobState::kTimeout, "TIMEOUT", "TO"},
    {JobState::kNodeFail, "NODE_FAIL", "NF"},
    {JobState::kPreempted, "PREEMPTED", "PR"},
    {JobState::kOutOfMemory, "OUT_OF_MEMORY", "OOM"},
    {JobState::kDeadline, "DEADLINE", "DL"},
    {JobState::kBootFail, "BOOT_FAIL", "BF"},
}};

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::toupper(static_cast<unsigned char>(x)) == y;
  });
}

}  // namespace

std::string_view slurm_name(JobState state) {
  return kStates[static_cast<std::size_t>(state)].name;
}

std::string_view short_name(JobState state) {
  return kStates[static_cast<std::size_t>(state)].short_name;
}

std::optional<JobState> job_state_named(std::string_view name) {
  for (const StateNames& row : kStates)
    if (same(name, row.name) || same(name, row.short_name)) return row.state;
  return std::nullopt;
}

}  // namespace sluice
