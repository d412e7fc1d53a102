// The options of `sluice submit` that sbatch does not have: on the command line, in #SLUICE lines
// of the script, and a few in the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "text/option_reader.h"

namespace sluice {

struct OwnOptions {
  std::string engine;  // --on: slurm or embedded; empty: the usual one.

  // Over pools.
  std::string device;  // gpu, cpu, any; empty: what the job asks for.
  std::string shape;   // A named one of the routing file.
  std::string by;      // What decides between pools: slots or finish; empty: slots.
  std::optional<Duration> gpu_runtime;
  std::optional<Duration> cpu_runtime;
  bool keep_back = false;
  bool detach = false;  // What is kept back is handed in without this process.
  bool wait_for_capacity = false;
  std::optional<Duration> capacity_limit;

  // Chains.
  bool chain = false;
  std::string ladder_file;
  std::optional<std::uint32_t> throttle;
  std::optional<std::uint32_t> max_level;
  std::optional<std::int64_t> start_memory_mb;
  bool whole_level = false;
  bool learn = false;
  bool handlers = true;
  bool no_wait = false;

  bool dry_run = false;
  bool json = false;
  bool capture = false;
  std::uint32_t copies = 1;

  // Tasks that run out are to climb, or what is kept back is to go on without a terminal.
  bool starts_chain() const;
  // Several pools may be used, or the room in them matters.
  bool names_pools() const;
  // When tasks would be finished decides, as simulated, and not what is free now.
  bool by_finish() const { return by == "finish"; }
};

// As option_reader.h takes them.
std::span<const OptionShape> own_option_shapes();
// `row` counts from the first of these.
Result<void> set_own_option(OwnOptions& options, std::size_t row,
                            const std::optional<std::string>& value);
// The variable that stands for a row; empty: none does.
std::string_view own_option_variable(std::size_t row);

}  // namespace sluice
