// Hooks as a person writes them: notify.yaml. The keys are in docs/guide/notifications.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

enum class HookKind : std::uint8_t { kCommand, kWebhook, kMail };

struct Hook {
  std::vector<std::string> on;  // Words of events; never empty.
  HookKind kind = HookKind::kCommand;
  std::string target;  // A command for the shell, an address of the web, an address for mail.
  std::string where;   // File and line.
  bool is_for(std::string_view event) const;
};

// Errors name file, line and field.
Result<std::vector<Hook>> read_notify_file(std::string_view text, std::string_view file_name,
                                           const std::vector<std::string>& events);

}  // namespace sluice
