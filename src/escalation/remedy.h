// What to do about a task that ended badly: more memory, more time, another GPU, the same again, or
// nothing.
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
  kMoreOfBoth,  // It is to climb, and what it lacked is not known.
  kOtherGpu,    // The memory of its GPU was too small.
};
inline constexpr std::size_t kRemedies = 6;
// "no_retry", "again", "memory", "time", "both", "gpu"
std::string_view remedy_word(Remedy remedy);

// A task whose stderr holds a match was ended by what the pattern names.
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
  // Of FAILED tasks with GPUs whose stderr says that the memory of a GPU ran out.
  Remedy gpu_memory = Remedy::kOtherGpu;
  friend bool operator==(const Handling&, const Handling&) = default;
};

// What "escalate" means for a state: memory for OUT_OF_MEMORY, time for TIMEOUT, and so on.
Remedy natural_remedy(JobState state);

// How one run ended, as far as the remedy is concerned.
struct Ending {
  JobState state = JobState::kCompleted;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::optional<std::size_t> stderr_rule;  // The first of stderr_patterns that matches.
  bool on_gpu = false;                     // It was given GPUs.
};

// Nothing where the task is done. The state comes first: out of memory is out of memory whatever
// the script exited with. Exit codes, signals and patterns tell FAILED tasks apart.
std::optional<Remedy> remedy_for(const Handling& handling, const Ending& ending);

// What to look for in the stderr of such a task, in this order. Empty: it is not worth reading.
std::vector<std::string> stderr_patterns(const Handling& handling, const Ending& ending);

// How CUDA, HIP, XLA, PyTorch, CuPy and others say that the memory of a GPU ran out: they say so in
// stderr and nowhere else. A regular expression as RE2 takes it.
std::string_view gpu_memory_pattern();

}  // namespace sluice
