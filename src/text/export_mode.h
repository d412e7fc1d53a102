// --export: which of the caller's variables the job gets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// ALL, NONE, or names and NAME=value in order, perhaps with ALL among them.
struct ExportMode {
  struct Item {
    std::string name;                  // Empty: ALL stands here.
    std::optional<std::string> value;  // Nothing: the caller's value.
    friend bool operator==(const Item&, const Item&) = default;
  };
  bool none = false;
  std::vector<Item> items{{}};  // Without --export: ALL.
  friend bool operator==(const ExportMode&, const ExportMode&) = default;
};

// Commas separate, also inside a value unless it is quoted ("A='1,2'"), as in Slurm.
Result<ExportMode> parse_export(std::string_view text);

// What the job gets of the caller's environment. SLURM_* always goes along; what is set twice has
// the last value; the order is that of the first mention.
std::vector<EnvironmentVariable> exported(const ExportMode& mode,
                                          std::span<const EnvironmentVariable> caller);

}  // namespace sluice
