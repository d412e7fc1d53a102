// What `sluice when` has said, kept until it can be held against what happened.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "views/when_card.h"

namespace sluice {

struct Prediction {
  std::string engine;   // embedded or slurm.
  std::string cluster;  // Its name, on Slurm.
  std::string job;      // Empty: of a job that was not submitted.
  Instant submitted;
  Instant asked;
  Instant early;
  Instant likely;
  Instant late;
  std::optional<Instant> planned;  // What squeue --start said then.
};

// Adds it to the file; the oldest go where the file has become long.
Result<void> keep_prediction(const Prediction& prediction);
Result<std::vector<Prediction>> kept_predictions();
std::string predictions_file();

// One that has come true or not.
struct Outcomes {
  std::size_t waiting = 0;  // Have not started.
  std::size_t unknown = 0;  // Nothing is known of the job any more, or it was not submitted.
  struct Settled {
    Prediction said;
    Instant started;
  };
  std::vector<Settled> settled;
};
std::string score_text(const Outcomes& outcomes);
std::string score_json(const Outcomes& outcomes);

}  // namespace sluice
