// Asks Slurm's commands: politely, patiently, and with the answers of the last half minute shared
// by all of a person's processes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "slurm/command.h"

namespace sluice {

struct CallerSettings {
  std::vector<std::string> environment;  // Of the commands: what scrubbed_environment gave.
  std::string cache_folder;              // Empty: nothing is kept.
  // Sites forbid frequent polling: an answer is asked for anew when it is older than this.
  Duration fresh_for = seconds(30);
  Duration seldom = minutes(10);  // The same for what hardly ever changes.
  // A program that did not answer is not asked for so long, where an older answer will do.
  Duration silence = seconds(30);
  // How long questions that did not reach Slurm are repeated.
  Duration patience = seconds(8);
};

// The program's environment less what would change an answer or leak into a job: SLURM_*, SBATCH_*,
// SQUEUE_*, SACCT_*, SINFO_*, PMI*. SLURM_CONF stays.
std::vector<std::string> scrubbed_environment(const std::vector<std::string>& environment);

struct Answered {
  std::string text;
  Instant as_of;
  std::string problem;  // Why it is old: what was said when it was asked for anew.
};

class Caller {
 public:
  explicit Caller(CallerSettings settings) : settings_(std::move(settings)) {}

  const CallerSettings& settings() const { return settings_; }
  // The time of day.
  Instant now() const;

  // Once, whatever comes of it; for what may not be repeated.
  Result<CommandOutput> run(const std::vector<std::string>& argv, Duration limit,
                            std::string_view input = {},
                            const std::vector<std::string>* environment = nullptr) const;
  // Again while the controller is not reached or the answer was lost; for what may be repeated.
  // Gives the last answer, also a refusal.
  Result<CommandOutput> insist(const std::vector<std::string>& argv) const;

  // A question. Its answer is kept under the name and used again while it is fresh; when Slurm
  // does not answer the old one has to do, and says why.
  Result<Answered> ask(std::string_view name, const std::vector<std::string>& argv,
                       Duration fresh_for) const;
  // Something was changed: the queue is asked for anew next time.
  void forget() const;

 private:
  enum class Sort : std::uint8_t { kQuestion, kChange };

  std::vector<std::string> environment_to_ask() const;
  Result<CommandOutput> repeated(const std::vector<std::string>& argv, Sort sort) const;
  Result<std::string> asked(const std::vector<std::string>& argv) const;

  CallerSettings settings_;
};

}  // namespace sluice
