// What has to be done to a live Slurm so that it does what a policy file says.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "policyfile/plan/account_commands.h"
#include "policyfile/plan/live_policy.h"
#include "policyfile/read/value.h"

namespace sluice {

enum class StepKind : std::uint8_t { kAdd, kChange, kRemove };

// One command. Doing it twice is harmless.
struct PlanStep {
  Argv argv;
  StepKind kind = StepKind::kChange;
  // "qos interactive", "account research", "user alice of research", "user alice", "partition gpu"
  std::vector<std::string> subjects;
  std::vector<std::string> says;  // What it does, a line each.
  std::vector<std::string> hits;  // Jobs that end with what is removed.
  std::string needs;              // The option without which it is left out: "--delete alice".
};

// A line that only slurm.conf can hold; empty: the line `now` goes.
struct ConfChange {
  std::string line;
  std::string now;
};

struct Plan {
  std::string cluster;
  std::vector<PlanStep> steps;  // In a safe order.
  std::vector<ConfChange> conf;
  // Of partitions that a step changes: scontrol's changes last until slurmctld starts again.
  std::vector<std::string> keep;
  std::vector<std::string> notes;

  bool empty() const { return steps.empty() && conf.empty(); }
  std::size_t held_back() const;
};

// A job that is in the queue or runs, as far as a deletion can hit it.
struct LiveHolder {
  std::string job;  // "12_3 (train, alice)"
  std::string user;
  std::string account;
  std::string qos;
  std::string partition;
};

// Whether steps are told as what will be done, or as what has happened.
enum class Tense : std::uint8_t { kPlan, kHistory };

struct PlanOptions {
  Tense tense = Tense::kPlan;
  // Names of users, accounts, QoS and partitions that may be deleted although jobs are hit.
  std::set<std::string> deletions;
  std::set<std::string> admin_levels;  // Users whose admin level may change.
  std::set<std::string> coordinators;  // Users whose coordination may change.
  std::vector<LiveHolder> jobs;
  // For going back: descriptions too are what they were, even empty ones.
  bool restore = false;
  std::map<std::string, std::string> organizations;  // Of accounts that are made again.
  SlurmOnly slurm_only;  // What the file says of fields that only Slurm keeps.
  // Fields of the file's settings and nodes, "jobs.kill_wait"; nothing: the policy says all of it.
  std::optional<std::set<std::string>> named;
  // Only steps about these subjects.
  std::optional<std::set<std::string>> only;
};

Plan make_plan(const LivePolicy& live, const Policy& wanted, const PlanOptions& options = {});

// Settings that are not named become those of the live cluster.
void keep_unnamed(Policy& wanted, const Policy& live, const std::set<std::string>& named);

// The policy as sacctmgr and slurmctld would keep it: names in lower case, whole minutes.
Policy as_slurm_keeps(Policy policy);

// For people, with every command; for programs.
std::string plan_text(const Plan& plan);
Value plan_value(const Plan& plan);

}  // namespace sluice
