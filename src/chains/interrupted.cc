#include "chains/interrupted.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "chains/earlier_notes.h"
#include "chains/routed_submission.h"

namespace sluice {
namespace {

using Say = std::function<void(const std::string&)>;

std::string_view move_words(BatchState state) {
  if (state == BatchState::kReleased) return "finished";
  if (state == BatchState::kWithdrawn) return "undone: the tasks stay where they were";
  return "under way";
}

// What became of each job while this process looked after it.
void say_changes(const Chain& before, const Chain& after, const Say& say) {
  for (std::size_t i = 0; i < after.batches.size() && i < before.batches.size(); ++i) {
    const Batch& was = before.batches[i];
    const Batch& is = after.batches[i];
    if (was.state == is.state) continue;
    if (is.move) {
      say(fmt::format("an interrupted move of job {} to account {} is {}", is.move->job.job.value(),
                      is.move->account, move_words(is.state)));
      continue;
    }
    const auto job = is.job ? is.job : was.job;
    const std::string name = job ? fmt::format("job {}", job->job.value()) : "a job";
    if (is.state == BatchState::kReleased)
      say(fmt::format("{} of an interrupted submission is released", name));
    if (is.state == BatchState::kWithdrawn)
      say(fmt::format("{} of an interrupted submission {}", name,
                      job ? "is cancelled" : "never arrived"));
  }
}

void tidy_routed(OpenChain& open, const OpenMark& mark, const Say& say) {
  const Chain before = open.chain();
  const auto done = open.tidy();
  const Chain& after = open.chain();
  say_changes(before, after, say);
  if (!done) {
    say(fmt::format("an interrupted submission could not be finished: {}", done.error().what));
    mark.tried();
    return;
  }
  for (const std::string& note : done->notes) say(note);
  if (!is_settled(after, now_on_clock())) {
    if (done->uncertain)
      say("an interrupted submission may still arrive; a later sluice command looks for it");
    mark.tried();
    return;
  }
  const bool nothing_left =
      std::all_of(after.batches.begin(), after.batches.end(),
                  [](const Batch& batch) { return batch.state == BatchState::kWithdrawn; });
  if (nothing_left) {
    std::error_code ignored;
    std::filesystem::remove_all(chain_folder(after.id), ignored);
  }
  mark.remove();
}

void continue_chain(OpenChain& open, const OpenMark& mark, const Say& say) {
  open.attend();
  const auto done = open.step();
  if (!done || done->uncertain) {
    mark.tried();
    return;
  }
  say(fmt::format("chain {}, whose submission was interrupted, continues", open.chain().id));
  mark.remove();
}

void tidy_marked(const ChainPorts& ports, ChainKind kind, const Say& say) {
  for (const OpenMark& mark : OpenMark::left_behind(kind)) {
    std::error_code ignored;
    if (!std::filesystem::exists(chains_folder(kind) + "/" + mark.id() + "/ledger.db", ignored)) {
      mark.remove();  // It died before it wrote down what it wanted.
      continue;
    }
    const auto open = OpenChain::open(ports, mark.id(), Duration(0));
    if (!open) continue;  // Another process looks after it.
    if (kind == ChainKind::kRouted)
      tidy_routed(**open, mark, say);
    else
      continue_chain(**open, mark, say);
  }
}

}  // namespace

void tidy_interrupted(const ChainPorts& ports, const Say& say) {
  take_over_earlier_notes(ports, say);
  tidy_marked(ports, ChainKind::kRouted, say);
  tidy_marked(ports, ChainKind::kChain, say);
}

}  // namespace sluice
