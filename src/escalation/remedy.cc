// The state first, then what tells failures apart.
#include "escalation/remedy.h"

namespace sluice {
namespace {

constexpr std::int32_t kKilled = 9;
// A shell reports its child's SIGKILL so, and that is mostly the kernel short of memory.
constexpr std::int32_t kShellSawKilled = 128 + kKilled;

template <class Key>
std::optional<Remedy> find(const std::map<Key, Remedy>& table, Key key) {
  const auto found = table.find(key);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::string_view remedy_word(Remedy remedy) {
  switch (remedy) {
    case Remedy::kGiveUp:
      return "no_retry";
    case Remedy::kAgain:
      return "again";
    case Remedy::kMoreMemory:
      return "memory";
    case Remedy::kMoreTime:
      return "time";
    case Remedy::kMoreOfBoth:
      return "both";
  }
  return "";
}

Remedy natural_remedy(JobState state) {
  switch (state) {
    case JobState::kOutOfMemory:
      return Remedy::kMoreMemory;
    case JobState::kTimeout:
    case JobState::kDeadline:
      return Remedy::kMoreTime;
    case JobState::kPreempted:
    case JobState::kNodeFail:
    case JobState::kBootFail:
      return Remedy::kAgain;
    default:
      return Remedy::kMoreOfBoth;
  }
}

Handling::Handling()
    : exit_codes{{kShellSawKilled, Remedy::kMoreMemory}, {1, Remedy::kGiveUp}},
      signals{{kKilled, Remedy::kMoreMemory}} {
  for (const JobState state : {JobState::kOutOfMemory, JobState::kTimeout, JobState::kDeadline,
                               JobState::kPreempted, JobState::kBootFail, JobState::kNodeFail})
    states[state] = natural_remedy(state);
  states[JobState::kFailed] = Remedy::kGiveUp;
  states[JobState::kCancelled] = Remedy::kGiveUp;
}

std::optional<Remedy> remedy_for(const Handling& handling, const Ending& ending) {
  if (ending.state == JobState::kCompleted) return std::nullopt;
  if (ending.state == JobState::kFailed) {
    if (ending.stderr_rule && *ending.stderr_rule < handling.stderr_rules.size())
      return handling.stderr_rules[*ending.stderr_rule].remedy;
    if (ending.signal != 0)
      if (const auto remedy = find(handling.signals, ending.signal)) return remedy;
    if (ending.exit_code != 0)
      if (const auto remedy = find(handling.exit_codes, ending.exit_code)) return remedy;
  }
  return find(handling.states, ending.state).value_or(Remedy::kGiveUp);
}

bool stderr_matters(const Handling& handling, const Ending& ending) {
  return ending.state == JobState::kFailed && !handling.stderr_rules.empty();
}

}  // namespace sluice
