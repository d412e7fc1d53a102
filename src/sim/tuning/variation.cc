// Documents are edited as they are written: sections by name, then one scalar.
#include "sim/tuning/variation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/tuning/range.h"
#include "text/scan.h"
#include "text/spelling.h"

namespace sluice {
namespace {

constexpr const char* kExample =
    "write a path and values: qos.interactive.GrpTRES=gpu=2..8, or priority.half_life=1d,7d";

// Values and ranges of them, with commas between: 1,2,4..16:4.
Result<std::vector<std::string>> read_values(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view each : split(text, ',')) {
    if (each.empty()) continue;
    if (each.find('=') != std::string_view::npos)
      return bad_input(fmt::format("'{}' names a second setting", each),
                       "give each setting an option of its own: --vary PATH=gpu=2..8 --vary "
                       "PATH=cpu=16..64");
    std::vector<std::string> values{std::string(each)};
    if (each.find("..") != std::string_view::npos) {
      TRY(values, values_in_range(each));
    }
    for (const std::string& value : values)
      if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
  }
  if (out.empty()) return bad_input("no value to try", kExample);
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

// What a list has under that name: nodes are written as [{name: n1, …}, …].
Value* item_of(Value& list, const std::string& name) {
  for (Value& item : list.items)
    for (const Entry& entry : item.entries)
      if (entry.key == "name" && entry.value.text == name) return &item;
  return nullptr;
}

std::vector<std::string> keys_of(const Value& value) {
  std::vector<std::string> out;
  if (value.is_map())
    for (const Entry& entry : value.entries) out.push_back(entry.key);
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
    if (at->is_list()) {
      at = item_of(*at, variation.path[i]);
      if (at == nullptr)
        return bad_input(fmt::format("--vary: the policy has no '{}' in '{}'", variation.path[i],
                                     variation.path[i - 1]),
                         "name one that the file has, as it writes it: nodes.n[1-4].gpus=2..8");
      continue;
    }
    Entry* entry = at->is_map() ? entry_of(*at, variation.path[i]) : nullptr;
    if (entry == nullptr && i == 0) {
      // A section that is not written has its defaults.
      out.add(variation.path[0], Value::map());
      entry = &out.entries.back();
    }
    if (entry == nullptr) {
      const std::vector<std::string> there = keys_of(*at);
      return bad_input(fmt::format("--vary: the policy has no '{}' in '{}'", variation.path[i],
                                   variation.path[i - 1]),
                       there.empty() ? "name a section that the file has, as it writes it"
                                     : allowed_words(variation.path[i], there));
    }
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
    // What has settings of its own cannot become a number.
    if (const auto own = keys_of(entry->value); !own.empty())
      return bad_input(
          fmt::format("--vary: {} is not one setting, it has several", variation.name()),
          fmt::format("vary one of them: {}.{}=…", variation.name(),
                      fmt::join(own, fmt::format("=…, {}.", variation.name()))));
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
