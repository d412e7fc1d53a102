#include "shims/clusters.h"

#include <fmt/format.h>

#include "shims/words.h"
#include "text/scan.h"

namespace sluice {

std::optional<std::string> pick_cluster(ShimCall& call, const std::string& list,
                                        std::string_view said_by) {
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error()), std::nullopt;
  bool found = false;
  for (const std::string_view name : split(list, ',')) {
    if (name == policy->cluster || same_ignoring_case(name, "all")) {
      found = true;
    } else if (!name.empty()) {
      call.error(fmt::format("No cluster '{}' known by database.", shown(std::string(name))));
    }
  }
  if (found) return policy->cluster;
  call.error(
      fmt::format("'{}' can't be reached now, or it is an invalid entry for {}.  Use 'sacctmgr "
                  "list clusters' to see available clusters.",
                  shown(list), said_by));
  return std::nullopt;
}

std::optional<std::string> pick_cluster_typed(ShimCall& call,
                                              const std::optional<std::string>& typed) {
  if (typed) return pick_cluster(call, *typed);
  const auto said = variable("SLURM_CLUSTERS");
  if (!said || said->empty()) return std::string();
  return pick_cluster(call, *said, "SLURM_CLUSTERS");
}

}  // namespace sluice
