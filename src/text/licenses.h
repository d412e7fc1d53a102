// License requests: "matlab:2,ansys", "matlab|ansys".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

struct LicenseList {
  std::vector<LicenseRequest> licenses;
  bool any = false;  // '|' between them: one suffices.
  friend bool operator==(const LicenseList&, const LicenseList&) = default;
};

// name[@server][:count]; ',' or ';' for all, '|' for any (Slurm from 23.02 on; 22.05 refuses it).
Result<LicenseList> parse_licenses(std::string_view text);
std::string format_licenses(const LicenseList& list);

}  // namespace sluice
