// The small job that goes on with a chain on Slurm.
#pragma once

#include "cluster/cluster.h"
#include "escalation/chain.h"

namespace sluice {

JobSpec handler_job(const Chain& chain, Cluster& cluster);

}  // namespace sluice
