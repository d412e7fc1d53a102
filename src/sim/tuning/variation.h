// One setting of a policy file and the values to try for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policyfile/read/value.h"

namespace sluice {

struct Variation {
  std::vector<std::string> path;    // qos, interactive, GrpTRES
  std::string member;               // Of a list such as gres/gpu=4,cpu=8: its name, or nothing.
  std::vector<std::string> values;  // Without the member's name.

  std::string name() const;  // "qos.interactive.GrpTRES gres/gpu"
};

// qos.interactive.GrpTRES=gpu=2..8, qos.night.Priority=100..1000:100, priority.half_life=1d..14d,
// nodes.n1.gpus=2,4,8. Ranges are those of range.h.
Result<Variation> parse_variation(std::string_view text);

// The document with this value; an error where it has no such place.
Result<Value> with_value(const Value& document, const Variation& variation,
                         const std::string& value);

}  // namespace sluice
