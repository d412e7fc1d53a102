// Documents are edited as they are written: sections by name, then one scalar.
#include "sim/tuning/variation.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/scan.h"
#include "text/spelling.h"

namespace sluice {
namespace {

constexpr const char* kExample =
    "write a path and values: qos.interactive.GrpTRES=gpu=2..8, or priority.half_life=1d,7d";
constexpr std::int64_t kMostInRange = 9;
constexpr std::size_t kMostValues = 1000;

Result<std::vector<std::string>> read_values(std::string_view text) {
  std::vector<std::string> out;
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    for (const std::string_view each : split(text, ','))
      if (!each.empty()) out.emplace_back(each);
    if (out.empty()) return bad_input("no value to try", kExample);
    return out;
  }
  const std::string_view rest = text.substr(dots + 2);
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  const auto from = whole_number(text.substr(0, dots));
  const auto to = whole_number(rest.substr(0, colon));
  // Numbers so large have no meaning here, and sums of them no place.
  constexpr std::int64_t kLargest = INT64_MAX / 4;
  if (!from || !to || *from > *to || *from < -kLargest || *to > kLargest)
    return bad_input(fmt::format("'{}' is not a range", text), "write 2..8, or 100..1000:100");
  const std::int64_t span = *to - *from;
  std::int64_t step = std::max<std::int64_t>(1, (span + kMostInRange - 2) / (kMostInRange - 1));
  if (colon < rest.size()) {
    const auto given = whole_number(rest.substr(colon + 1));
    if (!given || *given < 1) return bad_input(fmt::format("'{}' is not a step", rest), kExample);
    step = *given;
  }
  if (static_cast<std::uint64_t>(span / step) >= kMostValues)
    return bad_input(fmt::format("'{}' has more than {} values", text, kMostValues),
                     "give a larger step: 0..100000:10000");
  for (std::int64_t value = *from; value <= *to; value += step)
    out.push_back(std::to_string(value));
  if (out.back() != std::to_string(*to)) out.push_back(std::to_string(*to));
  return out;
}

std::string full_member(std::string_view name) {
  return name == "gpu" ? "gres/gpu" : std::string(name);
}

// "gres/gpu=4,cpu=8" with another amount for one name.
std::string edited_list(std::string_view list, const std::string& member,
                        const std::string& value) {
  std::string out;
  bool found = false;
  for (std::string_view item : split(list, ',')) {
    if (item.empty()) continue;
    const std::string_view name = item.substr(0, item.find('='));
    const bool here = same_ignoring_case(full_member(name), member);
    found = found || here;
    out += (out.empty() ? "" : ",") + (here ? member + "=" + value : std::string(item));
  }
  if (!found) out += (out.empty() ? "" : ",") + member + "=" + value;
  return out;
}

Entry* entry_of(Value& map, const std::string& key) {
  for (Entry& entry : map.entries)
    if (entry.key == key) return &entry;
  for (Entry& entry : map.entries)
    if (folded(entry.key) == folded(key)) return &entry;
  return nullptr;
}

}  // namespace

std::string Variation::name() const {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : ".") + part;
  return member.empty() ? out : out + " " + member;
}

Result<Variation> parse_variation(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return bad_input(fmt::format("--vary '{}' has no values", text), kExample);
  Variation out;
  for (const std::string_view part : split(text.substr(0, equals), '.')) {
    if (part.empty()) return bad_input(fmt::format("--vary '{}': a part is empty", text), kExample);
    out.path.emplace_back(part);
  }
  if (out.path.size() < 2)
    return bad_input(fmt::format("--vary '{}' names no setting of a section", text), kExample);
  std::string_view values = text.substr(equals + 1);
  if (const std::size_t inner = values.find('='); inner != std::string_view::npos) {
    out.member = full_member(values.substr(0, inner));
    values.remove_prefix(inner + 1);
  }
  TRY(out.values, read_values(values));
  return out;
}

Result<Value> with_value(const Value& document, const Variation& variation,
                         const std::string& value) {
  Value out = document;
  Value* at = &out;
  for (std::size_t i = 0; i + 1 < variation.path.size(); ++i) {
    Entry* entry = at->is_map() ? entry_of(*at, variation.path[i]) : nullptr;
    if (entry == nullptr && i == 0) {
      // A section that is not written has its defaults.
      out.add(variation.path[0], Value::map());
      entry = &out.entries.back();
    }
    if (entry == nullptr)
      return bad_input(fmt::format("--vary: the policy has no '{}' in '{}'", variation.path[i],
                                   variation.path[i - 1]),
                       "name a section that the file has, as it writes it");
    at = &entry->value;
  }
  if (at->is_null()) *at = Value::map();
  if (!at->is_map())
    return bad_input(fmt::format("--vary: {} is not in a map of settings", variation.name()));
  Entry* entry = entry_of(*at, variation.path.back());
  if (entry == nullptr) {
    at->add(variation.path.back(), Value());
    entry = &at->entries.back();
  }
  if (variation.member.empty()) {
    entry->value = Value::scalar(value);
  } else if (entry->value.is_map()) {
    Entry* inner = entry_of(entry->value, variation.member);
    if (inner == nullptr)
      entry->value.add(variation.member, Value::scalar(value));
    else
      inner->value = Value::scalar(value);
  } else {
    entry->value = Value::scalar(edited_list(entry->value.text, variation.member, value));
  }
  return out;
}

}  // namespace sluice
