// scontrol show config: the policy's settings under slurm.conf's names, and Slurm's own words for
// what means nothing here.
#include "shims/scontrol_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/local_time.h"
#include "shims/site.h"
#include "shims/words.h"
#include "text/job_defaults.h"
#include "text/tres.h"
#include "text/tres_weight.h"

namespace sluice {
namespace {

struct Setting {
  std::string_view name;
  std::string_view value;  // "@": of this machine or this policy.
};

// clang-format off
constexpr auto kSettings = std::to_array<Setting>({
    {"AccountingStorageBackupHost", "(null)"},
    {"AccountingStorageEnforce", "associations,limits,qos"},
    {"AccountingStorageHost", "@"},
    {"AccountingStorageExternalHost", "(null)"},
    {"AccountingStorageParameters", "(null)"},
    {"AccountingStoragePort", "27080"},
    {"AccountingStorageTRES", "cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu,gres/gpu:a100"},
    {"AccountingStorageType", "accounting_storage/slurmdbd"},
    {"AccountingStorageUser", "N/A"},
    {"AccountingStoreFlags", "(null)"},
    {"AcctGatherEnergyType", "acct_gather_energy/none"},
    {"AcctGatherFilesystemType", "acct_gather_filesystem/none"},
    {"AcctGatherInterconnectType", "acct_gather_interconnect/none"},
    {"AcctGatherNodeFreq", "0 sec"},
    {"AcctGatherProfileType", "acct_gather_profile/none"},
    {"AllowSpecResourcesUsage", "No"},
    {"AuthAltTypes", "(null)"},
    {"AuthAltParameters", "(null)"},
    {"AuthInfo", "@"},
    {"AuthType", "auth/munge"},
    {"BatchStartTimeout", "10 sec"},
    {"BcastExclude", "/lib,/usr/lib,/lib64,/usr/lib64"},
    {"BcastParameters", "(null)"},
    {"BOOT_TIME", "@"},
    {"BurstBufferType", "(null)"},
    {"CliFilterPlugins", "(null)"},
    {"ClusterName", "lab"},
    {"CommunicationParameters", "(null)"},
    {"CompleteWait", "0 sec"},
    {"CoreSpecPlugin", "core_spec/none"},
    {"CpuFreqDef", "Unknown"},
    {"CpuFreqGovernors", "OnDemand,Performance,UserSpace"},
    {"CredType", "cred/munge"},
    {"DebugFlags", "(null)"},
    {"DefMemPerNode", "UNLIMITED"},
    {"DependencyParameters", "(null)"},
    {"DisableRootJobs", "No"},
    {"EioTimeout", "60"},
    {"EnforcePartLimits", "NO"},
    {"Epilog", "(null)"},
    {"EpilogMsgTime", "2000 usec"},
    {"EpilogSlurmctld", "(null)"},
    {"ExtSensorsType", "ext_sensors/none"},
    {"ExtSensorsFreq", "0 sec"},
    {"FairShareDampeningFactor", "1"},
    {"FederationParameters", "(null)"},
    {"FirstJobId", "1"},
    {"GetEnvTimeout", "2 sec"},
    {"GresTypes", "gpu"},
    {"GpuFreqDef", "high,memory=high"},
    {"GroupUpdateForce", "1"},
    {"GroupUpdateTime", "600 sec"},
    {"HASH_VAL", "Match"},
    {"HealthCheckInterval", "0 sec"},
    {"HealthCheckNodeState", "ANY"},
    {"HealthCheckProgram", "(null)"},
    {"InactiveLimit", "0 sec"},
    {"InteractiveStepOptions", "--interactive --preserve-env --pty $SHELL"},
    {"JobAcctGatherFrequency", "task=1"},
    {"JobAcctGatherType", "jobacct_gather/linux"},
    {"JobAcctGatherParams", "(null)"},
    {"JobCompHost", "localhost"},
    {"JobCompLoc", "/var/log/slurm_jobcomp.log"},
    {"JobCompPort", "0"},
    {"JobCompType", "jobcomp/none"},
    {"JobCompUser", "root"},
    {"JobContainerType", "job_container/none"},
    {"JobCredentialPrivateKey", "(null)"},
    {"JobCredentialPublicCertificate", "(null)"},
    {"JobDefaults", "(null)"},
    {"JobFileAppend", "0"},
    {"JobRequeue", "1"},
    {"JobSubmitPlugins", "(null)"},
    {"KillOnBadExit", "0"},
    {"KillWait", "2 sec"},
    {"LaunchParameters", "(null)"},
    {"LaunchType", "launch/slurm"},
    {"Licenses", "matlab:2"},
    {"LogTimeFormat", "iso8601_ms"},
    {"MailDomain", "(null)"},
    {"MailProg", "/bin/true"},
    {"MaxArraySize", "1001"},
    {"MaxDBDMsgs", "20012"},
    {"MaxJobCount", "10000"},
    {"MaxJobId", "67043328"},
    {"MaxMemPerNode", "UNLIMITED"},
    {"MaxNodeCount", "3"},
    {"MaxStepCount", "40000"},
    {"MaxTasksPerNode", "512"},
    {"MCSPlugin", "mcs/none"},
    {"MCSParameters", "(null)"},
    {"MessageTimeout", "10 sec"},
    {"MinJobAge", "300 sec"},
    {"MpiDefault", "none"},
    {"MpiParams", "(null)"},
    {"MULTIPLE_SLURMD", "Yes"},
    {"NEXT_JOB_ID", "1"},
    {"NodeFeaturesPlugins", "(null)"},
    {"OverTimeLimit", "0 min"},
    {"PluginDir", "/usr/lib/x86_64-linux-gnu/slurm-wlm"},
    {"PlugStackConfig", "(null)"},
    {"PowerParameters", "(null)"},
    {"PowerPlugin", ""},
    {"PreemptMode", "REQUEUE"},
    {"PreemptType", "preempt/qos"},
    {"PreemptExemptTime", "00:00:00"},
    {"PrEpParameters", "(null)"},
    {"PrEpPlugins", "prep/script"},
    {"PriorityParameters", "(null)"},
    {"PrioritySiteFactorParameters", "(null)"},
    {"PrioritySiteFactorPlugin", "(null)"},
    {"PriorityDecayHalfLife", "7-00:00:00"},
    {"PriorityCalcPeriod", "00:01:00"},
    {"PriorityFavorSmall", "No"},
    {"PriorityFlags", ""},
    {"PriorityMaxAge", "1-00:00:00"},
    {"PriorityUsageResetPeriod", "NONE"},
    {"PriorityType", "priority/multifactor"},
    {"PriorityWeightAge", "1000"},
    {"PriorityWeightAssoc", "0"},
    {"PriorityWeightFairShare", "10000"},
    {"PriorityWeightJobSize", "1000"},
    {"PriorityWeightPartition", "1000"},
    {"PriorityWeightQOS", "2000"},
    {"PriorityWeightTRES", "CPU=500,Mem=500,GRES/gpu=1000"},
    {"PrivateData", "none"},
    {"ProctrackType", "proctrack/linuxproc"},
    {"Prolog", "(null)"},
    {"PrologEpilogTimeout", "65534"},
    {"PrologSlurmctld", "(null)"},
    {"PrologFlags", "(null)"},
    {"PropagatePrioProcess", "0"},
    {"PropagateResourceLimits", "NONE"},
    {"PropagateResourceLimitsExcept", "(null)"},
    {"RebootProgram", "(null)"},
    {"ReconfigFlags", "(null)"},
    {"RequeueExit", "(null)"},
    {"RequeueExitHold", "(null)"},
    {"ResumeFailProgram", "(null)"},
    {"ResumeProgram", "(null)"},
    {"ResumeRate", "300 nodes/min"},
    {"ResumeTimeout", "60 sec"},
    {"ResvEpilog", "(null)"},
    {"ResvOverRun", "0 min"},
    {"ResvProlog", "(null)"},
    {"ReturnToService", "2"},
    {"RoutePlugin", "route/default"},
    {"SchedulerParameters", "sched_interval=2,bf_interval=2,bf_resolution=1"},
    {"SchedulerTimeSlice", "30 sec"},
    {"SchedulerType", "sched/backfill"},
    {"ScronParameters", "(null)"},
    {"SelectType", "select/cons_tres"},
    {"SelectTypeParameters", "CR_CORE_MEMORY"},
    {"SlurmUser", "root(0)"},
    {"SlurmctldAddr", "(null)"},
    {"SlurmctldDebug", "info"},
    {"SlurmctldHost[0]", "@"},
    {"SlurmctldLogFile", "@"},
    {"SlurmctldPort", "27081"},
    {"SlurmctldSyslogDebug", "(null)"},
    {"SlurmctldPrimaryOffProg", "(null)"},
    {"SlurmctldPrimaryOnProg", "(null)"},
    {"SlurmctldTimeout", "120 sec"},
    {"SlurmctldParameters", "(null)"},
    {"SlurmdDebug", "info"},
    {"SlurmdLogFile", "@"},
    {"SlurmdParameters", "config_overrides"},
    {"SlurmdPidFile", "@"},
    {"SlurmdPort", "27082"},
    {"SlurmdSpoolDir", "@"},
    {"SlurmdSyslogDebug", "(null)"},
    {"SlurmdTimeout", "300 sec"},
    {"SlurmdUser", "root(0)"},
    {"SlurmSchedLogFile", "(null)"},
    {"SlurmSchedLogLevel", "0"},
    {"SlurmctldPidFile", "@"},
    {"SlurmctldPlugstack", "(null)"},
    {"SLURM_CONF", "@"},
    {"SLURM_VERSION", "22.05.8"},
    {"SrunEpilog", "(null)"},
    {"SrunPortRange", "0-0"},
    {"SrunProlog", "(null)"},
    {"StateSaveLocation", "@"},
    {"SuspendExcNodes", "(null)"},
    {"SuspendExcParts", "(null)"},
    {"SuspendProgram", "(null)"},
    {"SuspendRate", "60 nodes/min"},
    {"SuspendTime", "INFINITE"},
    {"SuspendTimeout", "30 sec"},
    {"SwitchParameters", "(null)"},
    {"SwitchType", "switch/none"},
    {"TaskEpilog", "(null)"},
    {"TaskPlugin", "task/none"},
    {"TaskPluginParam", "(null type)"},
    {"TaskProlog", "(null)"},
    {"TCPTimeout", "2 sec"},
    {"TmpFS", "/tmp"},
    {"TopologyParam", "(null)"},
    {"TopologyPlugin", "topology/none"},
    {"TrackWCKey", "No"},
    {"TreeWidth", "50"},
    {"UsePam", "No"},
    {"UnkillableStepProgram", "(null)"},
    {"UnkillableStepTimeout", "60 sec"},
    {"VSizeFactor", "0 percent"},
    {"WaitTime", "0 sec"},
    {"X11Parameters", "(null)"},
});
// clang-format on

std::string seconds_word(Duration time) { return fmt::format("{} sec", to_seconds(time)); }

std::string enforce_word(const EnforceSettings& enforce) {
  std::string out;
  const auto add = [&](bool set, std::string_view word) {
    if (set) (out += out.empty() ? "" : ",") += word;
  };
  add(enforce.associations, "associations");
  add(enforce.limits, "limits");
  add(enforce.qos, "qos");
  add(enforce.safe, "safe");
  return out.empty() ? "none" : out;
}

std::string private_word(const PrivateData& data) {
  std::string out;
  const auto add = [&](bool set, std::string_view word) {
    if (set) (out += out.empty() ? "" : ",") += word;
  };
  add(data.accounts, "accounts");
  add(data.jobs, "jobs");
  add(data.usage, "usage");
  add(data.users, "users");
  return out.empty() ? "none" : out;
}

std::string memory_limit(const std::optional<std::int64_t>& per_cpu,
                         const std::optional<std::int64_t>& per_node) {
  if (per_cpu) return std::to_string(*per_cpu);
  return per_node ? std::to_string(*per_node) : "UNLIMITED";
}

std::string weights_word(const TresWeights& weights, const TresRegistry& tres) {
  std::string out;
  for (const TresWeight& weight : weights)
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", tres.name(weight.tres),
                       print_weight(weight));
  return or_null(out);
}

std::string licenses_word(const Policy& policy) {
  std::string out;
  for (const License& license : policy.licenses)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", license.name, license.count);
  return or_null(out);
}

std::string tres_names(const Policy& policy) {
  std::string out = "cpu,mem,energy,node,billing,fs/disk,vmem,pages";
  for (std::size_t i = 4; i < policy.tres.size(); ++i)
    out += "," + policy.tres.name(TresIndex(static_cast<std::uint8_t>(i)));
  out = without_licenses(out);
  return out;
}

std::string reset_word(UsageReset reset) {
  constexpr std::array<std::string_view, 7> kWords = {"NONE",    "NOW",       "DAILY", "WEEKLY",
                                                      "MONTHLY", "QUARTERLY", "YEARLY"};
  return std::string(kWords[static_cast<std::size_t>(reset)]);
}

// Nothing for what is no policy.
std::optional<std::string> of_policy(std::string_view name, const Policy& policy) {
  const PrioritySettings& priority = policy.priority;
  const JobSettings& jobs = policy.jobs;
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  if (name == "AccountingStorageEnforce") return enforce_word(policy.enforce);
  if (name == "AccountingStorageTRES") return tres_names(policy);
  if (name == "ClusterName") return policy.cluster;
  if (name == "DefMemPerNode")
    return memory_limit(jobs.default_mem_per_cpu_mb, jobs.default_mem_per_node_mb);
  if (name == "JobDefaults") return or_null(format_job_defaults(jobs.with_gpu));
  if (name == "MaxMemPerNode")
    return memory_limit(jobs.max_mem_per_cpu_mb, jobs.max_mem_per_node_mb);
  if (name == "EnforcePartLimits")
    return std::string(jobs.enforce_part_limits == EnforcePartLimits::kNo    ? "NO"
                       : jobs.enforce_part_limits == EnforcePartLimits::kAny ? "ANY"
                                                                             : "ALL");
  if (name == "Epilog") return or_null(jobs.epilog);
  if (name == "Prolog") return or_null(jobs.prolog);
  if (name == "FairShareDampeningFactor") return number(priority.dampening);
  if (name == "FirstJobId") return number(jobs.first_job_id);
  if (name == "JobRequeue") return std::string(jobs.requeue ? "1" : "0");
  if (name == "KillWait") return seconds_word(jobs.kill_wait);
  if (name == "Licenses") return licenses_word(policy);
  if (name == "MaxArraySize") return number(jobs.max_array_size);
  if (name == "MaxJobCount") return number(jobs.max_job_count);
  if (name == "MaxNodeCount") return number(static_cast<std::int64_t>(policy.nodes.size()));
  if (name == "MinJobAge") return seconds_word(jobs.min_job_age);
  if (name == "OverTimeLimit") return fmt::format("{} min", to_seconds(jobs.over_time_limit) / 60);
  if (name == "PreemptMode")
    return std::string(policy.preemption.gang ? "GANG," : "") +
           std::string(preempt_mode_word(policy.preemption.mode));
  if (name == "PreemptType")
    return std::string(policy.preemption.type == PreemptType::kQos ? "preempt/qos"
                       : policy.preemption.type == PreemptType::kPartitionPriority
                           ? "preempt/partition_prio"
                           : "preempt/none");
  if (name == "PreemptExemptTime") return format_duration(policy.preemption.exempt_time);
  if (name == "PriorityDecayHalfLife") return format_duration(priority.half_life);
  if (name == "PriorityCalcPeriod") return format_duration(priority.calc_period);
  if (name == "PriorityFavorSmall") return std::string(priority.favor_small ? "Yes" : "No");
  if (name == "PriorityMaxAge") return format_duration(priority.max_age);
  if (name == "PriorityUsageResetPeriod") return reset_word(priority.usage_reset);
  if (name == "PriorityType")
    return std::string(priority.type == PriorityType::kBasic ? "priority/basic"
                                                             : "priority/multifactor");
  if (name == "PriorityWeightAge") return number(priority.weight_age);
  if (name == "PriorityWeightAssoc") return number(priority.weight_assoc);
  if (name == "PriorityWeightFairShare") return number(priority.weight_fairshare);
  if (name == "PriorityWeightJobSize") return number(priority.weight_job_size);
  if (name == "PriorityWeightPartition") return number(priority.weight_partition);
  if (name == "PriorityWeightTRES") return weights_word(priority.weight_tres, policy.tres);
  if (name == "PriorityWeightQOS") return number(priority.weight_qos);
  if (name == "PrivateData") return private_word(jobs.private_data);
  if (name == "SchedulerTimeSlice") return seconds_word(policy.preemption.time_slice);
  if (name == "SchedulerType")
    return std::string(policy.scheduler.type == SchedulerType::kBuiltin ? "sched/builtin"
                                                                        : "sched/backfill");
  if (name == "SchedulerParameters") return std::string("(null)");
  if (name == "SelectTypeParameters")
    return std::string(policy.scheduler.cpu_unit == CpuUnit::kSocket ? "CR_SOCKET" : "CR_CORE") +
           (jobs.memory_is_consumable ? "_MEMORY" : "") +
           (policy.scheduler.least_loaded ? ",CR_LLN" : "") +
           (policy.scheduler.pack_nodes ? ",CR_PACK_NODES" : "");
  if (name == "SlurmctldHost[0]") return host_name();
  return std::nullopt;
}

}  // namespace

int show_config(ShimCall& call) {
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  call.say("Configuration data as of " + time_text(now_here(), ""));
  for (const Setting& setting : kSettings) {
    const auto own = of_policy(setting.name, *policy);
    call.say(fmt::format("{:<23} = {}", setting.name,
                         own                    ? *own
                         : setting.value == "@" ? "(null)"
                                                : std::string(setting.value)));
  }
  call.say("");
  call.say("Slurmctld(primary) at " + host_name() + " is UP");
  return 0;
}

}  // namespace sluice
