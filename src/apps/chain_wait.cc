// Takes the lease for each look alone, so that handlers get their turn.
#include "apps/chain_wait.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/chain_context.h"
#include "apps/routing_context.h"

namespace sluice {

Result<ExitCode> wait_for_chain(const std::string& id, std::optional<Duration> every) {
  // On a terminal the whole picture is drawn again; elsewhere a line for every change.
  const bool draws = ::isatty(STDERR_FILENO) != 0;
  const bool followed = engine_of(id) == "embedded";
  std::string said;
  for (;;) {
    const Instant begin = now_here();
    {
      TRY(auto open, OpenChain::open(id, seconds(60)));
      Result<Progress> progress;
      // The daemon goes on by itself; looking at its ledger is enough.
      if (!followed || !is_attended(open->chain())) {
        const auto cluster = cluster_of(open->chain());
        open->attend(*cluster);
        progress = open->step(*cluster);
      }
      TRY(const ChainView view, open->view());
      std::string now = draws ? chain_status(view, terminal_width()) : chain_sum_line(view) + "\n";
      if (!progress) now += fmt::format("({})\n", progress.error().what);
      if (draws && !said.empty())
        fmt::print(stderr, "\033[{}A\033[J", std::count(said.begin(), said.end(), '\n'));
      if (draws || now != said) fmt::print(stderr, "{}", now);
      said = std::move(now);
      if (view.state == "ended")
        return view.sum.given_up == 0 ? ExitCode::kDone : ExitCode::kWorkFailed;
    }
    // A look at a large chain costs more: it takes a twentieth of the time at most.
    wait_for(
        std::max<Duration>(every.value_or(pause_between_looks(id)), (now_here() - begin) * 20));
  }
}

}  // namespace sluice
