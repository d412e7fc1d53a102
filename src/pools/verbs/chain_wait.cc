// Takes the lease for each look alone, so that handlers get their turn.
#include "pools/verbs/chain_wait.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "chains/chain_folders.h"
#include "cli/connection.h"
#include "cli/interrupt_note.h"
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

// What there is to say of a daemon that is away. One that is restarted at once need not be
// mentioned.
class DaemonWatch {
 public:
  explicit DaemonWatch(WhenAway away)
      : start_(away == WhenAway::kStart ? StartDaemon::kIfAbsent : StartDaemon::kNever) {}
  std::string look() {
    if (Connection::open(start_)) {
      answered_ = now_on_clock();
      return {};
    }
    if (now_on_clock() - answered_ < kQuickRestart) return {};
    return "(the daemon has stopped; tasks run on, and this command waits until it is started "
           "again)\n";
  }

 private:
  static constexpr Duration kQuickRestart = seconds(1);
  StartDaemon start_;
  Instant answered_ = now_on_clock();
};

// As it was when it had ended, or when it was `until`.
Result<ChainView> watched(const std::string& id, std::optional<Instant> until, WhenAway away) {
  // On a terminal the whole picture is drawn again; elsewhere a line for every change.
  const InterruptNote note(goes_on(id));
  const bool draws = ::isatty(STDERR_FILENO) != 0;
  bool followed = false;
  std::string said;
  Duration pause{0};
  DaemonWatch watch(away);
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
      TRY(ChainView view, open->view());
      std::string now = draws ? chain_status(view, terminal_width()) : chain_sum_line(view) + "\n";
      if (!progress) now += fmt::format("({})\n", progress.error().what);
      if (followed && view.state != "ended") now += watch.look();
      if (draws && !said.empty())
        fmt::print(stderr, "\033[{}A\033[J", std::count(said.begin(), said.end(), '\n'));
      if (draws || now != said) fmt::print(stderr, "{}", now);
      said = std::move(now);
      if (view.idle && !draws)
        fmt::print(stderr, "sluice: {} is stopped; to continue: sluice chain start {}\n", id, id);
      if (view.state == "ended" || view.idle || (until && begin >= *until)) return view;
    }
    // A look at a large chain costs more: it takes a twentieth of the time at most.
    Instant next = now_on_clock() + std::max<Duration>(pause, (now_on_clock() - begin) * 20);
    if (until) next = std::min(next, *until);
    if (followed)
      wait_for_end(id, next);
    else
      wait_for(next - now_on_clock());
  }
}

ExitCode exit_of(const ChainView& view) {
  return view.sum.given_up == 0 && !view.idle ? ExitCode::kDone : ExitCode::kWorkFailed;
}

}  // namespace

Result<ExitCode> wait_for_chain(const std::string& id, WhenAway away) {
  TRY(const ChainView view, watched(id, std::nullopt, away));
  return exit_of(view);
}

Result<WaitedFor> wait_for_named_chain(const std::string& given, std::optional<Instant> until) {
  TRY(const std::string id, find_chain(given));
  TRY(const ChainView view, watched(id, until, WhenAway::kWait));
  if (view.state != "ended" && !view.idle)
    return tl::unexpected<Error>(Error{ErrorKind::kNoCapacity,
                                       fmt::format("{} has not ended yet", id),
                                       {},
                                       fmt::format("see its progress: sluice status {}", id)});
  return WaitedFor{id, static_cast<std::int64_t>(view.sum.tasks),
                   static_cast<std::int64_t>(view.sum.given_up), static_cast<int>(exit_of(view))};
}

}  // namespace sluice
