// Notices on their way: the hooks of this user, and mail.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policyfile/files/notify_file.h"

namespace sluice {

std::string notify_file();  // ~/.config/sluice/notify.yaml
// None where there is no such file.
Result<std::vector<Hook>> load_hooks();

// Tells one hook; it gets the JSON on standard input.
Result<void> tell_hook(const Hook& hook, const std::string& json);

// Tells everybody whom the notice concerns. What fails goes to notify.log in the state folder, and
// the failures come back: nothing depends on a notice.
std::vector<std::string> deliver_notice(const std::string& json);

}  // namespace sluice
