// Whose jobs count against a limit, or hold the nodes that a job waits for.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "model/reason.h"
#include "state/state.h"
#include "views/rows.h"
#include "views/viewer.h"

namespace sluice {

struct Holders {
  std::vector<HolderLine> lines;  // Largest amount first.
  std::optional<Instant> first_end;
};
// Jobs the viewer may not see are nobody's by name; without a viewer all are seen.
Holders holders_of(const State& state, const Job& waiting, const Reason& reason,
                   const Viewer* viewer);

}  // namespace sluice
