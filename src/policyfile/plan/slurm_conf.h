// The lines of slurm.conf that a policy decides.
#pragma once

#include <string>

#include "model/policy.h"

namespace sluice {

// Hosts, ports, folders and plugins that are no policy are left to the site's own slurm.conf.
std::string slurm_conf(const Policy& policy);

}  // namespace sluice
