// The same story in virtual time and on a real Slurm, or on the daemon of sluice, side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/slurm_lab.h"
#include "policyfile/read/value.h"
#include "sim/stories/story_report.h"
#include "sim/stories/story_runner.h"

namespace sluice {

struct StoryDifference {
  int line = 0;
  std::string step;      // "0:01  bob submits B"
  std::string expected;  // As the story has it, or what is compared when nothing moves.
  std::string simulated;
  std::string slurm;  // What the other one did, whichever engine that is.
};

struct ComparedStory {
  const Story* story = nullptr;
  LabEngine engine = LabEngine::kSlurm;
  bool simulated_passed = false;
  bool slurm_passed = false;
  std::optional<std::string> problem;  // Why it could not be told to Slurm.
  std::vector<StoryDifference> differences;
  Duration took{0};

  bool equal() const { return !problem && simulated_passed && slurm_passed && differences.empty(); }
};

// Clusters of equal policies come one after the other, so that few are brought up.
class Conformance {
 public:
  explicit Conformance(const std::vector<Story>& stories);
  // In this order.
  const std::vector<const Story*>& order() const { return order_; }
  Result<ComparedStory> run(const Story& story, SlurmLab& lab) const;

 private:
  std::vector<const Story*> order_;
  std::vector<std::pair<const Story*, LabPolicy>> policies_;
};

// Whether the daemon of sluice can run it: it has no command that resets usage, its processes do
// not run out of memory that is only declared, and it takes no policy with mistakes.
bool runs_on_daemon(const Story& story);

std::string compared_text(const ComparedStory& compared, Colour colour);
Value compared_as_value(const ComparedStory& compared);

}  // namespace sluice
