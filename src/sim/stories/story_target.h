// Where a story can be told: a small port, so that the same story runs in virtual time, on the
// embedded engine and on Slurm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/stories/story.h"

namespace sluice {

struct SeenShare {
  std::string node;
  std::int32_t cpus = 0;
  std::int64_t memory_mb = 0;
  IndexSet gpus;
};

// A job, or one task of an array, as the target shows it now.
struct SeenJob {
  std::string name;  // The story's.
  std::optional<std::uint32_t> task;
  bool refused = false;  // There is no such job.
  std::string user;
  std::string account;
  std::string qos;
  std::string partition;
  std::string asks;  // "4 cpus, 2 gpus, 10:00"
  JobState state = JobState::kPending;
  std::string reason;  // Slurm's word, while it waits.
  std::string detail;  // The numbers behind it.
  std::optional<Instant> expected;
  std::vector<std::string> planned;  // Nodes it is expected to start on.
  std::vector<SeenShare> shares;     // Of its last run.
  std::int64_t priority = 0;
  std::optional<JobState> outcome;  // Of its last run.
  // When that last happened.
  std::optional<Instant> started;
  std::optional<Instant> ended;
  std::optional<Instant> requeued;
  std::optional<Instant> preempted;
  std::optional<Instant> resumed;
  std::size_t tasks = 1;  // More where several waiting tasks of an array are one row.

  std::string text() const;  // "A", "A[3]"
  std::vector<std::string> nodes() const;
};

// What a pool got when a job was routed, and why it got no more.
struct SeenPool {
  std::string name;
  bool used = false;
  std::string job;  // The story's.
  std::optional<IndexSet> tasks;
  std::string why;
};

// Whether what was asked for was done.
struct StoryAnswer {
  bool refused = false;
  std::string reason;   // Slurm's word, where a rule refused.
  std::string message;  // What the command printed.
  std::string detail;   // The numbers behind it.
  std::vector<SeenPool> pools = {};
};

struct SeenUsage {
  TresVector tres;
  std::int64_t jobs = 0;
};

struct SeenFree {
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::int64_t memory_mb = 0;
};

// Something a person would want to see on a timeline.
struct Happening {
  Instant at;
  std::string text;  // "A starts on n1"
};

class StoryTarget {
 public:
  virtual ~StoryTarget() = default;

  // Brings up the story's cluster; the time is 0:00.
  virtual Result<void> begin(const Story& story) = 0;
  // Lets time pass until then, and does it.
  virtual Result<StoryAnswer> act(const StoryAction& action, Instant at) = 0;
  // Returns when everything that is due at this time has happened.
  virtual Result<void> settle(Instant at) = 0;
  // Lets a moment pass where an expectation that is not met may still become true.
  virtual Result<bool> look_again() { return false; }

  // One for the job, or one for each of the tasks meant.
  virtual Result<std::vector<SeenJob>> observe(const StoryJob& job) = 0;
  // All that run, in order of start, then all that wait, in the order of the queue.
  virtual Result<std::vector<SeenJob>> queue() = 0;
  virtual Result<SeenUsage> usage(ExpectUsage::Holder holder, const std::string& name) = 0;
  virtual Result<double> fairshare(const std::string& user) = 0;
  virtual Result<SeenFree> free_of(const std::string& node) = 0;
  // Every gate on a waiting job's way as a line of text, the one that stops it marked.
  virtual Result<std::vector<std::string>> gates(const StoryJob& job) = 0;
  // What happened since the last call.
  virtual std::vector<Happening> take_happenings() = 0;

  // Two times closer than this are the same to an expectation.
  virtual Duration tolerance() const { return Duration(0); }
};

}  // namespace sluice
