// Reads the fields that are amounts: durations, memory, resources, weights.
#include <fmt/format.h>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/quantities.h"
#include "text/duration.h"
#include "text/spelling.h"

namespace sluice {
namespace {

bool means_unlimited(const Value& value) {
  const std::string word = folded(value.text);
  return word == "unlimited" || word == "infinite" || value.text == "-1";
}

}  // namespace

void FieldReader::factor(const Key& key, std::int64_t& millionths) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  if (auto number = read_millionths(given->text))
    millionths = *number;
  else
    error(*given, key, number.error().what, number.error().hint);
}

void FieldReader::optional_factor(const Key& key, std::optional<std::int64_t>& millionths) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  millionths.reset();
  if (means_unlimited(*given)) return;
  std::int64_t number = 0;
  factor(key, number);
  millionths = number;
}

void FieldReader::note_bare(const Key& key, const Value& given) {
  if (!given.text.empty() && given.text != "0" &&
      given.text.find_first_not_of("0123456789") == std::string::npos)
    reading_.places.put_bare(field(key));
}

void FieldReader::span(const Key& key, Duration& value) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  note_bare(key, *given);
  const auto duration = parse_friendly_duration(given->text);
  if (!duration)
    error(*given, key, duration.error().what, duration.error().hint);
  else if (duration->unlimited())
    error(*given, key, fmt::format("'{}' has no end, a duration belongs here", given->text),
          "write 30s, 90m or 7d");
  else
    value = *duration->duration;
}

void FieldReader::limit(const Key& key, std::optional<Duration>& value) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  note_bare(key, *given);
  if (auto duration = parse_friendly_duration(given->text))
    value = duration->duration;
  else
    error(*given, key, duration.error().what, duration.error().hint);
}

void FieldReader::memory(const Key& key, std::int64_t& megabytes) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  if (auto size = read_memory(given->text))
    megabytes = *size;
  else
    error(*given, key, size.error().what, size.error().hint);
}

void FieldReader::memory_limit(const Key& key, std::optional<std::int64_t>& megabytes) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  if (means_unlimited(*given))
    megabytes.reset();
  else if (auto size = read_memory(given->text))
    megabytes = *size;
  else
    error(*given, key, size.error().what, size.error().hint + ", or unlimited");
}

std::vector<FieldReader::Pair> FieldReader::pairs(const Key& key) {
  const Value* value = raw(key);
  if (value == nullptr) return {};
  std::vector<Pair> found;
  if (value->is_map()) {
    for (const Entry& entry : value->entries) {
      if (entry.value.is_scalar())
        found.push_back({entry.key, entry.value.text, entry.place});
      else
        reading_.error(
            entry.place, field(key),
            fmt::format("'{}' is {}, an amount belongs there", entry.key, entry.value.described()));
    }
  } else {
    for (const Value& item : listed(key)) {
      const std::size_t equals = item.text.find('=');
      if (equals == std::string::npos)
        reading_.error(item.place, field(key), fmt::format("'{}' has no amount", item.text),
                       "write cpu=4,gres/gpu=2 or {cpu: 4, gres/gpu: 2}");
      else
        found.push_back({item.text.substr(0, equals), item.text.substr(equals + 1), item.place});
    }
  }
  std::vector<Pair> known;
  for (Pair& pair : found) {
    if (reading_.tres.find(pair.name)) {
      known.push_back(std::move(pair));
      continue;
    }
    std::vector<std::string> allowed;
    for (std::size_t i = 0; i < reading_.tres.size(); ++i)
      allowed.push_back(reading_.tres.name(TresIndex(static_cast<std::uint8_t>(i))));
    std::string hint = allowed_words(pair.name, allowed);
    if (reading_.tres.find("gres/" + pair.name))
      hint = fmt::format("did you mean gres/{}? {}", pair.name, hint.substr(hint.find("allowed:")));
    reading_.error(pair.place, field(key),
                   fmt::format("'{}' is not a resource of this cluster", pair.name),
                   std::move(hint));
  }
  return known;
}

void FieldReader::tres(const Key& key, TresLimits& value) {
  if (raw(key) == nullptr) return;
  value = {};
  for (const Pair& pair : pairs(key)) {
    const TresIndex index = *reading_.tres.find(pair.name);
    if (folded(pair.amount) == "unlimited" || pair.amount == "-1") continue;
    if (value.has(index))
      reading_.error(pair.place, field(key), fmt::format("'{}' stands here twice", pair.name),
                     "keep one of the two");
    else if (auto amount = read_amount(index, pair.amount))
      value.put(index, *amount);
    else
      reading_.error(pair.place, field(key), amount.error().what, amount.error().hint);
  }
}

void FieldReader::weights(const Key& key, TresWeights& value) {
  if (raw(key) == nullptr) return;
  value.clear();
  for (const Pair& pair : pairs(key)) {
    const TresIndex index = *reading_.tres.find(pair.name);
    bool twice = false;
    for (const TresWeight& weight : value) twice = twice || weight.tres == index;
    if (twice)
      reading_.error(pair.place, field(key), fmt::format("'{}' stands here twice", pair.name),
                     "keep one of the two");
    else if (auto weight = read_weight(index, pair.amount))
      value.push_back(*weight);
    else
      reading_.error(pair.place, field(key), weight.error().what, weight.error().hint);
  }
}

}  // namespace sluice
