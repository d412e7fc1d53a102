#include "pools/mover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "chains/stuck_tasks.h"
#include "ledger/ledger.h"
#include "policyfile/plan/account_commands.h"
#include "pools/chain_context.h"
#include "slurm/job_update.h"

namespace sluice {
namespace {

constexpr Duration kPatience = seconds(20);

// The site refused to change the job: the chain that it is of submits another.
Result<Moved> move_by_another(const Move& move, const WaitingTasks& from,
                              const std::string& refusal) {
  Moved out{job_words(from.job, move.tasks), move.pool, {}, false, {}};
  const auto stays = [&](std::string_view why) {
    out.what = fmt::format("stays: the site refuses the change ({}), and {}", refusal, why);
    return out;
  };
  const auto id = chain_of_key(from.key);
  if (!id)
    return stays(
        "what it was submitted with is not known here; cancel it and submit it again with `sluice "
        "submit`");
  const auto open = OpenChain::open(chain_ports(), *id, kPatience);
  if (!open) return stays(fmt::format("the chain it is of: {}", open.error().what));
  OpenChain& chain = **open;
  TRY(const auto wanted, by_another_job(chain.chain(), chain.cluster(), move, from));
  if (!wanted) return stays("other jobs depend on this one");
  const ChainKind kind = chain.chain().terms.routed ? ChainKind::kRouted : ChainKind::kChain;
  TRY(const OpenMark mark, OpenMark::set(kind, *id));
  chain.attend();
  const std::size_t before = chain.chain().batches.size();
  TRY(const Progress done, chain.move({&*wanted, 1}));
  if (!chain.chain().is_under_way()) mark.remove();
  // Some of them, where others stay or the site takes no handler for the new job.
  for (const Batch& batch : chain.chain().batches)
    if (batch.number > before && batch.job && batch.state == BatchState::kReleased)
      out.new_job = batch.job->job;
  out.moved = done.moved > 0 && out.new_job;
  out.what = out.moved ? "moved: " : done.unseen || done.uncertain ? "is on its way: " : "stays: ";
  out.what += done.notes.empty() ? "the next sluice command continues it"
                                 : fmt::format("{}", fmt::join(done.notes, "; "));
  return out;
}

}  // namespace

std::optional<TakenOver> taken_over(std::uint32_t job, std::optional<std::uint32_t> task) {
  for (const ChainKind kind : {ChainKind::kRouted, ChainKind::kChain})
    for (const std::string& id : chain_ids(kind)) {
      const std::string folder = chain_folder(id);
      const auto moves = Ledger::count_moves(folder);
      if (!moves || *moves == 0) continue;
      const auto ledger = Ledger::open(folder);
      if (!ledger) continue;
      const Chain& chain = (*ledger)->chain();
      if (chain.terms.engine == kEmbeddedEngine) continue;
      for (const Batch& batch : chain.batches) {
        if (!batch.move || !batch.job || batch.move->job.job.value() != job) continue;
        if (batch.state != BatchState::kReleased && batch.state != BatchState::kClosed) continue;
        const IndexSet tasks = shifted_down(batch.tasks, chain.batch(batch.move->from).offset);
        if (task && !tasks.contains(*task)) continue;
        TakenOver out{batch.move->job, {}, batch.move->account, *batch.job};
        if (chain.array) out.tasks = tasks;
        if (batch.placement) out.pool = batch.placement->pool;
        return out;
      }
    }
  return std::nullopt;
}

Result<std::vector<Moved>> moves_in_words(const RoutedCluster& on, const Rebalance& plan,
                                          const std::vector<WaitingTasks>& waiting) {
  std::vector<Moved> out;
  for (const Move& move : plan.moves) {
    const WaitingTasks& from = waiting[move.waiting];
    const std::string name = job_words(from.job, move.tasks);
    out.push_back({name,
                   move.pool,
                   "would run: " + shell_quoted(on.update_line(name, change_for(move, from))),
                   false,
                   {}});
  }
  return out;
}

Result<std::vector<Moved>> carry_out(const RoutedCluster& on, const Rebalance& plan,
                                     const std::vector<WaitingTasks>& waiting) {
  std::vector<Moved> out;
  for (const Move& move : plan.moves) {
    const WaitingTasks& from = waiting[move.waiting];
    Moved done{job_words(from.job, move.tasks), move.pool, "moved", true, {}};
    TRY(const auto answer, move_in_place(*on.cluster, move, from));
    if (const auto* refusal = std::get_if<Refusal>(&answer)) {
      TRY(done, move_by_another(move, from, refusal->message));
    } else if (std::get<Changed>(answer) == Changed::kTooLate) {
      done.what = "has started or ended meanwhile";
      done.moved = false;
    }
    out.push_back(std::move(done));
  }
  return out;
}

}  // namespace sluice
