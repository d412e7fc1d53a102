// Nodes, partitions and cluster-wide settings as scontrol prints them, as sections of a document.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policyfile/read/value.h"
#include "slurm/policy_texts.h"

namespace sluice {

struct ImportedHardware {
  Value nodes = Value::list();
  Value licenses = Value::map();
  std::vector<std::string> tres;  // gres/gpu:TYPE and license/NAME
};
ImportedHardware import_hardware(const SlurmTexts& texts, std::vector<std::string>& notes);

// The lines of scontrol show topology.
Value import_switches(const SlurmTexts& texts);

// Accounts and QoS that a partition names and that do not exist are left out, and named.
Value import_partitions(const SlurmTexts& texts, const std::set<std::string>& accounts,
                        const std::set<std::string>& qos, std::vector<std::string>& notes);

// priority, preemption, scheduler, jobs and enforce; what is set otherwise, and not followed, is
// named.
void add_settings(Value& document, std::string_view config, const std::vector<std::string>& tres,
                  std::vector<std::string>& notes);

}  // namespace sluice
