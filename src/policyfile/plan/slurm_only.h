// What Slurm keeps and the engine does not act on: read, written, compared and applied as it is.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/association.h"
#include "policyfile/read/fields.h"
#include "policyfile/read/value.h"

namespace sluice {

// By subject ("qos high", "account chem", "user ann of chem") and sacctmgr's name of the field.
using SlurmOnlyFields = std::map<std::string, std::string>;
using SlurmOnly = std::map<std::string, SlurmOnlyFields>;

enum class SlurmOnlyOf : std::uint8_t { kQos, kAccount, kUser };
// The keys, each by the name that sacctmgr sets it under.
std::span<const Key> slurm_only_keys(SlurmOnlyOf of);

// "account chem", "user ann of chem", "user ann of chem in gpu".
std::string subject_of(const Association& association);

// "0.500000" is "0.5": numbers are compared as numbers.
std::string plain_number(const std::string& text);

// A QoS list may say how it differs from the account above: "+deny,-high". The differences, sorted;
// empty where the list names QoS.
inline constexpr const char* kQosDifference = "QosLevel";
std::string qos_difference(const Value& list);
// The list that comes of it.
std::vector<std::string> differing_qos(std::vector<std::string> above,
                                       const std::string& difference);
// The steps that make it, "QosLevel+=deny" and "QosLevel-=high".
std::vector<std::string> qos_difference_settings(const std::string& difference);

}  // namespace sluice
