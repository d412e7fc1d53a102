// A Cluster in virtual time: the engine decides, a function says how each run goes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "engine/engine.h"
#include "sim/virtual_time.h"

namespace sluice {

class SimulatedCluster final : public Cluster {
 public:
  // How a run of this request goes; the task is the array's own index.
  using FateOf = std::function<Fate(const JobSpec& spec, std::optional<std::uint32_t> task)>;
  // One run that began: for tests that count them.
  struct Launched {
    JobId job;  // Of the array, for a task.
    std::optional<std::uint32_t> task;
    std::string key;
    Instant at;
  };

  SimulatedCluster(std::shared_ptr<const Policy> policy, std::string user, FateOf fate_of);

  Result<SubmitAnswer> submit(const Submission& submission) override;
  // A neighbour's.
  Result<SubmitAnswer> submit_as(const std::string& user, const Submission& submission);
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

  Instant now() const { return time_.now(); }
  // Lets everything up to then happen.
  void pass_until(Instant until) { time_.advance(until); }
  // When something will happen by itself.
  std::optional<Instant> next() const { return time_.next(); }
  void change_node(const std::string& node, NodeState state);
  // Runs that began since the last call.
  std::vector<Launched> take_launched() { return std::exchange(launched_, {}); }
  // Runs that ended since, and tasks that ended without one.
  std::vector<Launched> take_ended() { return std::exchange(ended_, {}); }
  // Whether a task of it waits or runs.
  bool is_busy(JobId job) const;
  std::size_t submissions() const { return jobs_.size(); }

 private:
  struct Known {
    RemoteJob job;
    JobSpec spec;
    std::string key;
    // By task; a job that is no array has the task 0.
    std::map<std::uint32_t, SeenTask> tasks;
  };
  // The array's record, and the task; a job by itself has none.
  struct Owner {
    JobId job;
    std::optional<std::uint32_t> task;
  };

  Fate fate(const Job& job) const;
  void take(const Event& event);
  SeenTask* seen(JobId job);
  void note_hold(JobId job, const std::string& reason);

  std::string user_;
  FateOf fate_of_;
  Engine engine_;
  VirtualTime time_;
  const Submission* submitting_ = nullptr;
  std::map<JobId, Known> jobs_;
  std::map<JobId, Owner> owners_;
  std::map<std::string, std::vector<JobId>> by_key_;
  std::vector<Launched> launched_;
  std::vector<Launched> ended_;
};

}  // namespace sluice
