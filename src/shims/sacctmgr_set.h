// What sacctmgr sets of a QoS or an association, from a word such as GrpTRES=cpu=8.
#pragma once

#include <optional>
#include <string>

#include "model/policy.h"

namespace sluice {

// "name", "=", "+=" or "-=", and the value.
struct SacctmgrPair {
  std::string name;  // In lower case.
  std::string sign;
  std::string value;
  std::string word;  // As it was typed.
};

// A value that is wrong, or a name that is none: what was said about it.
struct SacctmgrTrouble {
  std::string what;
};

// Nothing where it was set.
std::optional<SacctmgrTrouble> set_qos(const Policy& policy, Qos& qos, const SacctmgrPair& it);
std::optional<SacctmgrTrouble> set_association(const Policy& policy, Association& assoc,
                                               const SacctmgrPair& it);

}  // namespace sluice
