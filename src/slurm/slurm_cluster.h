// A Cluster made of Slurm's own commands.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "slurm/caller.h"
#include "slurm/my_jobs.h"

namespace sluice {

class SlurmCluster final : public Cluster {
 public:
  explicit SlurmCluster(CallerSettings settings) : caller_(std::move(settings)) {}

  Result<SubmitAnswer> submit(const Submission& submission) override;
  Result<std::vector<RemoteJob>> find(const std::string& key) override;
  Result<Changed> release(const RemoteRef& ref) override;
  Result<std::variant<Changed, Refusal>> hold(const RemoteRef& ref) override;
  Result<std::variant<Changed, Refusal>> hold_tasks(const RemoteJob& job,
                                                    const IndexSet& tasks) override;
  Result<std::variant<Changed, Refusal>> update(const RemoteRef& ref,
                                                const JobChange& change) override;
  Result<std::variant<Changed, Refusal>> update_tasks(const RemoteJob& job, const IndexSet& tasks,
                                                      const JobChange& change) override;
  Result<void> cancel(const RemoteRef& ref) override;
  Result<void> cancel_tasks(const RemoteJob& job, const IndexSet& tasks) override;
  Result<std::vector<Sighting>> observe(std::span<const RemoteRef> refs) override;
  Result<Description> describe() override;
  // With the associations and QoS of another user, as far as this one may see them.
  Result<Description> describe_for(const std::string& user);
  Result<std::vector<PastRun>> past_runs(const std::string& name) override;
  Result<std::vector<WaitingTasks>> waiting() override;

  Result<bool> others_wait_for(JobId job, std::span<const JobId> but) const override;

  // One's own jobs in the queue, not older than that.
  Result<MyJobs> mine(Duration fresh_for) const;

  const Caller& caller() const { return caller_; }

 private:
  // scontrol with a command that may be given twice.
  Result<std::variant<Changed, Refusal>> change(const std::string& job,
                                                const std::vector<std::string>& argv);
  Result<void> cancel_named(const std::string& job);
  Instant submit_time(JobId job, Instant before) const;

  Caller caller_;
};

// This process's environment, and a cache folder that its user's processes share.
CallerSettings slurm_settings(const std::vector<std::string>& environment);

}  // namespace sluice
