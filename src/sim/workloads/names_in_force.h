// What a request is charged to and goes under, where it names nothing itself.
#pragma once

#include <string>
#include <vector>

#include "model/policy.h"
#include "sim/workloads/workload.h"

namespace sluice {

struct NamesInForce {
  std::string account;  // "(none)" where nobody is charged.
  std::string qos;      // "(default)" where the policy has none.
  std::string partition;
};

// As Workload::requests.
std::vector<NamesInForce> names_in_force(const Policy& policy, const Workload& workload);
// The same as the requests write it, where no policy fills in what they leave out.
std::vector<NamesInForce> names_as_written(const Workload& workload);

}  // namespace sluice
