// scontrol prints Key=value, sacctmgr columns with '|' between them.
#include "policyfile/slurm_texts.h"

#include <fmt/format.h>

#include "text/scan.h"

namespace sluice {
namespace {

Argv show(std::string_view what, const std::vector<std::string_view>& columns, Argv more = {}) {
  Argv argv = {"sacctmgr", "--noheader", "--parsable2", "show", std::string(what)};
  argv.insert(argv.end(), more.begin(), more.end());
  argv.push_back(fmt::format("format={}", fmt::join(columns, ",")));
  return argv;
}

// Releases are written alike, "20.11" to "25.05": as text they stand in their order.
std::vector<KeptColumn> known_in(std::string_view version, std::vector<KeptColumn> columns) {
  std::erase_if(columns, [&](const KeptColumn& each) {
    return !version.empty() && version.substr(0, 5) < each.since;
  });
  return columns;
}

bool is_nothing(std::string_view value) {
  return value == "(null)" || value == "N/A" || value == "n/a";
}

}  // namespace

TextCommand config_command() { return {{"scontrol", "show", "config"}, &SlurmTexts::config}; }

std::vector<TextCommand> text_commands(std::string_view cluster, std::string_view version) {
  const std::string of_cluster = fmt::format("cluster={}", cluster);
  std::vector<std::string_view> kept_qos = {"Name"};
  for (const KeptColumn& each : kept_qos_columns(version)) kept_qos.push_back(each.column);
  std::vector<std::string_view> kept_assoc = {"Account", "User", "Partition"};
  for (const KeptColumn& each : kept_association_columns(version))
    kept_assoc.push_back(each.column);
  return {
      {{"scontrol", "--oneliner", "--all", "show", "partition"}, &SlurmTexts::partitions},
      {{"scontrol", "--oneliner", "--all", "show", "node"}, &SlurmTexts::nodes},
      {show("cluster", {"Cluster"}), &SlurmTexts::clusters},
      {show("qos", qos_columns()), &SlurmTexts::qos},
      // WOPLimits: what an association inherits is not its own.
      {show("assoc", association_columns(), {"wopl", "where", of_cluster}),
       &SlurmTexts::associations},
      // Where an association only adds to what it inherits, WOPLimits shows what it adds.
      {show("assoc", {"Account", "User", "Partition", "QOS"}, {"where", of_cluster}),
       &SlurmTexts::allowed},
      {show("user", {"User", "DefaultAccount", "AdminLevel", "Coordinators"}, {"withcoord"}),
       &SlurmTexts::users},
      {show("account", {"Account", "Organization", "Description"}), &SlurmTexts::accounts},
      {show("account", {"Account", "Coordinators"}, {"withcoord"}), &SlurmTexts::coordinators},
      {show("qos", kept_qos), &SlurmTexts::qos_kept},
      {show("assoc", kept_assoc, {"wopl", "where", of_cluster}), &SlurmTexts::associations_kept},
  };
}

std::vector<KeptColumn> kept_qos_columns(std::string_view version) {
  return known_in(version, {{"UsageThres", "UsageThreshold", "20.11"},
                            {"LimitFactor", "LimitFactor", "21.08"},
                            {"GrpJobsAccrue", "GrpJobsAccrue", "20.11"},
                            {"MaxJobsAccruePU", "MaxJobsAccruePerUser", "20.11"},
                            {"MaxJobsAccruePA", "MaxJobsAccruePerAccount", "20.11"},
                            {"MinPrioThres", "MinPrioThreshold", "20.11"}});
}

std::vector<KeptColumn> kept_association_columns(std::string_view version) {
  return known_in(version, {{"GrpJobsAccrue", "GrpJobsAccrue", "20.11"},
                            {"MaxJobsAccrue", "MaxJobsAccrue", "20.11"},
                            {"MinPrioThres", "MinPrioThreshold", "20.11"}});
}

std::string slurm_version(std::string_view config) {
  return slurm_field(config_fields(config), "SLURM_VERSION");
}

std::string cluster_name(std::string_view config) {
  return slurm_field(config_fields(config), "ClusterName");
}

SlurmFields config_fields(std::string_view config) {
  SlurmFields out;
  for (const std::string_view line : split(config, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    out.emplace_back(without_blanks_around(line.substr(0, equals)),
                     without_blanks_around(line.substr(equals + 1)));
  }
  return out;
}

SlurmFields record_fields(std::string_view line) {
  SlurmFields out;
  for (const std::string_view word : split(line, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos)
      out.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return out;
}

std::string slurm_field(const SlurmFields& fields, std::string_view key) {
  for (const auto& [name, value] : fields)
    if (same_ignoring_case(name, key)) return is_nothing(value) ? std::string() : value;
  return {};
}

const std::vector<std::string_view>& qos_columns() {
  static const std::vector<std::string_view> kColumns = {
      "Name",           "Priority",    "GraceTime",   "Preempt",          "PreemptExemptTime",
      "PreemptMode",    "Flags",       "UsageFactor", "GrpTRES",          "GrpTRESMins",
      "GrpTRESRunMins", "GrpJobs",     "GrpSubmit",   "GrpWall",          "MaxTRES",
      "MaxTRESPerNode", "MaxTRESMins", "MaxWall",     "MaxTRESPU",        "MaxTRESRunMinsPU",
      "MaxJobsPU",      "MaxSubmitPU", "MaxTRESPA",   "MaxTRESRunMinsPA", "MaxJobsPA",
      "MaxSubmitPA",    "MinTRES",     "Description"};
  return kColumns;
}

const std::vector<std::string_view>& association_columns() {
  static const std::vector<std::string_view> kColumns = {
      "ParentName", "Account",        "User",           "Partition", "Share",     "Priority",
      "GrpTRES",    "GrpTRESMins",    "GrpTRESRunMins", "GrpJobs",   "GrpSubmit", "GrpWall",
      "MaxTRES",    "MaxTRESPerNode", "MaxTRESMins",    "MaxWall",   "MaxJobs",   "MaxSubmit",
      "QOS",        "DefaultQOS"};
  return kColumns;
}

std::vector<std::vector<std::string>> sacctmgr_rows(std::string_view text, std::size_t columns) {
  std::vector<std::vector<std::string>> out;
  for (std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    std::vector<std::string>& row = out.emplace_back();
    while (row.size() + 1 < columns) {
      const std::size_t bar = line.find('|');
      row.emplace_back(line.substr(0, bar));
      line.remove_prefix(bar == std::string_view::npos ? line.size() : bar + 1);
    }
    row.emplace_back(line);
  }
  return out;
}

}  // namespace sluice
