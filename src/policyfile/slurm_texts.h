// What a live Slurm prints about its policy: which commands to run, and their outputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policyfile/account_commands.h"

namespace sluice {

struct SlurmTexts {
  std::string config;             // scontrol show config
  std::string partitions;         // scontrol --oneliner --all show partition
  std::string nodes;              // scontrol --oneliner show node
  std::string clusters;           // sacctmgr show cluster
  std::string qos;                // sacctmgr show qos
  std::string associations;       // sacctmgr show assoc, without what is inherited
  std::string allowed;            // sacctmgr show assoc, with the QoS that each may use in the end
  std::string users;              // sacctmgr show user withcoord
  std::string accounts;           // sacctmgr show account
  std::string coordinators;       // sacctmgr show account withcoord
  std::string qos_kept;           // sacctmgr show qos, what only Slurm keeps
  std::string associations_kept;  // sacctmgr show assoc, likewise
};

// One command and the text it fills.
struct TextCommand {
  Argv argv;
  std::string SlurmTexts::*text = nullptr;
};

// Asked first: it names the cluster that the others are asked about.
TextCommand config_command();
// Columns newer than that release ("22.05.8") are not asked for.
std::vector<TextCommand> text_commands(std::string_view cluster, std::string_view version = {});
// ClusterName of `scontrol show config`; empty where there is none.
std::string cluster_name(std::string_view config);

// "Key = value" lines and "Key=value" words, in the order in which they are printed.
using SlurmFields = std::vector<std::pair<std::string, std::string>>;
SlurmFields config_fields(std::string_view config);
SlurmFields record_fields(std::string_view line);
// The value of the key, or nothing where Slurm prints that there is none.
std::string slurm_field(const SlurmFields& fields, std::string_view key);

// The columns asked of `sacctmgr show qos` and `show assoc`, in their order; the last of a table
// may contain the separator.
const std::vector<std::string_view>& qos_columns();
const std::vector<std::string_view>& association_columns();
// What follows the names in the tables of what only Slurm keeps: sacctmgr's column, the key that
// sets it, the release it came with.
struct KeptColumn {
  std::string_view column;
  std::string_view key;
  std::string_view since;
};
std::vector<KeptColumn> kept_qos_columns(std::string_view version);
std::vector<KeptColumn> kept_association_columns(std::string_view version);
// SLURM_VERSION of `scontrol show config`.
std::string slurm_version(std::string_view config);
std::vector<std::vector<std::string>> sacctmgr_rows(std::string_view text, std::size_t columns);

}  // namespace sluice
