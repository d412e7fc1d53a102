// Each waiting job's priority with its parts, as sprio shows them.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "views/queue_view.h"
#include "views/rows.h"

namespace sluice {

std::vector<PriorityLine> priority_lines(const Engine& engine, Instant now,
                                         const QueueFilter& filter);

}  // namespace sluice
