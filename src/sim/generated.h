// Made-up workloads: as many jobs as one wants, the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "sim/workload.h"

namespace sluice {

struct GeneratorSettings {
  std::int64_t jobs = 10'000;
  std::int64_t users = 100;
  std::int64_t accounts = 0;  // 0: one for every ten users.
  std::int64_t cpus = 1024;
  std::int64_t load_permille = 900;  // Work that arrives over what the machine could do meanwhile.
  std::uint64_t seed = 1;
};

// "jobs=100000,users=100,seed=1,cpus=1024,load=0.9", in any order; what is left out stays.
Result<GeneratorSettings> parse_generator(std::string_view text);

// After Lublin and Feitelson's findings: submissions follow the hours of the day, few users submit
// most jobs and each asks for the same few things over and over, sizes are powers of two and log
// uniform like the run times, limits are round and mostly far too long, some are too short. Made
// of integer operations on counted draws alone.
Workload generate(const GeneratorSettings& settings);

}  // namespace sluice
