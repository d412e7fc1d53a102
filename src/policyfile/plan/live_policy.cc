#include "policyfile/plan/live_policy.h"

#include "text/scan.h"

namespace sluice {

std::string slurm_description(std::string_view text) {
  std::string out = to_lower(text);
  for (char& c : out) {
    if (c == '\'') c = '`';
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return out;
}

}  // namespace sluice
