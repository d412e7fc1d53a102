// A waiting job moves to another pool where the site lets nobody change it: another is submitted,
// then the old one is cancelled. Never do both run.
//
// Every step is written down before the next depends on it, so whoever comes after a crash goes on:
//   kSubmitting  the new job may be there, held; the old one is as it was
//   kSubmitted   the new job is there, held; the old tasks are being held
//   kCancelling  these old tasks wait and are held: they cannot start, and are being cancelled
//   kReleasing   these were seen cancelled: the new job is released for them alone
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cluster/cluster.h"
#include "model/index_set.h"

namespace sluice {

struct Replacement {
  enum class Stage : std::uint8_t { kSubmitting, kSubmitted, kCancelling, kReleasing };
  std::string key;  // Of the new job.
  RemoteJob old;
  std::optional<IndexSet> tasks;  // Nothing: no array.
  std::string pool;               // "maigan/gpu"
  Instant intended;
  Stage stage = Stage::kSubmitting;
  std::optional<RemoteJob> job;  // The new one.
  IndexSet going;                // Old tasks that were held while they waited; 0 of no array.
  friend bool operator==(const Replacement&, const Replacement&) = default;
};

class ReplacementStore {
 public:
  virtual ~ReplacementStore() = default;
  // Durable when it returns.
  virtual Result<void> write(const Replacement& replacement) = 0;
  virtual void end(const Replacement& replacement) = 0;
};

struct Replaced {
  enum class End : std::uint8_t {
    kMoved,    // Some or all of them.
    kStarted,  // They run or have ended meanwhile: nothing was moved.
    kRefused,  // The site does not take the new job, or does not hold the old one.
    kLater,    // The cluster does not say yet: the note stays.
  };
  End end = End::kLater;
  std::optional<RemoteJob> job;  // That runs instead.
  std::optional<IndexSet> tasks;
  std::string why;
};

// A submission without an answer is looked for during this time before it counts as not made: twice
// Slurm's MessageTimeout, and some.
inline constexpr Duration kReplacementSettles = seconds(30);

// Errors: the cluster or the store could not be reached. Where a note was written it stays.
Result<Replaced> replace(Cluster& cluster, ReplacementStore& store, Replacement replacement,
                         const JobSpec& spec);
// The same, begun by somebody who is gone.
Result<Replaced> finish_replacement(Cluster& cluster, ReplacementStore& store,
                                    Replacement replacement, Instant now);

}  // namespace sluice
