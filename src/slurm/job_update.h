// A change of a waiting job as scontrol's command line.
#pragma once

#include <string>
#include <vector>

#include "cluster/sighting.h"
#include "model/index_set.h"
#include "model/job_change.h"

namespace sluice {

// "12", "12_3", "12_[4-9]"
std::string job_name(const RemoteRef& ref);
std::string job_name(const RemoteJob& job, const IndexSet& tasks);

// Each setting in one element: a name that a user chose cannot become another setting.
std::vector<std::string> update_command(const std::string& job, const JobChange& change);

}  // namespace sluice
