// Which of the jobs that wait and run another policy would block, free, end or move in the queue.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "model/queued_job.h"

namespace sluice {

enum class Effect : std::uint8_t {
  kEnds,       // Its association goes, and it with it.
  kPushedOut,  // Makes room for a job that may now ask for it.
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

// "12_3 (train, alice)"
std::string job_label(const QueuedJob& job);
std::string blast_text(const std::vector<JobEffect>& effects);

// Where a job stands under one policy.
struct Standing {
  std::int64_t starts = 0;  // Itself, or so many of an array's tasks.
  bool pushed_out = false;
  JobId preemptor;
  Reason reason;          // While it waits.
  std::size_t place = 0;  // In the queue, from 1; 0: not in it.
  std::int64_t priority = 0;
};
using Standings = std::map<JobId, Standing>;

// The places in the queue as it is now.
Standings places_in_queue(const Engine& engine);
// Which jobs start and which make room in this turn.
void note_turn(const Engine& engine, const Turn& turn, Standings& standings);
// What each of these waits for, where it waits.
void note_reasons(const Engine& engine, const std::vector<JobId>& jobs, Instant now,
                  Standings& standings);

// The policy comes into force in this engine, one pass follows: where everybody stands then. The
// engine is for nothing else afterwards.
Standings standings_under(Engine& engine, std::shared_ptr<const Policy> policy,
                          const std::vector<JobId>& jobs, Instant now);

// A job as people know it, and its number in the engine.
struct KnownJob {
  QueuedJob job;
  JobId id;
};
// What is decided otherwise, in the order of the jobs.
std::vector<JobEffect> effects_between(const std::vector<KnownJob>& jobs, const Policy& before,
                                       const Standings& was, const Policy& after,
                                       const Standings& becomes);

// All jobs of this engine that have not ended.
std::vector<KnownJob> known_jobs(const Engine& engine);

}  // namespace sluice
