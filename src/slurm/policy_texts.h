// What a live Slurm prints about its policy: which commands to run, with which columns, and their
// outputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slurm/sacctmgr.h"
#include "slurm/version.h"

namespace sluice {

struct SlurmTexts {
  std::string config;             // scontrol show config
  std::string partitions;         // scontrol --oneliner --all show partition
  std::string nodes;              // scontrol --oneliner show node
  std::string clusters;           // sacctmgr show cluster
  std::string qos;                // sacctmgr show qos
  std::string associations;       // sacctmgr show assoc, without what is inherited
  std::string users;              // sacctmgr show user withcoord
  std::string accounts;           // sacctmgr show account
  std::string coordinators;       // sacctmgr show account withcoord
  std::string qos_kept;           // sacctmgr show qos, what only Slurm keeps
  std::string associations_kept;  // sacctmgr show assoc, likewise
  std::string switches;           // scontrol show topology, where there is one
};

// One command and the text it fills.
struct TextCommand {
  std::vector<std::string> argv;
  std::string SlurmTexts::*text = nullptr;
};

// Asked first: it names the cluster that the others are asked about.
TextCommand config_command();
// With topology/tree as well.
std::optional<TextCommand> switches_command(std::string_view config);
// Columns newer than that release are not asked for.
std::vector<TextCommand> text_commands(std::string_view cluster,
                                       std::optional<SlurmVersion> version);

// By `scontrol show config`.
struct SlurmIdentity {
  std::string cluster;
  std::string version;     // "22.05.8"
  std::string controller;  // The host of slurmctld; empty where it is not shown.
};
SlurmIdentity identity_in(std::string_view config);

// The columns of each table, in the order in which they are asked for.
const SacctmgrColumns& qos_columns();
const SacctmgrColumns& association_columns();
const SacctmgrColumns& cluster_columns();
const SacctmgrColumns& user_columns();
const SacctmgrColumns& account_columns();
const SacctmgrColumns& coordinator_columns();

// What Slurm keeps and the engine does not act on: sacctmgr's column, and the key that sets it. The
// tables of these begin with what names the row: Name; or Account, User, Partition.
struct KeptColumn {
  SacctmgrColumn column;
  std::string_view key;
};
const std::vector<KeptColumn>& kept_qos();
const std::vector<KeptColumn>& kept_associations();
SacctmgrColumns kept_qos_columns(std::optional<SlurmVersion> version);
SacctmgrColumns kept_association_columns(std::optional<SlurmVersion> version);

}  // namespace sluice
