// What Slurm's commands printed about a whole cluster, read into its description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/description.h"

namespace sluice {

struct DescriptionTexts {
  std::string config;                      // scontrol show config
  std::string assoc_mgr;                   // scontrol --oneliner show assoc_mgr flags=qos,assoc
  std::string partitions;                  // scontrol --oneliner --all show partition
  std::string nodes;                       // scontrol --oneliner --details show node
  std::string queue;                       // queue_of_all_command() of held_jobs.h
  std::optional<std::string> qos_table;    // Of live_limits.h; slurmdbd may be away.
  std::optional<std::string> assoc_table;  // Likewise.
  std::string reservations = {};           // scontrol --oneliner show reservation
  std::string licenses = {};               // scontrol --oneliner show license; empty: none
  std::vector<std::string> groups = {};    // Of the system, that the user is in; empty: not known.
};

// What was not there, or could not be read, stands in `unseen`.
Description read_description(const DescriptionTexts& texts, const std::string& user);

}  // namespace sluice
