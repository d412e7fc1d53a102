// Takes the lease for each look alone, so that handlers get their turn.
#include "apps/chain_wait.h"

#include <fmt/format.h>

#include "apps/chain_context.h"
#include "apps/routing_context.h"

namespace sluice {

Result<ExitCode> wait_for_chain(const std::string& id, Duration every) {
  std::string said;
  for (;;) {
    {
      TRY(auto open, OpenChain::open(id, seconds(60)));
      const auto cluster = cluster_of(open->chain());
      open->attend(*cluster);
      const auto progress = open->step(*cluster);
      TRY(const ChainView view, open->view());
      std::string line = chain_sum_line(view);
      if (!progress) line += fmt::format(" ({})", progress.error().what);
      if (line != said) fmt::print(stderr, "{}: {}\n", id, line);
      said = std::move(line);
      if (view.state == "ended")
        return view.sum.given_up == 0 ? ExitCode::kDone : ExitCode::kWorkFailed;
    }
    wait_for(every);
  }
}

}  // namespace sluice
