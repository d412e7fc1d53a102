// Routing settings as people write them: routing.yaml, or `routing:` in a project's .sluice.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "routing/settings.h"

namespace sluice {

// Lays what the file says over `settings`: what it does not mention stays. A file whose only key is
// `routing` holds them below it. Errors name file, line and field.
Result<void> read_routing_file(std::string_view text, std::string_view file_name,
                               RoutingSettings& settings);

// The blocked accounts alone, as `sluice accounts block` keeps them.
std::string write_blocks(const std::vector<Block>& blocks);

// "2026-04-08"
bool is_date(std::string_view text);

}  // namespace sluice
