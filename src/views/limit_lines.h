// Which limits bind a user: each with what it is of, how much it allows and how much is used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/description.h"
#include "views/json_fields.h"

namespace sluice {

struct LimitLine {
  std::string of;      // "QoS short", "account physics", "user ann in account physics"
  std::string name;    // "MaxTRESPerUser", with the resource: "MaxTRESPerUser gres/gpu"
  std::string counts;  // "you", "account physics", "all users", "one job"
  std::string limit;   // As text, with units.
  std::string used;    // Empty where nothing is counted: a limit on one job.
  std::int64_t percent = 0;
};
template <class Fields>
void json_fields(Fields& f, Like<LimitLine> auto& row) {
  f("of", row.of);
  f("name", row.name);
  f("counts", row.counts);
  f("limit", row.limit);
  f("used", row.used);
  f("percent", row.percent);
}

// Those of the user's associations and the accounts above them, and of the QoS that these allow.
std::vector<LimitLine> limits_on(const Description& cluster, const std::string& user);

// The QoS that the user may name, in the policy's order.
std::vector<QosId> qos_of(const Policy& policy, const std::string& user);
// The accounts that the user may name.
std::vector<std::string> accounts_of_user(const Policy& policy, const std::string& user);

}  // namespace sluice
