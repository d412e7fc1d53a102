// Why a job waits: every gate in order, the binding one as arithmetic, and what would help.
#pragma once

#include "engine/engine.h"
#include "views/rows.h"
#include "views/viewer.h"

namespace sluice {

// `task` names one that still waits in its array's record; the viewer is the user who asks.
WhyCard why_card(const Engine& engine, const Job& job, Instant now,
                 std::optional<std::uint32_t> task = std::nullopt, const Viewer* viewer = nullptr);

}  // namespace sluice
