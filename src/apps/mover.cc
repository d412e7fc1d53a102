#include "apps/mover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "apps/chain_context.h"
#include "apps/chain_rebalance.h"
#include "apps/durable_note.h"
#include "apps/kept_request.h"
#include "apps/move_notes.h"
#include "apps/routing_context.h"
#include "apps/submission_record.h"
#include "cli/local_time.h"
#include "policyfile/account_commands.h"
#include "routing/replacement.h"
#include "routing/routed_spec.h"
#include "slurm/job_update.h"

namespace sluice {
namespace {

constexpr Duration kPatience = seconds(20);

// The job as it was submitted, with what was changed since, for another pool. It waits for a limit,
// so what it depended on and its begin time have passed.
JobSpec spec_elsewhere(const JobSpec& kept, const Move& move, const WaitingTasks& from) {
  Pool pool;
  pool.account = move.account;
  pool.qos = move.qos;
  pool.device = from.need.gpus > 0 ? Device::kGpu : Device::kCpu;
  pool.need = from.need;
  pool.need.partitions = move.partitions;
  JobSpec out = spec_for(kept, pool, move.tasks, kept.array ? kept.array->indices.size() : 1);
  if (from.need.memory_mb > 0)
    out.memory = MemoryRequest{MemoryPer::kNode, from.need.memory_mb / from.need.nodes};
  out.dependencies = {};
  out.begin.reset();
  out.hold = false;
  return out;
}

std::string replaced_words(const Replaced& done) {
  const std::string job = done.job ? std::to_string(done.job->job.value()) : "";
  switch (done.end) {
    case Replaced::End::kMoved:
      return fmt::format(
          "moved, as job {}{}: the site does not let it be changed, so it was submitted anew and "
          "cancelled here",
          job, done.tasks ? fmt::format(" ({} tasks)", done.tasks->size()) : "");
    case Replaced::End::kStarted:
      return "has started or ended meanwhile";
    case Replaced::End::kRefused:
      return fmt::format("stays: {}", done.why);
    case Replaced::End::kLater:
      return fmt::format("is on its way: {}; the next `sluice rebalance` goes on with it",
                         done.why);
  }
  return {};
}

// Its chain's ledger knows the job: the chain submits the other one.
Result<void> move_by_chain(const std::string& id, const Move& move, const WaitingTasks& from,
                           const std::string& refusal, Moved& out) {
  auto open = OpenChain::open(id, kPatience);
  if (!open) {
    out.what = fmt::format("stays: the site refuses the change ({}), and the chain it is of: {}",
                           refusal, open.error().what);
    return {};
  }
  const auto cluster = cluster_of((*open)->chain());
  TRY(const auto wanted, by_another_job((*open)->chain(), move, from));
  if (!wanted) {
    out.what = fmt::format(
        "stays: the site refuses the change ({}), and other jobs depend on this one", refusal);
    return {};
  }
  (*open)->attend(*cluster);
  const std::size_t before = (*open)->chain().batches.size();
  TRY(const Progress done, (*open)->move(*cluster, {&*wanted, 1}));
  // Some of them, where others stay or the site takes no handler for the new job.
  for (const Batch& batch : (*open)->chain().batches)
    if (batch.number > before && batch.job && batch.state == BatchState::kReleased)
      out.new_job = batch.job->job;
  out.moved = done.moved > 0 && out.new_job;
  out.what = out.moved ? "moved: " : done.unseen || done.uncertain ? "is on its way: " : "stays: ";
  out.what += done.notes.empty() ? fmt::format("the next `sluice status {}` goes on with it", id)
                                 : fmt::format("{}", fmt::join(done.notes, "; "));
  return {};
}

// The site refused to change the job.
Result<Moved> move_by_another(const RoutedCluster& on, const Description& seen, const Move& move,
                              const WaitingTasks& from, const std::string& refusal) {
  Moved out{job_words(from.job, move.tasks), move.pool, {}, false, {}};
  if (const auto chain = chain_of_key(from.key)) {
    TRY_VOID(move_by_chain(*chain, move, from, refusal, out));
    return out;
  }
  const auto kept = on.requests.empty() ? std::nullopt : kept_request(on.requests, from.key);
  if (!kept) {
    out.what = fmt::format(
        "stays: the site refuses the change ({}), and what it was submitted with is not known "
        "here; cancel it and submit it anew with `sluice submit`",
        refusal);
    return out;
  }
  if (on.slurm) {
    TRY(const bool awaited, this_slurm()->others_wait_for(from.job.job));
    if (awaited) {
      out.what = fmt::format(
          "stays: the site refuses the change ({}), and other jobs depend on this one", refusal);
      return out;
    }
  }
  Replacement replacement;
  replacement.key = new_key();
  replacement.old = from.job;
  replacement.tasks = move.tasks;
  replacement.pool = move.pool;
  replacement.intended = now_here();
  const JobSpec spec = spec_elsewhere(*kept, move, from);
  TRY_VOID(keep_request(on.requests, replacement.key, spec));
  MoveNotes notes(on.moves, seen.policy->cluster);
  TRY(const Replaced done, replace(*on.cluster, notes, replacement, spec));
  out.what = replaced_words(done);
  out.moved = done.end == Replaced::End::kMoved;
  if (out.moved) out.new_job = done.job->job;
  return out;
}

}  // namespace

std::string job_words(const RemoteJob& job, const std::optional<IndexSet>& tasks) {
  return tasks ? job_name(job, *tasks) : job_name(RemoteRef{job, std::nullopt});
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

Result<std::vector<Moved>> carry_out(const RoutedCluster& on, const Description& seen,
                                     const Rebalance& plan,
                                     const std::vector<WaitingTasks>& waiting) {
  std::vector<Moved> out;
  if (plan.moves.empty()) return out;
  // Two who move the same job by another would run it twice.
  TRY(const NoteLock lock, NoteLock::take(on.moves));
  for (const Move& move : plan.moves) {
    const WaitingTasks& from = waiting[move.waiting];
    Moved done{job_words(from.job, move.tasks), move.pool, "moved", true, {}};
    TRY(const auto answer, move_in_place(*on.cluster, move, from));
    if (const auto* refusal = std::get_if<Refusal>(&answer)) {
      TRY(done, move_by_another(on, seen, move, from, refusal->message));
    } else if (std::get<Changed>(answer) == Changed::kTooLate) {
      done.what = "has started or ended meanwhile";
      done.moved = false;
    }
    out.push_back(std::move(done));
  }
  return out;
}

Result<void> finish_moves(const RoutedCluster& on) {
  std::error_code problem;
  bool any = false;
  for (const auto& entry : std::filesystem::directory_iterator(on.moves, problem))
    any = any || !entry.path().filename().string().starts_with('.');
  if (!any) return {};
  const auto lock = NoteLock::take(on.moves);
  if (!lock) return {};  // Whoever has it is at it.
  TRY(const Description seen, on.cluster->describe());
  MoveNotes notes(on.moves, seen.policy->cluster);
  TRY(const std::vector<Replacement> left, notes.left());
  for (const Replacement& one : left) {
    TRY(const Replaced done, finish_replacement(*on.cluster, notes, one, now_here()));
    fmt::print(stderr, "sluice: an interrupted move of {} to {}: {}\n",
               job_words(one.old, one.tasks), one.pool, replaced_words(done));
  }
  return {};
}

}  // namespace sluice
