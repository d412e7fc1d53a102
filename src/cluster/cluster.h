// The way out to any cluster: simulated, this machine, or a real Slurm.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cluster/description.h"
#include "cluster/past_run.h"
#include "cluster/sighting.h"
#include "cluster/waiting_tasks.h"
#include "model/ids.h"
#include "model/index_set.h"
#include "model/job.h"
#include "model/job_change.h"
#include "model/reason.h"

namespace sluice {

// One job, or array, to be submitted. The key goes with it wherever the cluster can carry it, so
// that a submission whose answer was lost is found again.
struct Submission {
  JobSpec spec;
  std::string key;
  bool held = false;  // Waits until release(): a job that was forgotten can never run by itself.
};

struct Accepted {
  RemoteJob job;
};
struct Declined {
  Refusal refusal;
};
// It may have been accepted: look for the key before anything else.
struct Uncertain {
  std::string why;
};
using SubmitAnswer = std::variant<Accepted, Declined, Uncertain>;

enum class Changed : std::uint8_t {
  kDone,
  kTooLate,  // It has started, ended or gone: nothing was changed.
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  // Errors of these calls say that the cluster could not be reached, and that nothing was done.
  virtual Result<SubmitAnswer> submit(const Submission& submission) = 0;
  // Everything that carries the key, also what has ended, as far as the cluster remembers.
  virtual Result<std::vector<RemoteJob>> find(const std::string& key) = 0;
  virtual Result<Changed> release(const RemoteRef& ref) = 0;
  // What waits does not start until it is released. What runs goes on, but would be held where it
  // is requeued.
  virtual Result<std::variant<Changed, Refusal>> hold(const RemoteRef& ref) = 0;
  virtual Result<std::variant<Changed, Refusal>> hold_tasks(const RemoteJob& job,
                                                            const IndexSet& tasks) {
    for (const std::uint32_t task : tasks.to_vector()) {
      TRY(const auto done, hold({job, task}));
      if (std::holds_alternative<Refusal>(done)) return done;
    }
    return Changed::kDone;
  }
  // All of the change or nothing of it.
  virtual Result<std::variant<Changed, Refusal>> update(const RemoteRef& ref,
                                                        const JobChange& change) = 0;
  // The same for some tasks of an array, each by itself.
  virtual Result<std::variant<Changed, Refusal>> update_tasks(const RemoteJob& job,
                                                              const IndexSet& tasks,
                                                              const JobChange& change) {
    for (const std::uint32_t task : tasks.to_vector()) {
      TRY(const auto done, update({job, task}, change));
      if (std::holds_alternative<Refusal>(done)) return done;
    }
    return Changed::kDone;
  }
  // What has ended or gone already is cancelled.
  virtual Result<void> cancel(const RemoteRef& ref) = 0;
  virtual Result<void> cancel_tasks(const RemoteJob& job, const IndexSet& tasks) {
    for (const std::uint32_t task : tasks.to_vector()) TRY_VOID(cancel({job, task}));
    return {};
  }
  // One answer for each ref, arrays task by task.
  virtual Result<std::vector<Sighting>> observe(std::span<const RemoteRef> refs) = 0;
  virtual Result<Description> describe() = 0;
  // One's own tasks of this name that completed in the last weeks.
  virtual Result<std::vector<PastRun>> past_runs(const std::string& name) = 0;
  // One's own jobs that wait; tasks of one array that wait for the same are one.
  virtual Result<std::vector<WaitingTasks>> waiting() = 0;
  // Whether a job of one's own that waits, other than these, names this one among its dependencies.
  virtual Result<bool> others_wait_for(JobId, std::span<const JobId>) const { return false; }
};

}  // namespace sluice
