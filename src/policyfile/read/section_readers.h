// The sections that are tables: nodes, partitions, QoS, accounts and users.
#pragma once

#include "model/policy.h"
#include "policyfile/read/reading.h"
#include "policyfile/read/value.h"

namespace sluice {

void read_nodes(const Value& value, Policy& policy, Reading& reading);
// After nodes and QoS. Without the section there is one partition `main` with every node.
void read_partitions(const Value* value, Policy& policy, Reading& reading);
// After nodes and licenses, which make TRES known. `normal` exists, named or not.
void read_qos(const Value& value, Policy& policy, Reading& reading);
// After QoS. `root` exists, named or not; without the section there is one account `default`.
void read_accounts(const Value* value, Policy& policy, Reading& reading);
void read_users(const Value& value, Policy& policy, Reading& reading);
// After nodes.
void read_switches(const Value& value, Policy& policy, Reading& reading);
void read_reservations(const Value& value, Policy& policy, Reading& reading);

}  // namespace sluice
