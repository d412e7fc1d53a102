// What was used on a cluster: runs with what each held, and the shares that are due.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace sluice {

struct UsedRun {
  std::string user;
  std::string account;
  std::string qos;
  Instant started;
  std::optional<Instant> ended;  // Absent: it still runs.
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::int64_t billing = 0;
};

// One association of the tree, parents before their children.
struct DueShare {
  std::string account;
  std::string user;    // "" for the account itself.
  std::string parent;  // The account above; "" for the root alone.
  std::int64_t shares = 0;
  bool shares_of_parent = false;
};

}  // namespace sluice
