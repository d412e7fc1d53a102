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

// `scontrol show job` prints names, comments and paths between its own words, so what looks like a
// share may be another user's text. Each run of Nodes=, CPU_IDs=, Mem= and GRES= is a claim; which
// one is true is told by squeue, of which nothing is asked that users choose.
using JobClaims = std::map<std::uint32_t, std::vector<std::vector<HeldOnNode>>>;
JobClaims parse_job_claims(std::string_view text);

struct HeldInAll {
  std::vector<std::string> nodes;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
};
// The claim that agrees; where none does, even shares.
std::vector<HeldOnNode> held_shares(const JobClaims& claims, std::uint32_t job,
                                    const HeldInAll& held);

// By job number, where nobody chose a name in order to deceive; jobs that hold nothing are left
// out.
Result<std::map<std::uint32_t, std::vector<HeldOnNode>>> parse_job_details(std::string_view text);

// "gpu:a100:2(IDX:0-1)" to the numbers of the devices.
IndexSet gres_indices(std::string_view gres);

}  // namespace sluice
