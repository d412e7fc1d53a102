// The command tree for man: pages made from what --help prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace sluice {

struct ManPage {
  std::string file;  // "sluice-policy-plan.1"
  std::string text;
};
// One for the program and one for every command.
std::vector<ManPage> man_pages(const CommandPage& root, std::string_view version);

// The same as one page of the documentation.
std::string command_reference(const CommandPage& root);

}  // namespace sluice
