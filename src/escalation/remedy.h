// What to do about a task that ended badly: more memory, more time, the same again, or nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/outcome.h"

namespace sluice {

enum class Remedy : std::uint8_t {
  kGiveUp,      // A mistake in the code fails with any amount of memory and time.
  kAgain,       // Nothing was wrong with what it asked for: preempted, lost its node.
  kMoreMemory,  //
  kMoreTime,    //
  kMoreOfBoth,  // Somebody wants it to climb, and nobody knows what it lacked.
};
inline constexpr std::size_t kRemedies = 5;
std::string_view remedy_word(Remedy remedy);  // "no_retry", "again", "memory", "time", "both"

// A task whose stderr holds a match was ended by what the pattern names. CUDA says that it is out
// of memory there and nowhere else.
struct StderrRule {
  std::string pattern;
  Remedy remedy = Remedy::kMoreMemory;
  friend bool operator==(const StderrRule&, const StderrRule&) = default;
};

// Which failures climb. Made with what holds unless a ladder file says otherwise.
struct Handling {
  Handling();
  std::map<JobState, Remedy> states;
  std::map<std::int32_t, Remedy> exit_codes;  // Of FAILED tasks.
  std::map<std::int32_t, Remedy> signals;     // Of FAILED tasks.
  std::vector<StderrRule> stderr_rules;       // Of FAILED tasks; the first that matches counts.
  friend bool operator==(const Handling&, const Handling&) = default;
};

// What "escalate" means for a state: memory for OUT_OF_MEMORY, time for TIMEOUT, and so on.
Remedy natural_remedy(JobState state);

// How one run ended, as far as the remedy is concerned.
struct Ending {
  JobState state = JobState::kCompleted;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::optional<std::size_t> stderr_rule;  // The first that matches.
};

// Nothing where the task is done. The state comes first: out of memory is out of memory whatever
// the script exited with. Exit codes, signals and patterns tell FAILED tasks apart.
std::optional<Remedy> remedy_for(const Handling& handling, const Ending& ending);

// Whether the stderr could change the remedy, so that it is worth reading.
bool stderr_matters(const Handling& handling, const Ending& ending);

}  // namespace sluice
