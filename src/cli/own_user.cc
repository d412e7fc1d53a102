#include "cli/own_user.h"

#include "system/users.h"

namespace sluice {

std::string own_user() { return name_of_this_user(); }

}  // namespace sluice
