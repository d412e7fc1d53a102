// A job before and after it is routed: what its tasks need on each device, and what becomes of it
// in a pool.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "cluster/description.h"
#include "model/index_set.h"
#include "model/job.h"
#include "routing/pool.h"
#include "routing/settings.h"

namespace sluice {

// What a task needs on the devices that are wanted: gpu, cpu, any; empty: what the job asks for,
// and the other where the settings know what a task needs there.
TaskNeeds needs_of(const JobSpec& spec, std::string_view wanted_device,
                   const RoutingSettings& settings, const Description& seen);

// The job, or some of its tasks, as it is submitted to a pool.
JobSpec spec_for(const JobSpec& spec, const Pool& pool, const std::optional<IndexSet>& tasks,
                 std::size_t all_tasks);

}  // namespace sluice
