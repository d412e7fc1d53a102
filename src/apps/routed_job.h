// A job to be routed: what was asked for on the command line, and what becomes of it in a pool.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/job.h"

namespace sluice {

// sluice's own options; everything else is sbatch's.
struct RouteOptions {
  std::string device;  // gpu, cpu, any; empty: what the job asks for, or what the settings know.
  std::vector<std::string> accounts;
  bool dry_run = false;
  bool keep_back = false;
  bool json = false;
  bool capture = false;  // Only of this machine's own engine.
  bool wait = false;     // For capacity.
  std::optional<Duration> wait_limit;
  std::optional<Duration> gpu_runtime;
  std::optional<Duration> cpu_runtime;
  std::string engine;  // Of --on; empty: the usual one.
  bool help = false;
  std::vector<std::string> rest;  // For sbatch.
};
Result<RouteOptions> read_route_options(std::span<const std::string> arguments);

// The value of --on; of a submission only up to the script.
std::optional<std::string> named_engine(std::span<const std::string> words, bool submission);
// Whether words of a submission, up to the script, ask for it to be routed: several accounts, a
// device, or what to do where there is no room.
bool asks_for_routing(std::span<const std::string> words);

// The job as sbatch would make it of these words here: script read, environment taken along.
struct JobHere {
  JobSpec spec;
  bool parsable = false;
  bool wait = false;       // Until it has ended.
  bool test_only = false;  // Submit nothing.
  std::vector<std::string> warnings;
};
Result<JobHere> read_job_here(std::span<const std::string> arguments);

}  // namespace sluice
