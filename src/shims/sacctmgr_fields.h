// What sacctmgr shows of associations, users, accounts, QoS, clusters and TRES.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"

namespace sluice {

// One row of a listing: the association and what it belongs to, as far as there is one.
struct SacctmgrRow {
  const Policy* policy = nullptr;
  const Association* assoc = nullptr;
  const User* user = nullptr;
  const Association* account = nullptr;  // The account itself.
  const Qos* qos = nullptr;
  std::size_t index = 0;
  int depth = 0;  // In the tree, where that is asked for.
};

struct SacctmgrField {
  std::string_view name;  // As format= takes it; the beginning suffices.
  std::string_view title;
  int width = 10;
  std::function<std::string(const SacctmgrRow&)> text;
};

// "assoc", "user", "account", "qos", "cluster" or "tres".
// How many letters of a field's name sacctmgr wants to see.
std::size_t least_letters(std::string_view field);
const SacctmgrField* sacctmgr_field(std::string_view entity, std::string_view name);
std::string_view sacctmgr_format(std::string_view entity, bool with_associations,
                                 bool with_coordinators);

// Nothing where the policy says nothing of that user.
const User* user_named(const Policy& policy, const std::string& name);
// What the association may use: its own list or the nearest above, by name.
std::string qos_list(const Policy& policy, const Association& assoc);

}  // namespace sluice
