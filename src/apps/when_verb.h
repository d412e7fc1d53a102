// sluice when: when a job will start, on this machine or on Slurm.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/predictions.h"
#include "base/result.h"
#include "cli/cli.h"
#include "model/job.h"
#include "views/when_card.h"

namespace sluice {

void add_when(Command& root, ExitCode& exit_code);
std::optional<ExitCode> run_when(std::span<const std::string> arguments);

// A job by its number, or one that would be submitted now.
struct WhenQuestion {
  std::string job;
  std::optional<JobSpec> request;
};

// The live queue of Slurm, run ahead in virtual time here.
struct SlurmWhen {
  WhenCard card;
  std::string cluster;
};
Result<SlurmWhen> when_on_slurm(const WhenQuestion& question);
// Which of these predictions have come true.
Result<void> settle_on_slurm(const std::vector<Prediction>& said, Outcomes& outcomes);

}  // namespace sluice
