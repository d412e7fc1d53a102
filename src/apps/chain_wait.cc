// Takes the lease for each look alone, so that handlers get their turn.
#include "apps/chain_wait.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "chains/chain_folders.h"
#include "ledger/ledger.h"
#include "pools/chain_context.h"
#include "pools/routing_context.h"

namespace sluice {

namespace {

constexpr Duration kGlance = Duration(std::chrono::milliseconds(50));

// Until then, or until the ledger says that the chain has ended. It is opened only when it has
// changed, so glances are cheap.
void wait_for_end(const std::string& id, Instant until) {
  const std::filesystem::path file = chain_folder(id) + "/ledger.db";
  std::filesystem::file_time_type seen{};
  for (Instant now = now_on_clock(); now < until; now = now_on_clock()) {
    wait_for(std::min(kGlance, until - now));
    std::error_code problem;
    const auto written = std::filesystem::last_write_time(file, problem);
    if (problem || written == seen) continue;
    seen = written;
    const auto state = Ledger::state_of(chain_folder(id));
    if (state && *state == ChainState::kEnded) return;
  }
}

}  // namespace

Result<ExitCode> wait_for_chain(const std::string& id, std::optional<Duration> every) {
  // On a terminal the whole picture is drawn again; elsewhere a line for every change.
  const bool draws = ::isatty(STDERR_FILENO) != 0;
  bool followed = false;
  std::string said;
  Duration pause{0};
  for (;;) {
    const Instant begin = now_on_clock();
    {
      TRY(auto open, OpenChain::open(chain_ports(), id, seconds(60)));
      Result<Progress> progress;
      // The daemon goes on by itself; looking at its ledger is enough.
      followed = open->chain().terms.engine == kEmbeddedEngine;
      pause = pause_between_looks(open->chain().terms.engine);
      if (!followed || !open->chain().terms.attended) {
        open->attend();
        progress = open->step();
      }
      TRY(const ChainView view, open->view());
      std::string now = draws ? chain_status(view, terminal_width()) : chain_sum_line(view) + "\n";
      if (!progress) now += fmt::format("({})\n", progress.error().what);
      if (draws && !said.empty())
        fmt::print(stderr, "\033[{}A\033[J", std::count(said.begin(), said.end(), '\n'));
      if (draws || now != said) fmt::print(stderr, "{}", now);
      said = std::move(now);
      if (view.state == "ended" || view.idle)
        return view.sum.given_up == 0 && !view.idle ? ExitCode::kDone : ExitCode::kWorkFailed;
    }
    // A look at a large chain costs more: it takes a twentieth of the time at most.
    const Instant next =
        now_on_clock() + std::max<Duration>(every.value_or(pause), (now_on_clock() - begin) * 20);
    if (followed)
      wait_for_end(id, next);
    else
      wait_for(next - now_on_clock());
  }
}

Result<ExitCode> wait_for_named_chain(const std::string& given) {
  TRY(const std::string id, find_chain(given));
  return wait_for_chain(id);
}

}  // namespace sluice
