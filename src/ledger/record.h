// One database that people and programs can query for all chains of a person.
//
//   chain  one row a chain: name, user, account, engine, state, and how its tasks stand
//   round  one row an array that was handed in: the job, what it asked for, how many tasks
//   task   one row a task: its state, how often it ran, why it was given up
//   run    one row an attempt that ended: state, exit code, times, memory, node
//
// Times are seconds since 1970 and memory is in MB; what is not known is NULL. The ledgers stay
// what chains go on from: this is a copy that may be removed at any time.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "escalation/chain.h"

namespace sluice {

// Replaces what the file has of this chain, as a whole or not at all. The file is made where there
// is none.
Result<void> write_record(const std::string& path, const Chain& chain,
                          std::span<const TaskRun> runs);

}  // namespace sluice
