// What happened a while ago and is heard of only now.
#pragma once

#include <span>

#include "engine/engine.h"

namespace sluice {

// As Engine::handle(), at a time that is past: no scheduling pass follows, so nothing is said to
// have started then. The next ordinary turn makes up for it.
void handle_late(Engine& engine, std::span<const Input> inputs, Instant then, Turn& turn);

}  // namespace sluice
