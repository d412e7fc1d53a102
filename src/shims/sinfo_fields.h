// Every field that sinfo can print of some nodes of a partition, by its letter and its name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shims/site.h"

namespace sluice {

// Nodes of one partition that share a line.
struct NodeGroup {
  const Site* site = nullptr;
  const Partition* partition = nullptr;
  std::vector<std::size_t> nodes;  // Places in the policy.
};

struct SinfoField {
  std::string_view name;  // Of -O, in lower case.
  char letter = '\0';     // Of -o; '\0': it has none.
  std::string_view title;
  std::string (*text)(const NodeGroup&) = nullptr;
  // Nodes of which it says something else have lines of their own.
  bool splits = false;
};

std::span<const SinfoField> sinfo_fields();
const SinfoField* sinfo_field(char letter);
const SinfoField* sinfo_field(std::string_view name);

// "mix", "mixed"; of a state as views::NodeLine names it.
std::string compact_state(std::string_view state);
// Slurm's number for it: lines are sorted by it.
int state_number(std::string_view state);

}  // namespace sluice
