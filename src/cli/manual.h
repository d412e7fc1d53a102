// The command tree for shells and for man: completions and pages, made from what --help prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace sluice {

std::string bash_completion(const CommandPage& root);
std::string zsh_completion(const CommandPage& root);
std::string fish_completion(const CommandPage& root);

struct ManPage {
  std::string file;  // "sluice-policy-plan.1"
  std::string text;
};
// One for the program and one for every command.
std::vector<ManPage> man_pages(const CommandPage& root, std::string_view version);

}  // namespace sluice
