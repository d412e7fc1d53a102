// A cluster of our own as routing sees it: from the engine to rows, and from rows to the
// description that every cluster gives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/description.h"
#include "cluster/waiting_tasks.h"
#include "engine/engine.h"
#include "views/cluster_rows.h"

namespace sluice {

ClusterCard cluster_card(const Engine& engine, Instant now);

// Rows are found by their names; what the policy does not know is left out.
Description description_of(const ClusterCard& card, std::shared_ptr<const Policy> policy,
                           const std::string& user);

// The user's jobs that wait. Numbers are never used again here, so that of the job is its name:
// the time of submission in it is as given.
std::vector<WaitingTasks> waiting_of(const ClusterCard& card, const Policy& policy,
                                     const std::string& user);

}  // namespace sluice
