// A Cluster made of the daemon's own API: this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/connection.h"
#include "cluster/cluster.h"

namespace sluice {

// Numbers of jobs are never used again here, so the time of submission is not part of a name: it is
// always zero.
class EmbeddedCluster final : public Cluster {
 public:
  // The folder is told by the daemon when tasks that are submitted here have ended.
  explicit EmbeddedCluster(std::string follower = {}, StartDaemon start = StartDaemon::kIfAbsent)
      : follower_(std::move(follower)), start_(start) {}
  Result<SubmitAnswer> submit(const Submission& submission) override;
  Result<std::vector<RemoteJob>> find(const std::string& key) override;
  Result<Changed> release(const RemoteRef& ref) override;
  Result<std::variant<Changed, Refusal>> hold(const RemoteRef& ref) override;
  Result<std::variant<Changed, Refusal>> update(const RemoteRef& ref,
                                                const JobChange& change) override;
  // All tasks that wait are one record of the array, and change at once; some do one by one.
  Result<std::variant<Changed, Refusal>> update_tasks(const RemoteJob& job, const IndexSet& tasks,
                                                      const JobChange& change) override;
  Result<void> cancel(const RemoteRef& ref) override;
  Result<std::vector<Sighting>> observe(std::span<const RemoteRef> refs) override;
  Result<Description> describe() override;
  Result<std::vector<PastRun>> past_runs(const std::string& name) override;
  Result<std::vector<WaitingTasks>> waiting() override;

 private:
  // One connection for all calls; another where the daemon was restarted meanwhile.
  Result<Connection*> daemon();
  Result<std::string> get(const std::string& target);
  Result<std::variant<Changed, Refusal>> changed(const RemoteRef& ref, const std::string& body);
  std::string follower_;
  StartDaemon start_;
  std::optional<Connection> connection_;
};

}  // namespace sluice
