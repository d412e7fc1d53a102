#include "slurm/policy_texts.h"

#include "model/limit_table.h"
#include "slurm/records.h"

namespace sluice {
namespace {

constexpr SlurmVersion k2108{21, 8, 0};

SacctmgrColumns with_kept(SacctmgrColumns names, const std::vector<KeptColumn>& kept,
                          std::optional<SlurmVersion> version) {
  for (const KeptColumn& each : kept) names.push_back(each.column);
  return columns_in(std::move(names), version);
}

// The columns of the limits that a holder has, between its other columns.
SacctmgrColumns with_limits(SacctmgrColumns before, LimitPlace place,
                            const SacctmgrColumns& after) {
  for (const LimitRow& row : kLimitTable)
    if ((row.place == place || row.place == LimitPlace::kBoth) &&
        row.counts != LimitCounts::kAgeing)  // Among those that are asked for apart.
      before.push_back({row.column});
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

}  // namespace

TextCommand config_command() { return {{"scontrol", "show", "config"}, &SlurmTexts::config}; }

std::optional<TextCommand> switches_command(std::string_view config) {
  if (config_value(config, "TopologyPlugin") != "topology/tree") return std::nullopt;
  return TextCommand{{"scontrol", "show", "topology"}, &SlurmTexts::switches};
}

std::vector<TextCommand> text_commands(std::string_view cluster,
                                       std::optional<SlurmVersion> version) {
  const std::string of_cluster = "cluster=" + std::string(cluster);
  // WOPLimits: what an association inherits is not its own. Raw lists of QoS say what it adds and
  // takes away, also of QoS that the account above does not have (any more).
  const std::vector<std::string> own = {"wopl", "withrawqoslevel", "where", of_cluster};
  return {
      {{"scontrol", "--oneliner", "--all", "show", "partition"}, &SlurmTexts::partitions},
      {{"scontrol", "--oneliner", "--all", "show", "node"}, &SlurmTexts::nodes},
      {show_command("cluster", cluster_columns()), &SlurmTexts::clusters},
      {show_command("qos", columns_in(qos_columns(), version)), &SlurmTexts::qos},
      {show_command("assoc", columns_in(association_columns(), version), own),
       &SlurmTexts::associations},
      {show_command("user", user_columns(), {"withcoord"}), &SlurmTexts::users},
      {show_command("account", account_columns()), &SlurmTexts::accounts},
      {show_command("account", coordinator_columns(), {"withcoord"}), &SlurmTexts::coordinators},
      {show_command("qos", kept_qos_columns(version)), &SlurmTexts::qos_kept},
      {show_command("assoc", kept_association_columns(version), own),
       &SlurmTexts::associations_kept},
  };
}

SlurmIdentity identity_in(std::string_view config) {
  const std::string_view host = config_value(config, "SlurmctldHost[0]");
  return {std::string(config_value(config, "ClusterName")),
          std::string(config_value(config, "SLURM_VERSION")),
          std::string(host.substr(0, host.find('(')))};
}

const SacctmgrColumns& qos_columns() {
  static const SacctmgrColumns kColumns = with_limits({{"Name"},
                                                       {"Priority"},
                                                       {"GraceTime"},
                                                       {"Preempt"},
                                                       {"PreemptExemptTime"},
                                                       {"PreemptMode"},
                                                       {"Flags"},
                                                       {"UsageFactor"}},
                                                      LimitPlace::kQos, {{"Description"}});
  return kColumns;
}

const SacctmgrColumns& association_columns() {
  static const SacctmgrColumns kColumns =
      with_limits({{"ParentName"}, {"Account"}, {"User"}, {"Partition"}, {"Share"}, {"Priority"}},
                  LimitPlace::kAssociation, {{"QOS"}, {"DefaultQOS"}});
  return kColumns;
}

const SacctmgrColumns& cluster_columns() {
  static const SacctmgrColumns kColumns = {{"Cluster"}};
  return kColumns;
}

const SacctmgrColumns& user_columns() {
  static const SacctmgrColumns kColumns = {
      {"User"}, {"DefaultAccount"}, {"AdminLevel"}, {"Coordinators"}};
  return kColumns;
}

const SacctmgrColumns& account_columns() {
  static const SacctmgrColumns kColumns = {{"Account"}, {"Organization"}, {"Description"}};
  return kColumns;
}

const SacctmgrColumns& coordinator_columns() {
  static const SacctmgrColumns kColumns = {{"Account"}, {"Coordinators"}};
  return kColumns;
}

const std::vector<KeptColumn>& kept_qos() {
  static const std::vector<KeptColumn> kKept = {{{"UsageThres"}, "UsageThreshold"},
                                                {{"LimitFactor", k2108}, "LimitFactor"},
                                                {{"GrpJobsAccrue"}, "GrpJobsAccrue"},
                                                {{"MaxJobsAccruePU"}, "MaxJobsAccruePerUser"},
                                                {{"MaxJobsAccruePA"}, "MaxJobsAccruePerAccount"},
                                                {{"MinPrioThres"}, "MinPrioThreshold"}};
  return kKept;
}

const std::vector<KeptColumn>& kept_associations() {
  static const std::vector<KeptColumn> kKept = {{{"GrpJobsAccrue"}, "GrpJobsAccrue"},
                                                {{"MaxJobsAccrue"}, "MaxJobsAccrue"},
                                                {{"MinPrioThres"}, "MinPrioThreshold"}};
  return kKept;
}

SacctmgrColumns kept_qos_columns(std::optional<SlurmVersion> version) {
  return with_kept({{"Name"}}, kept_qos(), version);
}

SacctmgrColumns kept_association_columns(std::optional<SlurmVersion> version) {
  return with_kept({{"Account"}, {"User"}, {"Partition"}}, kept_associations(), version);
}

}  // namespace sluice
