// A chain as it stands, after a look at the cluster.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "chains/open_chain.h"
#include "views/chain_view.h"

namespace sluice {

// How long one waits for a chain that another process has open.
constexpr Duration kChainPatience = seconds(20);
// Before the cluster is looked at once more.
constexpr Duration kBetweenChainLooks = seconds(3);

// What cannot be reached now is a note. `look`: the chain goes on by this, too.
Result<ChainView> looked_at(const std::string& id, bool look);

// The notes of a step, on standard error.
void say_notes(const Progress& progress);

}  // namespace sluice
