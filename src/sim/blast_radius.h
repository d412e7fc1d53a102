// Which of the jobs that wait and run a new policy would block, free, end or move in the queue.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/policy.h"
#include "model/queued_job.h"

namespace sluice {

enum class Effect : std::uint8_t {
  kEnds,       // Its association goes, and it with it.
  kPushedOut,  // Makes room for somebody who may now ask for it.
  kBlocked,    // Waits, and a limit or a right is what it now waits for.
  kFreed,      // A limit or a right no longer stops it.
  kStarts,     // Would start at once.
  kWaits,      // Would have started at once.
  kMoved,      // Another place in the queue.
};
std::string_view effect_word(Effect effect);

struct JobEffect {
  std::string job;  // "12_3 (train, alice)"
  Effect effect = Effect::kBlocked;
  std::string text;  // Why, with the numbers.
};

// The same queue goes through the engine under both policies; what is decided differently comes
// back, in the order of the jobs. What was used in the past is not known and counts as nothing
// under both. Machines and partitions that jobs use must be in both policies.
std::vector<JobEffect> blast_radius(std::shared_ptr<const Policy> before,
                                    std::shared_ptr<const Policy> after,
                                    const std::vector<QueuedJob>& jobs, Instant now);

// "12_3 (train, alice)"
std::string job_label(const QueuedJob& job);
std::string blast_text(const std::vector<JobEffect>& effects);

}  // namespace sluice
