// Why a job waits on a real Slurm: the gates in order, who holds what binds, and what would help.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/description.h"
#include "policyfile/read/value.h"
#include "routing/pool.h"
#include "routing/rebalance.h"

namespace sluice {

struct PriorityPart {
  std::string name;  // "age", "fairshare", …
  std::int64_t value = 0;
};

struct SlurmWhy {
  std::string id;  // "23_[2-3]"
  std::string name;
  std::string user;
  WaitingTasks waiting;
  std::int64_t restarts = 0;
  std::optional<Instant> start;  // As Slurm expects it, or when its begin time comes.
  std::vector<PriorityPart> priority;
  std::optional<std::int64_t> total_priority;  // As Slurm adds them up.
  bool mine = true;
};

struct WhatHelps {
  std::string what;
  std::string command;  // To type; empty: nothing to type.
};

struct SlurmWhyCard {
  std::string sentence;  // "waits for a limit that others fill"
  std::vector<Bound> gates;
  std::optional<Bound> binding;
  std::vector<const HeldJob*> holders;  // The jobs that hold what binds, the first to end first.
  std::optional<Instant> room_by;
  std::vector<WhatHelps> help;
};

SlurmWhyCard explain_waiting(const SlurmWhy& why, const Description& seen,
                             const RoutingSettings& settings);

std::string why_text(const SlurmWhy& why, const SlurmWhyCard& card, const Description& seen,
                     Instant now);
// As JSON has it.
Value why_value(const SlurmWhy& why, const SlurmWhyCard& card, const Description& seen);

}  // namespace sluice
