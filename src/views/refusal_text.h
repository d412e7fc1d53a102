// What a refusal means for the person who asked: the limit with its numbers, or what may be used
// instead.
#pragma once

#include <string>
#include <vector>

#include "model/job.h"
#include "model/policy.h"
#include "model/reason.h"

namespace sluice {

// The names that a request asked for; what a refusal is explained from.
struct AskedNames {
  std::string user;
  std::string account;
  std::string qos;
  std::vector<std::string> partitions;
  bool gpus = false;  // Whether it asks for any.

  static AskedNames of(const JobSpec& spec);
};

// "GrpTRES gres/gpu of qos interactive: limit 4, used 3, asked 2", "ann may use the accounts
// physics, biology", "the partitions are devel, day", "the 4 nodes of partition day have at most 64
// CPUs, 512G each"; "" where the refusal says it all.
std::string refusal_detail(const Policy& policy, const AskedNames& asked, const Refusal& refusal);

// "the partitions are: devel, day".
std::string partitions_text(const Policy& policy);

}  // namespace sluice
