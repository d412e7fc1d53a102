#include "chains/open_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "chains/handler_job.h"
#include "chains/sending.h"
#include "chains/stuck_tasks.h"
#include "chains/task_output.h"
#include "escalation/spread.h"
#include "ledger/record.h"
#include "views/notice.h"

namespace sluice {
namespace {

// Jobs that only look are not free for others.
constexpr Duration kLeastBetweenMoves = minutes(1);

// Names the database that is told of the chain too.
std::string record_file(const Chain& chain) { return chain_folder(chain.id) + "/record"; }

}  // namespace

Result<std::unique_ptr<OpenChain>> OpenChain::open(const ChainPorts& ports, const std::string& id,
                                                   Duration patience) {
  const std::string folder = chain_folder(id);
  std::error_code problem;
  if (!std::filesystem::exists(folder + "/ledger.db", problem))
    return bad_input(fmt::format("there is no chain '{}'", id), "sluice list shows them");
  TRY(Lease lease, Lease::take(folder, patience));
  TRY(auto ledger, Ledger::open(folder));
  return std::unique_ptr<OpenChain>(new OpenChain(ports, std::move(lease), std::move(ledger)));
}

Result<std::unique_ptr<OpenChain>> OpenChain::create(const ChainPorts& ports, const Chain& chain) {
  const std::string folder =
      chains_folder(chain.terms.routed ? ChainKind::kRouted : ChainKind::kChain) + "/" + chain.id;
  TRY(auto ledger, Ledger::create(folder, chain));
  TRY(Lease lease, Lease::take(folder, Duration(0)));
  return std::unique_ptr<OpenChain>(new OpenChain(ports, std::move(lease), std::move(ledger)));
}

Cluster& OpenChain::cluster() {
  if (!cluster_) cluster_ = ports_.cluster(chain_);
  return *cluster_;
}

Duration pause_between_looks(const std::string& engine) {
  return engine == kEmbeddedEngine ? Duration(std::chrono::milliseconds(500)) : seconds(30);
}

void OpenChain::attend(std::optional<RemoteJob> self) {
  if (!chain_.terms.attended || chain_.terms.engine == kEmbeddedEngine) return;
  attendance_.self = self;
  attendance_.handler_job = [this](const Chain& chain) { return handler_job(chain, cluster()); };
  const auto settings = settings_for(ports_, chain_);
  if (!settings || !may_move(chain_) || accounts_for(chain_, cluster(), *settings) < 2) return;
  attendance_.look_every = std::max<Duration>(settings->stuck_after, kLeastBetweenMoves);
}

void OpenChain::use_spread(Spread spread) {
  spread_ = std::move(spread);
  advance_.reset();
}

// By what is free when it is asked.
Spread OpenChain::spread_over_pools() {
  return [this](const Chain& chain, const IndexSet& tasks,
                const Request& asked) -> Result<std::vector<Share>> {
    TRY(const RoutingSettings settings, settings_for(ports_, chain));
    TRY(const Description seen, cluster().describe());
    if (!seen.behind.empty()) return std::vector<Share>{};  // What is old decides nothing.
    return spread_over(chain, tasks, asked, pools_for(chain, asked, seen, settings)).shares;
  };
}

Advance& OpenChain::advance() {
  if (!advance_) {
    attendance_.on_its_way = is_being_sent;
    if (!spread_ && chain_.terms.spread && !chain_.terms.routed) spread_ = spread_over_pools();
    advance_ = std::make_unique<Advance>(chain_, cluster(), *ledger_, attendance_,
                                         stderr_matcher(chain_, ports_.captured), spread_);
  }
  return *advance_;
}

Result<Progress> OpenChain::move(std::span<const ChainMove> moves) {
  lease_.renew();
  return advance().move(moves, now_on_clock());
}

Result<void> OpenChain::tell(const std::string& database) const {
  std::ofstream file(record_file(chain_), std::ios::trunc);
  file << database << '\n';
  file.close();
  if (!file) return failed(fmt::format("cannot write {}", record_file(chain_)));
  return {};
}

// The chain does not depend on it: what cannot be written there is said, and that is all.
void OpenChain::write_database(Progress& progress) const {
  std::ifstream file(record_file(chain_));
  std::string database;
  if (!file || !std::getline(file, database) || database.empty()) return;
  const auto done = [&]() -> Result<void> {
    TRY(const std::vector<TaskRun> runs, ledger_->runs());
    return write_record(database, chain_, runs);
  }();
  if (!done)
    progress.notes.push_back(fmt::format("{} was not written: {}", database, done.error().what));
}

// Once each: what the ledger holds now is compared with what it held.
void OpenChain::notify(const Audit& before, bool was_over, Progress& progress) {
  if (!ports_.notify) return;
  // That no pool has room is said once, until one has.
  const std::string mark = chain_folder(chain_.id) + "/pools-full";
  std::error_code ignored;
  const bool said = std::filesystem::exists(mark, ignored);
  const bool full = progress.waits_for_room && !progress.ended;
  if (said && !full) std::filesystem::remove(mark, ignored);
  const Audit now = audit(chain_);
  const bool over = chain_.state == ChainState::kEnded;
  const bool gave_up = now.given_up > before.given_up;
  if (!(full && !said) && !gave_up && !(over && !was_over)) return;
  const auto seen = view();
  if (!seen) return;
  const auto tell = [&](const std::string& json) {
    for (const std::string& problem : ports_.notify(json))
      progress.notes.push_back(fmt::format("a notice was not delivered: {}", problem));
  };
  if (full && !said) {
    std::ofstream(mark) << "\n";
    tell(pools_notice_json(chain_.spec.user, fmt::format("chain {}", chain_.id), seen->now));
  }
  if (gave_up) tell(chain_notice_json(NoticeEvent::kGaveUp, *seen, now.given_up - before.given_up));
  if (over && !was_over) tell(chain_notice_json(NoticeEvent::kChainDone, *seen, 0));
}

Result<Progress> OpenChain::step() {
  const std::string folder = chain_folder(chain_.id);
  const Audit before = audit(chain_);
  const bool was_over = chain_.state == ChainState::kEnded;
  for (;;) {
    take_words(folder);
    lease_.renew();
    TRY(Progress progress, advance().step(now_on_clock()));
    rebalance(progress);
    if (take_words(folder)) continue;
    write_database(progress);
    notify(before, was_over, progress);
    return progress;
  }
}

Result<Progress> OpenChain::cancel() {
  lease_.renew();
  return advance().cancel(now_on_clock());
}

Result<Progress> OpenChain::tidy() {
  lease_.renew();
  return advance().tidy(now_on_clock());
}

Result<void> OpenChain::record(ChainEvent event) {
  TRY_VOID(ledger_->commit({&event, 1}));
  record_in(chain_, event);
  return {};
}

bool OpenChain::may_find_room() const {
  if (!may_move(chain_) || !tasks_wait(chain_)) return false;
  return !chain_.terms.looked_around || chain_.terms.accounts_seen != 1;
}

// It only helps: where it cannot be done the chain goes on as it is.
void OpenChain::rebalance(Progress& progress) {
  if (progress.ended || chain_.terms.routed || !may_move(chain_) || !tasks_wait(chain_)) return;
  const auto settings = settings_for(ports_, chain_);
  if (!settings) {
    progress.notes.push_back(fmt::format("nothing is moved: {}", settings.error().text()));
    return;
  }
  const Instant now = now_on_clock();
  const auto last = chain_.terms.looked_around;
  if (last && now - *last < std::min<Duration>(settings->stuck_after, kLeastBetweenMoves)) return;
  const bool old_enough =
      std::any_of(chain_.batches.begin(), chain_.batches.end(), [&](const Batch& batch) {
        return batch.state == BatchState::kReleased &&
               now - batch.intended >= settings->stuck_after;
      });
  if (!old_enough) return;
  const auto done = rebalance_chain(chain_, cluster(), *settings, now);
  if (!done) {
    progress.notes.push_back(fmt::format("nothing was moved: {}", done.error().what));
    return;
  }
  progress.moved += done->moved;
  for (const std::string& one : done->notes) progress.notes.push_back(one);
  if (!done->refused.empty()) {
    const auto moved = move(done->refused);
    if (moved) {
      progress.moved += moved->moved;
      progress.uncertain |= moved->uncertain;
      progress.unseen |= moved->unseen;
    }
    for (const std::string& one : moved ? moved->notes : std::vector{moved.error().what})
      progress.notes.push_back(one);
  }
  ChainTerms terms = chain_.terms;
  terms.looked_around = now;
  terms.accounts_seen = static_cast<std::uint32_t>(std::max<std::size_t>(1, done->accounts));
  (void)record(TermsChanged{std::move(terms)});
}

Result<ChainView> OpenChain::view() {
  TRY(const std::vector<TaskRun> runs, ledger_->runs());
  ChainView out = chain_view(chain_, runs, now_on_clock());
  out.engine = chain_.terms.engine;
  out.attended = chain_.terms.attended;
  out.followed = out.attended && chain_.terms.engine == kEmbeddedEngine;
  return out;
}

}  // namespace sluice
