// What a job holds on each node, from `scontrol --oneliner --details show job`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/index_set.h"

namespace sluice {

struct HeldOnNode {
  std::string node;
  std::int32_t cpus = 0;
  std::int64_t memory_mb = 0;
  IndexSet gpus;
};

// By job number; jobs that hold nothing are left out.
Result<std::map<std::uint32_t, std::vector<HeldOnNode>>> parse_job_details(std::string_view text);

// "gpu:a100:2(IDX:0-1)" to the numbers of the devices.
IndexSet gres_indices(std::string_view gres);

}  // namespace sluice
