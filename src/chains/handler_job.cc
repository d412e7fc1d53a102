#include "chains/handler_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "chains/chain_folders.h"
#include "escalation/ceilings.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// A step takes seconds; a handler that finds Slurm slow looks several times.
constexpr Duration kHandlerTime = minutes(5);
constexpr Duration kShortHandlerTime = minutes(1);

// A chain over several accounts has none of its own: the first of its terms will do, or that of the
// latest batch.
std::string account_of(const Chain& chain) {
  if (!chain.spec.account.empty() && chain.spec.account.find(',') == std::string::npos)
    return chain.spec.account;
  for (auto batch = chain.batches.rbegin(); batch != chain.batches.rend(); ++batch)
    if (batch->placement) return batch->placement->shape.account;
  return chain.terms.accounts.empty() ? "" : chain.terms.accounts.front();
}

}  // namespace

JobSpec handler_job(const Chain& chain, Cluster& cluster) {
  JobSpec out;
  out.name = "sluice-handler";
  out.account = account_of(chain);
  out.qos = chain.spec.qos;
  out.reservation = chain.spec.reservation;
  out.tasks = 1;
  out.cpus_per_task = 1;
  out.memory =
      MemoryRequest{MemoryPer::kNode, 256 + static_cast<std::int64_t>(chain.tasks.size()) / 2000};
  out.requeue = true;
  // Somewhere among the chain's partitions: those that give it the time it may need.
  std::vector<std::string> named;
  for (const Level& level : chain.ladder.levels)
    for (const std::string& name : level.partitions)
      if (std::find(named.begin(), named.end(), name) == named.end()) named.push_back(name);
  if (const auto description = cluster.describe()) {
    const Ceilings ceilings = ceilings_of(*description, chain.spec);
    if (named.empty() && !ceilings.default_partition.empty())
      named.push_back(ceilings.default_partition);
    const auto allow = [&](Duration time) {
      std::vector<std::string> allowed;
      for (const std::string& name : named)
        if (const PartitionCeiling* one = ceilings.find(name))
          if ((!one->time || *one->time >= time) && one->memory_mb >= out.memory->mb)
            allowed.push_back(name);
      return allowed;
    };
    out.time_limit = kHandlerTime;
    out.partitions = allow(kHandlerTime);
    if (out.partitions.size() < named.size()) {
      out.time_limit = kShortHandlerTime;
      out.partitions = allow(kShortHandlerTime);
    }
    // A limit that is shorter than a handler needs binds it as well.
    if (out.partitions.empty()) {
      for (const std::string& name : named)
        if (const PartitionCeiling* one = ceilings.find(name);
            one != nullptr && one->time && *one->time < *out.time_limit)
          out.time_limit = one->time;
      out.partitions = allow(*out.time_limit);
    }
  }
  if (out.partitions.empty()) out.partitions = std::move(named);
  std::error_code problem;
  const std::string program = fs::read_symlink("/proc/self/exe", problem).string();
  // Everything but the chain's name is read from the ledger.
  out.launch.script =
      fmt::format("#!/bin/sh\nexec \"$SLUICE_PROGRAM\" chain advance {}\n", chain.id);
  out.launch.working_directory = chain_folder(chain.id);
  out.launch.stdout_path = "handlers.log";
  out.launch.open_mode = OpenMode::kAppend;
  out.launch.environment = {{"SLUICE_PROGRAM", program}};
  for (const char* name : {"HOME", "PATH", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "SLUICE_HOME",
                           "XDG_STATE_HOME", "XDG_CONFIG_HOME", "LD_PRELOAD", "SLUICE_CLOCK"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
      out.launch.environment.push_back({name, value});
  return out;
}

}  // namespace sluice
