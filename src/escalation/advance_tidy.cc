// A routed submission whose process died: finished where all its jobs are there, undone otherwise.
#include <algorithm>

#include "escalation/advance.h"

namespace sluice {
namespace {

bool is_submission(const Batch& batch) { return !batch.move; }

}  // namespace

// What is held can never run by itself, so it is enough that the withdrawal is written down before
// the jobs are cancelled. What may be on its way stays: it is looked for.
Result<void> Advance::withdraw_wave() {
  std::vector<ChainEvent> events;
  for (const Batch& batch : chain_.batches)
    if (is_submission(batch) &&
        (batch.state == BatchState::kAccepted ||
         (batch.state == BatchState::kIntended && batch.number >= unsent_from_)))
      events.emplace_back(BatchWithdrawn{batch.number, GivenUp::kNo, {}});
  TRY_VOID(record_all(std::move(events)));
  return clear_withdrawn();
}

Result<void> Advance::withdraw_lost(std::uint32_t number, Instant now) {
  TRY(auto found, cluster_.find(chain_.batch(number).key));
  if (found.empty()) {
    TRY(const bool lost, never_arrived(number, now));
    return lost ? record(BatchWithdrawn{number, GivenUp::kNo, {}}) : Result<void>{};
  }
  std::sort(found.begin(), found.end());
  for (std::size_t i = 1; i < found.size(); ++i)
    TRY_VOID(cluster_.cancel({found[i], std::nullopt}));
  return record_all(
      {BatchAccepted{number, found.front()}, BatchWithdrawn{number, GivenUp::kNo, {}}});
}

Result<Progress> Advance::tidy(Instant now) {
  progress_ = {};
  TRY_VOID(clear_withdrawn());
  const bool incomplete =
      std::any_of(chain_.batches.begin(), chain_.batches.end(), [](const Batch& batch) {
        return is_submission(batch) && batch.state == BatchState::kIntended;
      });
  if (incomplete) TRY_VOID(withdraw_wave());
  // Facts may be recorded on the way, but no batch is added.
  for (std::size_t i = 0; i < chain_.batches.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i + 1);
    if (chain_.batch(number).state != BatchState::kIntended) continue;
    TRY_VOID(is_submission(chain_.batch(number)) ? withdraw_lost(number, now)
                                                 : recover_move(number, now));
  }
  TRY_VOID(take_over_all());
  TRY_VOID(release_all());
  if (!progress_.uncertain && !progress_.unseen) TRY_VOID(clear_twins());
  return progress_;
}

}  // namespace sluice
