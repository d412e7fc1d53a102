// What would be said to a job if it were submitted now.
#pragma once

#include <optional>

#include "engine/engine.h"

namespace sluice {

std::optional<Refusal> refusal_of(const Engine& engine, const JobSpec& request, Instant now);

}  // namespace sluice
