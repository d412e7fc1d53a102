// How a pass is made, quickly or plainly, and what it is about.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace sluice {

class Decisions;
class Queue;
class State;

// The plain pass is the reference: it reads every node, tries every time, looks at every job and
// remembers nothing. What makes passes quick stands in shortcuts.h, and in what is said there to be
// read or searched quickly; it must decide the same.
enum class Passes : std::uint8_t { kQuick, kPlain };

// What happened since the last pass: a queue to which others were only added needs no second look,
// and after ends (or new priorities) nothing stops a job that did not before.
enum class SincePass : std::uint8_t { kSubmissions, kEnds, kAnything };

struct PassInput {
  const State& state;
  Queue& queue;
  Instant now;
  SincePass since;
  Decisions& out;
};

}  // namespace sluice
