// The table of pools, and of a routing decision, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/description.h"
#include "cluster/sighting.h"
#include "routing/pool.h"
#include "routing/router.h"

namespace sluice {

struct PoolsPage {
  const Description* description = nullptr;
  std::span<const Pool> pools;
  std::string_view today;  // 2026-11-15
  Instant now;
  std::size_t width = 120;  // Of the terminal.
};

std::string pools_table(const PoolsPage& page);
std::string pools_json(const PoolsPage& page);
// What seed-style workflows take: --config live_accounts=[…]
std::string pools_for_snakemake(std::span<const Pool> pools);

// Where tasks go: one line for every pool with its reason.
struct RoutePage {
  PoolsPage pools;
  const Route* route = nullptr;
  std::vector<std::string> tasks;  // Of each share: "0-3", or "1 job".
  std::vector<RemoteJob> jobs;     // What was submitted for each share; empty: nothing yet.
  std::string runtimes_from;       // "22m on a GPU (12 finished tasks), …"; empty: as was said.
  std::string not_known_on;        // Where one run time is known and the other is not: "CPUs".
};
std::string route_table(const RoutePage& page);
std::string route_json(const RoutePage& page);

}  // namespace sluice
