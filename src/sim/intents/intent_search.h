// Looks for the smallest story in which a policy does not do what a sentence of it says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "policyfile/read/include.h"
#include "sim/intents/intent.h"

namespace sluice {

struct Counterexample {
  std::string story;  // Text that `sluice test` runs; what it expects is what the sentence says.
  std::string line;   // The step at which it breaks.
  std::string expected;
  std::string happened;
};

struct IntentVerdict {
  std::size_t stories = 0;  // In which what the sentence is about was tried.
  std::optional<Counterexample> broken;
  // Why no story could be told at all; then nothing is known of the sentence.
  std::string untried;
  bool holds() const { return !broken && untried.empty(); }
};

struct SearchSettings {
  std::uint64_t seed = 1;
  std::size_t tries = 200;
};

// Stories of many shapes in virtual time, the same for the same seed. `policy_file` is what the
// story names, and `read_file` gives its text. What breaks a sentence is told again on that policy
// before it is shown, and could be kept: a limit is broken by what runs, and jobs that wait too
// long would start without the others. Nothing found is no proof.
Result<IntentVerdict> search_intent(const Intent& intent, const Policy& policy,
                                    const std::string& policy_file, const ReadFile& read_file,
                                    const SearchSettings& settings = {});

// One try: lines of a story. Those that expect something are what the sentence says.
struct TrialLine {
  Duration at{0};
  std::string what;       // Empty: time passes.
  std::string expects;    // Empty: nothing.
  bool others = false;    // Submitted by those who are in the way.
  bool smallest = false;  // In the smallest pieces: no other shape would fit where this does not.
};
using Trial = std::vector<TrialLine>;
// Nothing where the policy has nobody who could break it in this way.
std::optional<Trial> draw_trial(const Intent& intent, const Policy& policy, std::uint64_t seed,
                                std::uint64_t number);

}  // namespace sluice
