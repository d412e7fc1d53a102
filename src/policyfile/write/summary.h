// A policy on one screen: machines, queues, QoS with their limits, the account tree.
#pragma once

#include <string>

#include "model/policy.h"

namespace sluice {

std::string policy_summary(const Policy& policy);

}  // namespace sluice
