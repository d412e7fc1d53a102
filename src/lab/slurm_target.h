// A story on a real Slurm.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/slurm_lab.h"
#include "sim/stories/story_runner.h"
#include "sim/stories/story_target.h"
#include "slurm/job_details.h"
#include "slurm/queue_rows.h"

namespace sluice {

// A job that does not do the same on both when nothing moves.
struct QuietDifference {
  std::string job;
  std::string simulated;  // "runs", "waits Priority", "is suspended", "ended"
  std::string slurm;
  friend bool operator==(const QuietDifference&, const QuietDifference&) = default;
};
// Reasons are compared where the story has the tag same-reasons, nodes and the CPUs on each where
// it has same-nodes.
std::vector<QuietDifference> quiet_differences(const Story& story,
                                               const std::vector<SeenJob>& simulated,
                                               const std::vector<SeenJob>& slurm);

// What the lab is told of a story's policy.
LabPolicy lab_policy(const Story& story);

class SlurmTarget final : public StoryTarget {
 public:
  // The lab is prepared for the story. What happens in virtual time says where the clock may not
  // be set forward at once.
  SlurmTarget(SlurmLab& lab, const StoryRun& simulated);

  Result<void> begin(const Story& story) override;
  Result<StoryAnswer> act(const StoryAction& action, Instant at) override;
  Result<void> settle(Instant at) override;
  Result<bool> look_again() override;
  Result<std::vector<SeenJob>> observe(const StoryJob& job) override;
  Result<std::vector<SeenJob>> queue() override;
  Result<SeenUsage> usage(ExpectUsage::Holder holder, const std::string& name) override;
  Result<double> fairshare(const std::string& user) override;
  Result<SeenFree> free_of(const std::string& node) override;
  Result<std::vector<std::string>> gates(const StoryJob& job) override;
  std::vector<Happening> take_happenings() override;
  Duration tolerance() const override { return tolerance_; }
  // Whether nothing was to move any more after that step.
  bool was_quiet(std::size_t step) const { return quiet_[step]; }

 private:
  struct Submitted {
    std::uint32_t id = 0;
    bool refused = false;
    std::optional<IndexSet> tasks;
    std::string who;
  };
  // What squeue does not say: when something was first seen.
  struct Life {
    JobState state = JobState::kPending;
    std::int64_t restarts = 0;
    std::optional<Instant> requeued;
    std::optional<Instant> resumed;
    std::optional<Instant> preempted;
    std::optional<Instant> ended;
    std::optional<JobState> outcome;
  };
  using Key = std::pair<std::uint32_t, std::optional<std::uint32_t>>;

  Instant story_now() const { return Instant(lab_.now() - origin_); }
  Instant story_time(Instant slurm_time) const;
  // Whether it waits for slurmctld's next round of half a minute.
  bool comes_by_round(const Happening& happening) const;
  Result<void> go_to(Instant at);
  Result<void> await(const Happening& happening);
  Result<void> refresh();
  void follow(const QueueRow& row);

  Result<StoryAnswer> submit(const StorySubmit& submit);
  Result<StoryAnswer> command(const StoryCommand& command);
  Result<StoryAnswer> update(const StoryUpdate& update);
  Result<StoryAnswer> end(const StoryEnd& end);
  Result<StoryAnswer> reservation(const StoryReservation& step);
  Result<StoryAnswer> change_node(const StoryNodeChange& change);
  Result<StoryAnswer> change_policy(const StoryPolicyChange& change);
  Result<StoryAnswer> reset_usage();
  Result<StoryAnswer> asked(const std::string& who, const std::vector<std::string>& argv) const;
  std::optional<std::string> dependency_text(const std::vector<StoryDependency>& dependencies,
                                             bool any) const;
  Result<std::string> write_script(const StorySubmit& submit) const;
  std::vector<std::string> refs(const StoryJob& job) const;

  SeenJob seen(const std::string& name, std::optional<std::uint32_t> task) const;
  SeenJob seen(const QueueRow& row) const;
  const QueueRow* find(std::uint32_t array, std::optional<std::uint32_t> task) const;
  const std::string* name_of(std::uint32_t array) const;
  // Whether a job does not do what it does in virtual time after this step, and did at the last
  // quiet moment.
  bool differs_anew(const CheckedStep& step) const;
  std::vector<SeenJob> in_order() const;

  SlurmLab& lab_;
  const StoryRun& simulated_;
  const Story* story_ = nullptr;
  std::size_t step_ = 0;           // How many were done.
  std::vector<Happening> events_;  // What happens between the steps in virtual time.
  std::size_t next_event_ = 0;
  std::vector<bool> quiet_;
  std::vector<QuietDifference> known_differences_;
  Duration tolerance_ = seconds(8);
  std::optional<JobState> cause_;  // How the story itself makes runs end.
  bool suspends_ = false;          // The story itself does.
  Duration origin_{0};             // Slurm's time at 0:00.
  Instant deadline_;    // Slurm's time until which this step's expectations may become true.
  bool hurry_ = false;  // What is waited for is one of slurmctld's rounds of half a minute.
  std::vector<std::pair<Instant, Instant>> done_;  // Each step's own time, and Slurm's.
  std::map<std::string, Submitted> jobs_;
  std::map<std::uint32_t, std::string> names_;
  std::map<Key, Life> lives_;
  std::vector<QueueRow> rows_;
  std::map<std::uint32_t, std::vector<HeldOnNode>> details_;
};

}  // namespace sluice
