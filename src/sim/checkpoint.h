// Where a simulation stands: all turns so far, and what cannot be told from them.
//
// The file is lines of words up to an empty line, then a journal (docs/reference/journal.md) with a
// batch for each turn:
//
//   sluice checkpoint 1
//   workload DIGEST ITEMS        of the submissions, which are not in it
//   submitted N                  items, refused ones included
//   refused ITEM…                one line for each reason: refusal COUNT WORDS
//   first_refusal ITEM WORDS
//   engine …                     EnginePulse, in its order; - for nothing
//   time NOW BEGUN WAKE          VirtualTime::Pulse
//   counts TURNS BACKFILLED
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "sim/virtual_time.h"
#include "sim/workloads/workload.h"

namespace sluice {

struct SimulationCheckpoint {
  std::uint64_t workload = 0;  // digest_of() it.
  std::size_t items = 0;
  std::size_t submitted = 0;
  std::vector<std::uint32_t> refused;  // Items, rising.
  std::map<std::string, std::size_t> refusals;
  std::size_t first_refused = 0;
  std::string first_refusal;
  EnginePulse engine;
  VirtualTime::Pulse time;
  std::uint64_t turn_count = 0;
  std::size_t backfilled = 0;
  std::string turns;  // A journal; every batch is a turn.
};

// Two workloads whose submissions differ in anything have different ones, as good as always.
std::uint64_t digest_of(const Workload& workload);

std::string simulation_checkpoint_text(const SimulationCheckpoint& checkpoint);
// Errors name what cannot be read.
Result<SimulationCheckpoint> simulation_checkpoint_in(std::string_view bytes,
                                                      const std::string& name);
// The policy that the simulation began with.
Result<std::shared_ptr<const Policy>> policy_of(const SimulationCheckpoint& checkpoint);

}  // namespace sluice
