#include "pools/routed_cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "pools/embedded_cluster.h"
#include "pools/routing_context.h"
#include "slurm/job_update.h"
#include "text/duration.h"

namespace sluice {
namespace {

// Sites forbid frequent polling; the own daemon may be asked as often as a person would look.
constexpr Duration kSlurmPause = seconds(30);
constexpr Duration kOwnPause = seconds(2);

}  // namespace

Result<RoutedCluster> open_cluster(const std::string& asked, Look look) {
  TRY(const std::string engine, chosen_engine(asked));
  RoutedCluster out;
  if (engine == "slurm") {
    out.cluster = this_slurm(look);
    out.slurm = true;
    out.look_again = kSlurmPause;
    out.nickname = "Slurm";
    return out;
  }
  out.cluster = std::make_unique<EmbeddedCluster>();
  out.look_again = kOwnPause;
  out.nickname = "the daemon";
  return out;
}

std::vector<std::string> RoutedCluster::update_line(const std::string& job,
                                                    const JobChange& change) const {
  if (slurm) return update_command(job, change);
  std::vector<std::string> out = {"sluice", "update", job};
  if (change.account) out.push_back("--account=" + *change.account);
  if (change.qos) out.push_back("--qos=" + *change.qos);
  if (change.partitions)
    out.push_back(fmt::format("--partition={}", fmt::join(*change.partitions, ",")));
  return out;
}

Error no_account_for_this(const Description& seen, const std::string& before_hint) {
  return Error{ErrorKind::kNotAllowed,
               fmt::format("{} may use no account for this on {}", seen.user, seen.policy->cluster),
               {},
               before_hint + "type: sluice pools"};
}

}  // namespace sluice
