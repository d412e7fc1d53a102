// Rules that say under which names of a policy the jobs of a log are submitted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/policy.h"

namespace sluice {

// What a log says about a job.
struct LoggedJob {
  std::string_view user;
  std::string_view account;  // Its group, in SWF.
  std::string_view qos;
  std::string_view queue;
  std::string_view partition;
  std::string_view program;
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  Duration limit{0};
};

struct Bounds {
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;
  bool has(std::int64_t value) const {
    return (!least || value >= *least) && (!most || value <= *most);
  }
};

// Names are patterns with * and ?; what a rule does not name matches everything.
struct MappingRule {
  std::string user, account, qos, queue, partition, program;
  Bounds cpus, gpus, limit_seconds;
  // What it sets; empty: left to later rules and the defaults.
  std::string to_user, to_account, to_qos, to_partition;
  bool drop = false;

  bool matches(const LoggedJob& job) const;
};

struct MappingRules {
  std::vector<MappingRule> rules;  // All that match apply; the first to set a field wins.
};

// Names that the rules set must be names of the policy; an error says the file and the line.
Result<MappingRules> read_mapping_rules(std::string_view text, std::string_view file_name,
                                        const Policy& policy);

}  // namespace sluice
