// Many settings of one policy, tried on the same workload, and which of them to take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/tuning/goal.h"

namespace sluice {

struct TunedPolicy {
  std::vector<std::string> settings;           // As the variations.
  std::vector<std::optional<double>> figures;  // As the goals, then what is to be kept.
  std::string refused;                         // Why the policy cannot be read with these.
  bool on_front = false;  // No other trial is as good in everything and better in something.
  bool meets_all = false;
  std::size_t changes = 0;  // Settings that differ from the policy as it is.
  // Jobs that were refused or never ended. They count in no wait, so that settings which refuse
  // more of them would look better than they are.
  std::size_t not_run = 0;
};

struct Tuning {
  std::vector<std::string> names;   // Of the settings.
  std::vector<Goal> goals;          // Goals first,
  std::size_t kept = 0;             // then so many that are to be kept.
  std::vector<TunedPolicy> trials;  // The first is the policy as it is.
  std::optional<std::size_t> chosen;
};

// Marks the front and chooses: what meets everything with the fewest changed settings and then the
// best first goal; nothing where none does. Unless a goal says how many may be refused, running no
// fewer jobs than the policy as it is belongs to everything.
void choose(Tuning& tuning);

// Whether every setting comes to the same figures.
bool nothing_changes(const Tuning& tuning);

std::string tuning_text(const Tuning& tuning);
std::string tuning_json(const Tuning& tuning);

}  // namespace sluice
