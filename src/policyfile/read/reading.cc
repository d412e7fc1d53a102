// Errors with their place, and look-ups by field.
#include "policyfile/read/reading.h"

#include <fmt/format.h>

#include "text/spelling.h"

namespace sluice {

Place Places::find(std::string_view field) const {
  while (true) {
    if (auto found = places_.find(field); found != places_.end()) return found->second;
    const std::size_t dot = field.rfind('.');
    if (dot == std::string_view::npos) break;
    field = field.substr(0, dot);
  }
  auto whole = places_.find("");
  return whole == places_.end() ? Place{} : whole->second;
}

void Reading::error(const Place& place, std::string_view field, std::string what,
                    std::string hint) {
  std::string where = place.text();
  if (!field.empty()) where += (where.empty() ? "" : ": ") + std::string(field);
  errors.push_back(Error{ErrorKind::kBadInput, std::move(what), std::move(where), std::move(hint)});
}

std::optional<QosId> Reading::find_qos(std::string_view name, const Place& place,
                                       std::string_view field) {
  if (auto found = qos.find(name); found != qos.end()) return found->second;
  error(place, field, fmt::format("there is no QoS '{}'", name), allowed_words(name, qos_names));
  return std::nullopt;
}

}  // namespace sluice
