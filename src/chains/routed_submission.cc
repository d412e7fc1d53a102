#include "chains/routed_submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace sluice {
namespace {

constexpr Duration kPatience = seconds(60);
constexpr Duration kBetweenLooks = seconds(5);
// Looked for, made once more, looked for again.
constexpr Duration kGivesUpAfter = kLookFor * 2 + seconds(15);

bool anything_released(const Chain& chain) {
  return std::any_of(chain.batches.begin(), chain.batches.end(), [](const Batch& batch) {
    return batch.state == BatchState::kReleased || batch.state == BatchState::kClosed;
  });
}

}  // namespace

bool is_settled(const Chain& chain, Instant now) {
  if (chain.is_under_way()) return false;
  return std::none_of(chain.batches.begin(), chain.batches.end(), [&](const Batch& batch) {
    return batch.attempts > 1 && now - batch.intended < kLookFor;
  });
}

Chain routed_chain(JobSpec spec, ChainTerms terms) {
  Ladder once;
  once.levels.push_back({});
  once.most_again = 0;
  once.handling.states.clear();
  once.handling.exit_codes.clear();
  once.handling.signals.clear();
  terms.routed = true;
  terms.attended = false;
  const std::optional<ArraySpec> array = spec.array;
  Chain chain =
      make_chain(new_chain_id(), now_on_clock(), std::move(spec), std::move(once), array, {});
  chain.terms = std::move(terms);
  chain.script_path = chains_folder(ChainKind::kRouted) + "/" + chain.id + "/script";
  return chain;
}

IndexSet RoutedSubmission::left() const {
  IndexSet out;
  for (const Task& task : chain_.tasks)
    if (task.state == TaskState::kWaiting) out.insert(task.index);
  return out;
}

Result<std::unique_ptr<OpenChain>> RoutedSubmission::open_or_create() {
  if (created_) return OpenChain::open(ports_, chain_.id, kPatience);
  forget_old_submissions();
  TRY(auto open, OpenChain::create(ports_, chain_));
  created_ = true;
  return open;
}

Result<void> RoutedSubmission::hand_in_held(OpenChain& open,
                                            const std::function<void(const std::string&)>& say,
                                            const std::function<void(Duration)>& wait) {
  const Instant begin = now_on_clock();
  for (;;) {
    TRY(const Progress progress, open.step());
    for (const std::string& note : progress.notes) say(note);
    if (!progress.uncertain) return {};
    if (now_on_clock() - begin > kGivesUpAfter)
      return tl::unexpected<Error>(
          Error{ErrorKind::kUnknown,
                "whether a job was accepted is not known",
                {},
                "if it was, it is held; the next sluice command looks for it and cancels it"});
    mark_->renew();
    wait(kBetweenLooks);
  }
}

// Where nothing is left of it, it never was.
Error RoutedSubmission::end_badly(OpenChain& open, Error error) {
  chain_ = open.chain();
  if (!is_settled(chain_, now_on_clock())) return error;  // The mark stays.
  if (!anything_released(chain_)) {
    std::error_code ignored;
    std::filesystem::remove_all(chain_folder(chain_.id), ignored);
    created_ = false;
  }
  mark_->remove();
  return error;
}

Result<std::vector<SubmittedShare>> RoutedSubmission::hand_in(
    std::vector<Share> shares, const std::function<void(const std::string&)>& say,
    const std::function<void(Duration)>& wait) {
  TRY(OpenMark mark, OpenMark::set(ChainKind::kRouted, chain_.id));
  mark_ = std::move(mark);
  auto open = open_or_create();
  if (!open) {
    mark_->remove();
    return tl::unexpected<Error>(open.error());
  }
  OpenChain& chain = **open;
  const std::size_t before = chain.chain().batches.size();
  // Only these, and only once: what is kept back waits for the next look at the pools.
  chain.use_spread([&shares](const Chain&, const IndexSet&, const Request&) {
    return Result<std::vector<Share>>(std::exchange(shares, {}));
  });
  const auto done = hand_in_held(chain, say, wait);
  if (!done) return tl::unexpected<Error>(end_badly(chain, done.error()));
  chain_ = chain.chain();
  if (is_settled(chain_, now_on_clock())) mark_->remove();
  std::vector<SubmittedShare> out;
  for (std::size_t i = before; i < chain_.batches.size(); ++i) {
    const Batch& batch = chain_.batches[i];
    if (batch.job) out.push_back({*batch.job, batch.placement ? batch.placement->pool : ""});
  }
  return out;
}

Result<void> RoutedSubmission::look() {
  if (!created_) return {};
  TRY(auto open, OpenChain::open(ports_, chain_.id, kPatience));
  TRY_VOID(open->step());
  chain_ = open->chain();
  return {};
}

Result<bool> RoutedSubmission::wait_for_end(Duration pause,
                                            const std::function<void(Duration)>& wait) {
  for (;;) {
    {
      TRY(auto open, OpenChain::open(ports_, chain_.id, kPatience));
      TRY(const Progress progress, open->step());
      chain_ = open->chain();
      if (progress.ended)
        return std::all_of(chain_.tasks.begin(), chain_.tasks.end(),
                           [](const Task& task) { return task.state == TaskState::kCompleted; });
    }
    wait(pause);
  }
}

}  // namespace sluice
