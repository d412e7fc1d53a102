#include "pools/run_placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "chains/routed_submission.h"
#include "cli/run_placement.h"
#include "escalation/spread.h"
#include "pools/routed_cluster.h"
#include "pools/routing_context.h"
#include "slurm/sbatch_arguments.h"

namespace sluice {
namespace {

class PoolsForRun final : public RunPlacement {
 public:
  Result<bool> is_slurm(const RunAsked& asked) override {
    TRY(const std::string engine, chosen_engine(asked.request.own.engine));
    return engine == "slurm";
  }

  // By the same pools as a submission; a person who waits at a terminal is told at once.
  Result<JobSpec> place(const RunAsked& asked) override {
    const OwnOptions& own = asked.request.own;
    TRY(const std::string engine, chosen_engine(own.engine));
    TRY(const RoutingSettings settings, load_routing_settings());
    TRY_VOID(check_shape(settings, own.shape));
    TRY(const RoutedCluster on, open_cluster(engine, Look::kNow));
    TRY(const Description seen, on.cluster->describe());
    JobSpec spec = asked.request.spec;
    ChainTerms terms;
    terms.engine = engine;
    terms.spread = true;
    terms.device = own.device;
    terms.shape = own.shape;
    terms.accounts = listed_names({spec.account});
    spec.account.clear();
    const Chain chain = routed_chain(std::move(spec), terms);
    std::vector<Pool> pools = pools_for(chain, {}, seen, settings);
    if (pools.empty())
      return tl::unexpected<Error>(
          Error{ErrorKind::kNotAllowed,
                fmt::format("{} may use no such account on {}", seen.user, seen.policy->cluster),
                {},
                fmt::format("there are: {}", fmt::join(accounts_of(seen), ", "))});
    IndexSet one;
    one.insert(chain.tasks.front().index);
    const Spreading spreading = spread_over(chain, one, {}, std::move(pools));
    if (spreading.shares.empty()) {
      const bool later = std::any_of(
          spreading.pools.begin(), spreading.pools.end(),
          [](const Pool& pool) { return pool.left_out == LeftOut::kNo && !pool.never(); });
      return tl::unexpected<Error>(
          Error{later ? ErrorKind::kNoCapacity : ErrorKind::kNotAllowed,
                later ? "every pool is full, and nothing was started"
                      : "no pool will ever take this, and nothing was started",
                {},
                "look at: sluice pools"});
    }
    Batch batch;
    batch.tasks = spreading.shares.front().tasks;
    batch.placement = spreading.shares.front().placement;
    return batch_job(chain, batch);
  }

  Result<ExitCode> run_on_slurm(const RunAsked& asked) override {
    TRY(const JobSpec spec, place(asked));
    std::vector<std::string> words = {"srun"};
    for (std::string& word : sbatch_arguments(spec)) words.push_back(std::move(word));
    if (asked.terminal) words.emplace_back("--pty");
    words.insert(words.end(), asked.command.begin(), asked.command.end());
    for (const char* name : {"SLUICE_DEVICE", "SLUICE_ACCOUNT"})
      for (const EnvironmentVariable& one : spec.launch.environment)
        if (one.name == name) ::setenv(name, one.value.c_str(), 1);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp("srun", argv.data());
    return tl::unexpected<Error>(Error{ErrorKind::kUnreachable,
                                       fmt::format("srun: {}", std::strerror(errno)),
                                       {},
                                       "is Slurm installed here?"});
  }
};

}  // namespace

void use_pools_for_run() {
  static PoolsForRun pools;
  use_run_placement(&pools);
}

}  // namespace sluice
