#include "views/reason_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice {
namespace {

struct Plain {
  std::string_view reason;
  std::string_view words;
  std::string_view action;
};

constexpr std::string_view kWait = "wait; `sluice why JOB` says for how long";
constexpr std::string_view kAskOperator = "ask an operator of the cluster";
constexpr std::string_view kReadLog = "read its output and the log of the daemon or slurmctld";

// Reasons that are not about a limit of an association or a QoS.
constexpr std::array kPlain = std::to_array<Plain>({
    {"None", "not looked at yet", "wait for the next scheduling pass"},
    {"Resources", "no node has enough free", kWait},
    {"Priority", "behind jobs with a higher priority", "wait; a shorter --time may start earlier"},
    {"Dependency", "another job has to end first", "wait for the jobs in its dependency"},
    {"DependencyNeverSatisfied", "the job it depends on ended otherwise",
     "cancel it, or change its dependency: `sluice update JOB dependency=`"},
    {"BeginTime", "its begin time has not come",
     "wait; after a requeue this is the requeue delay, two minutes by default"},
    {"JobHeldUser", "held by its user", "release it: `sluice release JOB`"},
    {"JobHeldAdmin", "held by an operator", kAskOperator},
    {"JobHoldMaxRequeue", "held after it was requeued too often",
     "look for what ends it, then release it"},
    {"JobArrayTaskLimit", "as many tasks of the array run as its % allows",
     "wait, or raise the number: `sluice update JOB arraytaskthrottle=N`"},
    {"Licenses", "the licenses are in use", "wait until jobs that hold them end"},
    {"ReqNodeNotAvail", "a node it asks for is not available",
     "wait, or name other nodes with --nodelist or --exclude"},
    {"NodeDown", "a node it needs is down", "wait until it is back, or ask for other nodes"},
    {"FrontEndDown", "no front-end node is available", kAskOperator},
    {"PartitionDown", "its partition is down", "wait, or choose another --partition"},
    {"PartitionInactive", "its partition is inactive", "wait, or choose another --partition"},
    {"PartitionNodeLimit", "asks for more nodes than the partition allows",
     "ask for fewer nodes (--nodes), or choose another --partition"},
    {"PartitionTimeLimit", "asks for more time than the partition allows",
     "ask for less time (--time), or choose another --partition"},
    {"PartitionConfig", "its partition does not take such a job",
     "choose another --partition, or compare the request with the partition's limits"},
    {"BadConstraints", "no node could ever hold it",
     "ask for less, or for other features (--constraint)"},
    {"InvalidQOS", "its QoS is not allowed", "choose another --qos: `sluice shares` lists yours"},
    {"InvalidAccount", "its account is not allowed",
     "choose another --account: `sluice shares` lists yours"},
    {"QOSNotAllowed", "its QoS may not use the partition",
     "choose another --qos or another --partition"},
    {"AccountNotAllowed", "its account may not use the partition",
     "choose another --account or another --partition"},
    {"QOSUsageThreshold", "the account's fairshare is below what the QoS asks for",
     "choose another --qos, or wait until the account's usage has decayed"},
    {"AccountingPolicy", "a rule of the accounts or the QoS does not allow it",
     "compare the request with the limits of the account and the QoS"},
    {"AssociationJobLimit", "a limit on the number of jobs of its account is reached",
     "wait until jobs of the account end"},
    {"AssociationResourceLimit", "a limit on the resources of its account is reached",
     "wait until jobs of the account end, or ask for less"},
    {"AssociationTimeLimit", "a limit on the time of its account is reached",
     "ask for less time, or use another account"},
    {"QOSJobLimit", "a limit on the number of jobs of its QoS is reached",
     "wait until jobs of the QoS end"},
    {"QOSResourceLimit", "a limit on the resources of its QoS is reached",
     "wait until jobs of the QoS end, or ask for less"},
    {"QOSTimeLimit", "a limit on the time of its QoS is reached",
     "ask for less time, or use another QoS"},
    {"Reservation", "waits for its reservation", "wait until the reservation begins"},
    {"ReservationDeleted", "its reservation was removed",
     "release it to run without, or choose another --reservation"},
    {"MaxMemPerLimit", "asks for more memory per CPU or node than the partition allows",
     "ask for less memory, or for more CPUs with it"},
    {"SchedDefer", "every submission waits for the next full pass", "wait"},
    {"DeadLine", "it cannot end before its deadline", "submit it with a later --deadline"},
    {"Cleaning", "its last run is still being cleaned up", "wait"},
    {"Prolog", "the prolog of its nodes is running", "wait"},
    {"FedJobLock", "another cluster of the federation is deciding about it", "wait"},
    {"PowerNotAvail", "there is not enough power for it", "wait"},
    {"PowerReserved", "the power it needs is reserved", "wait"},
    {"BurstBufferResources", "the burst buffer has too little free", "wait"},
    {"BurstBufferStageIn", "its files are being copied to the burst buffer", "wait"},
    {"BurstBufferOperation", "an operation of the burst buffer failed", kAskOperator},
    {"BlockMaxError", "a block of the machine had too many errors", kAskOperator},
    {"BlockFreeAction", "a block of the machine is being freed", "wait"},
    {"SystemFailure", "the system, a file system or the network failed", kAskOperator},
    {"JobLaunchFailure", "it could not be started", kReadLog},
    {"NonZeroExitCode", "its program ended with an error", "read its output: `sluice logs JOB`"},
    {"TimeLimit", "it ran out of time", "submit it with more --time"},
    {"InactiveLimit", "its owner did nothing in it for too long", "submit it again"},
    {"OutOfMemory", "it ran out of memory", "submit it with more --mem"},
});

// What a limit counts, as reasons spell it, in words, and the option that asks for less of it.
struct Counted {
  std::string_view spelling;
  std::string_view words;
  std::string_view option;
};

constexpr std::array kCounted = std::to_array<Counted>({
    {"Cpu", "CPUs", "--cpus-per-task or --ntasks"},
    {"CPU", "CPUs", "--cpus-per-task or --ntasks"},
    {"Mem", "memory", "--mem"},
    {"Memory", "memory", "--mem"},
    {"Node", "nodes", "--nodes"},
    {"GRES", "GPUs", "--gpus or --gres"},
    {"License", "licenses", "--licenses"},
    {"BB", "burst buffer", "--bb"},
    {"Energy", "energy", "--time"},
    {"Billing", "billing units", "--cpus-per-task, --mem or --gpus"},
    {"Unknown", "some resource", "its option"},
});

bool is_an_amount(std::string_view what) {
  return what == "memory" || what == "energy" || what == "burst buffer" || what == "some resource";
}

std::string many(std::string_view what) {
  return fmt::format("as {} {}", is_an_amount(what) ? "much" : "many", what);
}

bool take_front(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

bool take_back(std::string_view& text, std::string_view back) {
  if (!text.ends_with(back)) return false;
  text.remove_suffix(back.size());
  return true;
}

const Counted* counted(std::string_view spelling) {
  const auto found = std::find_if(kCounted.begin(), kCounted.end(),
                                  [&](const Counted& one) { return one.spelling == spelling; });
  return found == kCounted.end() ? nullptr : &*found;
}

constexpr std::string_view kElsewhere = "or use an account or QoS that has room: `sluice pools`";

// Grp: all jobs under the association or QoS together.
std::optional<ReasonWords> of_group(std::string_view rest, std::string_view holder) {
  const auto waits = fmt::format("wait until jobs of {} end, {}", holder, kElsewhere);
  const auto used_up = fmt::format("wait until its usage has decayed, {}", kElsewhere);
  take_back(rest, "Limit");
  if (rest == "Jobs")
    return ReasonWords{fmt::format("as many jobs of {} run as it may have", holder), waits};
  if (rest == "SubmitJobs")
    return ReasonWords{fmt::format("{} has as many jobs, waiting and running, as it may", holder),
                       waits};
  if (rest == "Wall")
    return ReasonWords{fmt::format("{} has used up its run time", holder), used_up};
  if (take_back(rest, "RunMinutes")) {
    const Counted* what = counted(rest);
    if (what == nullptr) return std::nullopt;
    return ReasonWords{
        fmt::format("the running jobs of {} may still use all the {} time that is allowed", holder,
                    what->spelling == "Cpu" || what->spelling == "CPU" ? "CPU" : what->words),
        fmt::format("ask for less time (--time) or fewer {}, or wait", what->words)};
  }
  if (take_back(rest, "Minutes")) {
    const Counted* what = counted(rest);
    if (what == nullptr) return std::nullopt;
    const bool cpu = what->words == "CPUs";
    return ReasonWords{
        fmt::format("{} has used up its {} minutes", holder, cpu ? "CPU" : what->words), used_up};
  }
  const Counted* what = counted(rest);
  if (what == nullptr) return std::nullopt;
  return ReasonWords{fmt::format("{} holds {} as it may", holder, many(what->words)), waits};
}

// Max: of one job, one node, one user.
std::optional<ReasonWords> of_most(std::string_view rest, std::string_view holder) {
  const auto waits = fmt::format("wait until your jobs end, {}", kElsewhere);
  take_back(rest, "Limit");
  if (rest == "Jobs" || rest == "JobsPerUser")
    return ReasonWords{fmt::format("as many jobs of the user run as {} allows", holder), waits};
  if (rest == "SubmitJob" || rest == "SubmitJobPerUser")
    return ReasonWords{fmt::format("as many jobs of the user wait as {} allows", holder), waits};
  if (rest == "WallDurationPerJob")
    return ReasonWords{fmt::format("asks for more time than {} allows", holder),
                       "ask for less time (--time), or use another QoS"};
  if (take_back(rest, "MinutesPerJob")) {
    const Counted* what = counted(rest);
    if (what == nullptr) return std::nullopt;
    return ReasonWords{
        fmt::format("{} times its time limit is more than {} allows one job", what->words, holder),
        fmt::format("ask for less time (--time) or less with {}", what->option)};
  }
  for (const auto& [ending, words] :
       {std::pair<std::string_view, std::string_view>{"PerJob", "one job"},
        {"PerNode", "one job on a node"}})
    if (std::string_view left = rest; take_back(left, ending)) {
      const Counted* what = counted(left);
      if (what == nullptr) return std::nullopt;
      return ReasonWords{
          fmt::format("asks for more {} than {} allows {}", what->words, holder, words),
          fmt::format("ask for less with {}, or use another QoS", what->option)};
    }
  if (take_back(rest, "PerUser")) {
    const Counted* what = counted(rest);
    if (what == nullptr) return std::nullopt;
    return ReasonWords{fmt::format("the user holds {} as {} allows", many(what->words), holder),
                       waits};
  }
  return std::nullopt;
}

std::optional<ReasonWords> of_account(std::string_view rest) {
  const auto waits = fmt::format("wait until jobs of the account end, {}", kElsewhere);
  if (rest == "Jobs")
    return ReasonWords{"as many jobs of the account run as the QoS allows", waits};
  if (rest == "SubmitJobs")
    return ReasonWords{"the account has as many jobs, waiting and running, as the QoS allows",
                       waits};
  const Counted* what = counted(rest);
  if (what == nullptr) return std::nullopt;
  return ReasonWords{fmt::format("the account holds {} as the QoS allows", many(what->words)),
                     waits};
}

// A limit's reason says by its own parts what it is about.
std::optional<ReasonWords> of_limit(std::string_view reason) {
  std::string_view rest = reason;
  if (take_front(rest, "Max") && take_back(rest, "PerAccount")) return of_account(rest);
  rest = reason;
  const bool qos = take_front(rest, "QOS");
  if (!qos && !take_front(rest, "Assoc")) return std::nullopt;
  const std::string_view holder = qos ? "the QoS" : "the account";
  if (take_front(rest, "Grp")) return of_group(rest, holder);
  if (take_front(rest, "Max")) return of_most(rest, holder);
  if (take_front(rest, "Min")) {
    take_back(rest, "NotSatisfied");
    const Counted* what = counted(rest);
    if (what == nullptr) return std::nullopt;
    return ReasonWords{
        fmt::format("asks for {} {} than {} demands", is_an_amount(what->words) ? "less" : "fewer",
                    what->words, holder),
        fmt::format("ask for more with {}, or use another QoS", what->option)};
  }
  return std::nullopt;
}

// The reasons of limits, as slurmctld 22.05 spells them.
constexpr auto kLimits = std::to_array<std::string_view>({
    "AssocGrpBB",
    "AssocGrpBBMinutes",
    "AssocGrpBBRunMinutes",
    "AssocGrpBilling",
    "AssocGrpBillingMinutes",
    "AssocGrpBillingRunMinutes",
    "AssocGrpCPUMinutesLimit",
    "AssocGrpCPURunMinutesLimit",
    "AssocGrpCpuLimit",
    "AssocGrpEnergy",
    "AssocGrpEnergyMinutes",
    "AssocGrpEnergyRunMinutes",
    "AssocGrpGRES",
    "AssocGrpGRESMinutes",
    "AssocGrpGRESRunMinutes",
    "AssocGrpJobsLimit",
    "AssocGrpLicense",
    "AssocGrpLicenseMinutes",
    "AssocGrpLicenseRunMinutes",
    "AssocGrpMemLimit",
    "AssocGrpMemMinutes",
    "AssocGrpMemRunMinutes",
    "AssocGrpNodeLimit",
    "AssocGrpNodeMinutes",
    "AssocGrpNodeRunMinutes",
    "AssocGrpSubmitJobsLimit",
    "AssocGrpUnknown",
    "AssocGrpUnknownMinutes",
    "AssocGrpUnknownRunMinutes",
    "AssocGrpWallLimit",
    "AssocMaxBBMinutesPerJob",
    "AssocMaxBBPerJob",
    "AssocMaxBBPerNode",
    "AssocMaxBillingMinutesPerJob",
    "AssocMaxBillingPerJob",
    "AssocMaxBillingPerNode",
    "AssocMaxCpuMinutesPerJobLimit",
    "AssocMaxCpuPerJobLimit",
    "AssocMaxCpuPerNode",
    "AssocMaxEnergyMinutesPerJob",
    "AssocMaxEnergyPerJob",
    "AssocMaxEnergyPerNode",
    "AssocMaxGRESMinutesPerJob",
    "AssocMaxGRESPerJob",
    "AssocMaxGRESPerNode",
    "AssocMaxJobsLimit",
    "AssocMaxLicenseMinutesPerJob",
    "AssocMaxLicensePerJob",
    "AssocMaxMemMinutesPerJob",
    "AssocMaxMemPerJob",
    "AssocMaxMemPerNode",
    "AssocMaxNodeMinutesPerJob",
    "AssocMaxNodePerJobLimit",
    "AssocMaxSubmitJobLimit",
    "AssocMaxUnknownMinutesPerJob",
    "AssocMaxUnknownPerJob",
    "AssocMaxUnknownPerNode",
    "AssocMaxWallDurationPerJobLimit",
    "MaxBBPerAccount",
    "MaxBillingPerAccount",
    "MaxCpuPerAccount",
    "MaxEnergyPerAccount",
    "MaxGRESPerAccount",
    "MaxJobsPerAccount",
    "MaxLicensePerAccount",
    "MaxMemoryPerAccount",
    "MaxNodePerAccount",
    "MaxSubmitJobsPerAccount",
    "MaxUnknownPerAccount",
    "QOSGrpBB",
    "QOSGrpBBMinutes",
    "QOSGrpBBRunMinutes",
    "QOSGrpBilling",
    "QOSGrpBillingMinutes",
    "QOSGrpBillingRunMinutes",
    "QOSGrpCPUMinutesLimit",
    "QOSGrpCPURunMinutesLimit",
    "QOSGrpCpuLimit",
    "QOSGrpEnergy",
    "QOSGrpEnergyMinutes",
    "QOSGrpEnergyRunMinutes",
    "QOSGrpGRES",
    "QOSGrpGRESMinutes",
    "QOSGrpGRESRunMinutes",
    "QOSGrpJobsLimit",
    "QOSGrpLicense",
    "QOSGrpLicenseMinutes",
    "QOSGrpLicenseRunMinutes",
    "QOSGrpMemLimit",
    "QOSGrpMemoryMinutes",
    "QOSGrpMemoryRunMinutes",
    "QOSGrpNodeLimit",
    "QOSGrpNodeMinutes",
    "QOSGrpNodeRunMinutes",
    "QOSGrpSubmitJobsLimit",
    "QOSGrpUnknown",
    "QOSGrpUnknownMinutes",
    "QOSGrpUnknownRunMinutes",
    "QOSGrpWallLimit",
    "QOSMaxBBPerJob",
    "QOSMaxBBPerNode",
    "QOSMaxBBPerUser",
    "QOSMaxBillingMinutesPerJob",
    "QOSMaxBillingPerJob",
    "QOSMaxBillingPerNode",
    "QOSMaxBillingPerUser",
    "QOSMaxCpuMinutesPerJobLimit",
    "QOSMaxCpuPerJobLimit",
    "QOSMaxCpuPerNode",
    "QOSMaxCpuPerUserLimit",
    "QOSMaxEnergyMinutesPerJob",
    "QOSMaxEnergyPerJob",
    "QOSMaxEnergyPerNode",
    "QOSMaxEnergyPerUser",
    "QOSMaxGRESMinutesPerJob",
    "QOSMaxGRESPerJob",
    "QOSMaxGRESPerNode",
    "QOSMaxGRESPerUser",
    "QOSMaxJobsPerUserLimit",
    "QOSMaxLicenseMinutesPerJob",
    "QOSMaxLicensePerJob",
    "QOSMaxLicensePerUser",
    "QOSMaxMemoryMinutesPerJob",
    "QOSMaxMemoryPerJob",
    "QOSMaxMemoryPerNode",
    "QOSMaxMemoryPerUser",
    "QOSMaxNodeMinutesPerJob",
    "QOSMaxNodePerJobLimit",
    "QOSMaxNodePerUserLimit",
    "QOSMaxSubmitJobPerUserLimit",
    "QOSMaxUnknownMinutesPerJob",
    "QOSMaxUnknownPerJob",
    "QOSMaxUnknownPerNode",
    "QOSMaxUnknownPerUser",
    "QOSMaxWallDurationPerJobLimit",
    "QOSMinBB",
    "QOSMinBilling",
    "QOSMinCpuNotSatisfied",
    "QOSMinEnergy",
    "QOSMinGRES",
    "QOSMinLicense",
    "QOSMinMemory",
    "QOSMinNode",
    "QOSMinUnknown",
});

}  // namespace

std::optional<ReasonWords> explain_reason(std::string_view reason) {
  const auto found = std::find_if(kPlain.begin(), kPlain.end(),
                                  [&](const Plain& one) { return one.reason == reason; });
  if (found != kPlain.end())
    return ReasonWords{std::string(found->words), std::string(found->action)};
  return of_limit(reason);
}

std::string words_for_reason(std::string_view reason) {
  const auto found = explain_reason(reason);
  return found ? found->words : std::string(reason);
}

std::vector<std::string> reason_names() {
  std::vector<std::string> out(kLimits.begin(), kLimits.end());
  for (const Plain& one : kPlain) out.emplace_back(one.reason);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace sluice
