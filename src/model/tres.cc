// The registry of resource dimensions.
#include "model/tres.h"

#include <algorithm>
#include <cctype>

namespace sluice {
namespace {

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace

TresRegistry::TresRegistry() : names_{"cpu", "mem", "node", "billing", "gres/gpu"} {}

std::optional<TresIndex> TresRegistry::find(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (same_ignoring_case(names_[i], name)) return TresIndex(static_cast<std::uint8_t>(i));
  return std::nullopt;
}

Result<TresIndex> TresRegistry::add(std::string_view name) {
  if (auto known = find(name)) return *known;
  if (names_.size() == kMaxTres)
    return bad_input("more than " + std::to_string(kMaxTres) + " kinds of resources, at '" +
                         std::string(name) + "'",
                     "leave out the GPU types and licenses that no limit names");
  names_.emplace_back(name);
  return TresIndex(static_cast<std::uint8_t>(names_.size() - 1));
}

void TresVector::clear_from(std::size_t first) {
  std::fill(value_.begin() + static_cast<std::ptrdiff_t>(first), value_.end(), 0);
}

}  // namespace sluice
