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

// The request as it would be on a device. A GPU job keeps what it asks for on GPUs; on CPUs a task
// needs what the settings say. A job without GPUs keeps everything it asks for, and gets a GPU
// where one is wanted.
JobSpec spec_on(Device device, const JobSpec& spec, const RoutingSettings& settings);

// What a task needs on the devices that are wanted: gpu, cpu, any; empty: the one the job asks for.
TaskNeeds needs_of(const JobSpec& spec, std::string_view wanted_device,
                   const RoutingSettings& settings, const Description& seen);

// The job, or some of its tasks, as it is submitted to a pool.
JobSpec spec_for(const JobSpec& spec, const Pool& pool, const std::optional<IndexSet>& tasks,
                 std::size_t all_tasks);

}  // namespace sluice
