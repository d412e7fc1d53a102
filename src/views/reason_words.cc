#include "views/reason_words.h"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

constexpr std::array<Words, 34> kWords = {{
    {"None", "not looked at yet"},
    {"Resources", "no node has enough free"},
    {"Priority", "behind jobs with a higher priority"},
    {"Dependency", "another job has to end first"},
    {"DependencyNeverSatisfied", "the job it depends on ended otherwise"},
    {"BeginTime", "its begin time has not come"},
    {"JobHeldUser", "held by its user"},
    {"JobHeldAdmin", "held by an operator"},
    {"JobArrayTaskLimit", "as many tasks of the array run as its % allows"},
    {"Licenses", "the licenses are in use"},
    {"ReqNodeNotAvail", "a node it asks for is not available"},
    {"PartitionDown", "its partition is down"},
    {"PartitionInactive", "its partition is inactive"},
    {"PartitionNodeLimit", "asks for more nodes than the partition allows"},
    {"PartitionTimeLimit", "asks for more time than the partition allows"},
    {"BadConstraints", "no node could ever hold it"},
    {"InvalidQOS", "its QoS is not allowed"},
    {"InvalidAccount", "its account is not allowed"},
    {"QOSMaxJobsPerUserLimit", "as many jobs of the user run as the QoS allows"},
    {"QOSMaxSubmitJobPerUserLimit", "as many jobs of the user wait as the QoS allows"},
    {"QOSMaxCpuPerUserLimit", "the user holds as many CPUs as the QoS allows"},
    {"QOSMaxGRESPerUser", "the user holds as many GPUs as the QoS allows"},
    {"QOSMaxMemoryPerUser", "the user holds as much memory as the QoS allows"},
    {"QOSGrpCpuLimit", "the QoS holds as many CPUs as it may"},
    {"QOSGrpMemLimit", "the QoS holds as much memory as it may"},
    {"QOSGrpGRES", "the QoS holds as many GPUs as it may"},
    {"QOSGrpJobsLimit", "as many jobs of the QoS run as it may have"},
    {"AssocGrpCpuLimit", "the account holds as many CPUs as it may"},
    {"AssocGrpMemLimit", "the account holds as much memory as it may"},
    {"AssocGrpGRES", "the account holds as many GPUs as it may"},
    {"AssocGrpJobsLimit", "as many jobs of the account run as it may have"},
    {"AssocMaxJobsLimit", "as many jobs of the user run as the account allows"},
    {"AssocGrpCPUMinutesLimit", "the account has used up its CPU minutes"},
    {"Reservation", "waits for its reservation"},
}};

}  // namespace

std::span<const Words> reason_words() { return kWords; }

std::string_view words_for_reason(std::string_view reason) {
  const auto found = std::find_if(kWords.begin(), kWords.end(),
                                  [&](const Words& one) { return one.first == reason; });
  return found == kWords.end() ? reason : found->second;
}

}  // namespace sluice
