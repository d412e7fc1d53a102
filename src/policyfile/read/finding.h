// What a check found: how bad, where, what it means and what to write instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policyfile/read/value.h"

namespace sluice {

enum class Severity : std::uint8_t {
  kError,    // Slurm refuses it, or it can never work.
  kWarning,  // Works, but hardly as meant.
  kNote,     // Worth knowing.
};

struct Finding {
  Severity severity = Severity::kError;
  std::string rule;   // A word that never changes: "grp-or-per-user".
  std::string where;  // "policy.yaml:12: qos.interactive.GrpTRES"
  std::string what;
  std::string fix;  // Lines to paste, or what to do.
  friend bool operator==(const Finding&, const Finding&) = default;
};

std::string_view severity_word(Severity severity);
// "where: warning: what [rule]" and the fix, indented, below it.
std::string finding_text(const Finding& finding);
std::string findings_json(std::string_view file, const std::vector<Finding>& findings);

}  // namespace sluice
