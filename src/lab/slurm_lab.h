// A real Slurm on this machine for stories, and its clock, which can be set forward. The daemon of
// sluice can take Slurm's place: the same commands then reach it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "policyfile/plan/account_commands.h"
#include "slurm/command.h"

namespace sluice {

enum class LabEngine : std::uint8_t { kSlurm, kEmbedded };

// What tests/slurm/lab is told: a folder of these.
struct LabPolicy {
  std::string conf;
  std::string file;            // policy.yaml, for the daemon of sluice.
  std::vector<Argv> accounts;  // sacctmgr commands.
  bool cgroups = false;        // Memory limits are held, so that running out of memory is one.
  friend bool operator==(const LabPolicy&, const LabPolicy&) = default;
};

class SlurmLab {
 public:
  // Brings nothing up yet; fails where that could not be done.
  static Result<std::unique_ptr<SlurmLab>> find(LabEngine engine);
  // Takes everything down.
  ~SlurmLab();
  SlurmLab(const SlurmLab&) = delete;
  SlurmLab& operator=(const SlurmLab&) = delete;

  // A cluster of this policy on which nothing runs; one that is up already is used again.
  Result<void> prepare(const LabPolicy& policy);
  // The next story gets a cluster without a past.
  void forget() { current_ = {}; }

  LabEngine engine() const { return engine_; }
  // Another policy while jobs run; the daemon of sluice only.
  Result<CommandOutput> adopt(const std::string& policy_file) const;

  Result<CommandOutput> run(const std::string& user, const std::vector<std::string>& argv) const;

  // Slurm's time.
  Instant now() const;
  Result<void> set_forward(Duration by);

  // Where users may read scripts.
  const std::string& story_folder() const { return story_folder_; }
  std::vector<std::string> environment() const;

 private:
  SlurmLab() = default;
  Result<void> lab(std::vector<std::string> arguments) const;
  Result<CommandOutput> run_as(const std::string& user, const std::vector<std::string>& argv) const;
  Result<void> clear() const;
  // False where the cluster has to be brought up anew.
  Result<bool> swap_accounts(const std::vector<Argv>& accounts) const;

  LabEngine engine_ = LabEngine::kSlurm;
  std::string script_;
  std::string folder_;
  std::string state_;
  std::string story_folder_;
  LabPolicy current_;
  bool up_ = false;
  bool cgroups_ = false;
  Duration ahead_{0};
};

// Waits in real time.
void pause_for(Duration time);
// From now on SIGINT, SIGTERM and SIGHUP make every command on the lab fail, so that what was
// brought up is taken down.
void end_on_signals();

}  // namespace sluice
