#include "cli/elsewhere.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

Elsewhere& known_elsewhere() {
  static Elsewhere known;
  return known;
}

}  // namespace

void use_elsewhere(const Elsewhere& known) { known_elsewhere() = known; }

const Elsewhere& elsewhere() { return known_elsewhere(); }

bool is_chain_id(std::string_view word) {
  if (word == "last") return true;
  constexpr std::size_t kDay = 8;
  return word.size() > kDay && word[kDay] == '-' && word.find_first_not_of("0123456789") == kDay;
}

Result<bool> are_chains(std::span<const std::string> operands) {
  const auto chain = std::find_if(operands.begin(), operands.end(), is_chain_id);
  const auto job = std::find_if_not(operands.begin(), operands.end(), is_chain_id);
  if (chain == operands.end()) return false;
  if (job == operands.end()) return true;
  return bad_input(fmt::format("'{}' is a chain and '{}' is not", *chain, *job),
                   "name them in two commands");
}

}  // namespace sluice
