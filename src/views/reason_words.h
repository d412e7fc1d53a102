// Slurm's words for why a job waits or ended, as a person would say them, and what helps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct ReasonWords {
  std::string words;   // Why, in a short sentence without a full stop.
  std::string action;  // What the owner of the job can do.
};

// Nothing where the reason is not one of Slurm's.
std::optional<ReasonWords> explain_reason(std::string_view reason);

// The words for a reason; the reason itself where it is not known.
std::string words_for_reason(std::string_view reason);

// Every reason that slurmctld 22.05 can give, by name.
std::vector<std::string> reason_names();

}  // namespace sluice
