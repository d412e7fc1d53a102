// Submissions that outlive the process that began them.
#pragma once

#include <string>

namespace sluice {

// Whether an sbatch of this user on this machine is handing in the submission of this key.
bool is_being_sent(const std::string& key);

}  // namespace sluice
