// A story in virtual time.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/stories/story_target.h"
#include "sim/virtual_time.h"

namespace sluice {

class SimulatedTarget final : public StoryTarget {
 public:
  SimulatedTarget();

  Result<void> begin(const Story& story) override;
  Result<StoryAnswer> act(const StoryAction& action, Instant at) override;
  Result<void> settle(Instant at) override;
  Result<std::vector<SeenJob>> observe(const StoryJob& job) override;
  Result<std::vector<SeenJob>> queue() override;
  Result<SeenUsage> usage(ExpectUsage::Holder holder, const std::string& name) override;
  Result<double> fairshare(const std::string& user) override;
  Result<SeenFree> free_of(const std::string& node) override;
  Result<std::vector<std::string>> gates(const StoryJob& job) override;
  std::vector<Happening> take_happenings() override;

 private:
  // A job of the story, or a task of it.
  using Key = std::pair<std::string, std::optional<std::uint32_t>>;
  struct Submitted {
    JobId id;  // Of the array's record, for an array.
    bool refused = false;
    std::optional<IndexSet> tasks;
    StoryFate fate;
    StorySubmit request;
    // Of a routed array: which tasks are in which array of the cluster.
    std::vector<std::pair<IndexSet, JobId>> parts;
    JobId id_of(std::optional<std::uint32_t> task) const {
      for (const auto& [part, job] : parts)
        if (task && part.contains(*task)) return job;
      return id;
    }
  };

  Fate fate_of(const Job& job) const;
  void take(const Turn& turn);
  void take(const Event& event);
  void say(Instant at, std::string text) { happenings_.push_back({at, std::move(text)}); }
  const Key& key_of(JobId job) const { return keys_.at(job); }
  std::string name_of(JobId job) const;
  SeenJob& life(JobId job);

  StoryAnswer answer_of(const Reply& reply) const;
  StoryAnswer submit(const StorySubmit& submit, Instant at);
  StoryAnswer update(const StoryUpdate& update, Instant at);
  StoryAnswer route(const StoryRoute& route, Instant at);
  StoryAnswer rebalance(const StoryRebalance& rebalance, Instant at);
  StoryAnswer command(const StoryCommand& command, Instant at);
  StoryAnswer reservation(const StoryReservation& step, Instant at);
  StoryAnswer end(const StoryEnd& end, Instant at);
  // A job that was refused has no number.
  std::optional<Dependencies> numbered(const std::vector<StoryDependency>& dependencies,
                                       bool any) const;
  Actor actor(const std::string& who) const;
  std::vector<JobRef> refs(const StoryJob& job) const;
  // The record that shows how the job or task is doing; nullptr where it is forgotten.
  const Job* record(const Submitted& known, std::optional<std::uint32_t> task) const;
  SeenJob seen(const std::string& name, std::optional<std::uint32_t> task) const;
  void describe(const Job& job, SeenJob& out) const;
  std::string numbers(const Reason& reason) const;
  std::string holders_of(const Reason& reason) const;
  const State& state() const { return engine_.state(); }

  Engine engine_;
  VirtualTime time_;
  RoutingSettings routing_;
  const StorySubmit* submitting_ = nullptr;
  std::map<std::string, Submitted> jobs_;
  std::map<JobId, Key> keys_;
  std::map<Key, SeenJob> lives_;
  std::vector<Happening> happenings_;
};

}  // namespace sluice
