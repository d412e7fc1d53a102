// Finding keys in a map, and the fields whose values need no notation of their own.
#include "policyfile/read/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "text/spelling.h"

namespace sluice {
namespace {

bool means_unlimited(const Value& value) {
  const std::string word = folded(value.text);
  return word == "unlimited" || word == "infinite" || value.text == "-1";
}

std::vector<std::string> strings(const Words& words) { return {words.begin(), words.end()}; }

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

// "preempt/qos" is "qos".
std::string_view after_slash(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("_.-+@").find(c) != std::string_view::npos;
         });
}

FieldReader::FieldReader(const Value& map, std::string path, Reading& reading)
    : map_(map), path_(std::move(path)), reading_(reading) {
  reading_.places.put(path_, map_.place);
  if (!map_.is_map() && !map_.is_null())
    reading_.error(map_.place, path_, fmt::format("{} stands where keys belong", map_.described()),
                   "write KEY: VALUE lines, indented, below it");
}

std::string FieldReader::field(const Key& key) const {
  return path_.empty() ? std::string(key.name) : fmt::format("{}.{}", path_, key.name);
}

void FieldReader::error(const Value& at, const Key& key, std::string what, std::string hint) {
  reading_.error(at.place, field(key), std::move(what), std::move(hint));
}

const Value* FieldReader::raw(const Key& key) {
  if (std::find(allowed_.begin(), allowed_.end(), key.name) == allowed_.end())
    allowed_.emplace_back(key.name);
  const Entry* found = nullptr;
  for (const Entry& entry : map_.entries) {
    const std::string written = folded(entry.key);
    const bool same = written == folded(key.name) ||
                      std::any_of(key.aliases.begin(), key.aliases.end(),
                                  [&](std::string_view alias) { return written == folded(alias); });
    if (!same) continue;
    if (found != nullptr && used_.insert(entry.key).second)
      reading_.error(entry.place, field(key),
                     fmt::format("'{}' and '{}' (line {}) are the same key", entry.key, found->key,
                                 found->place.line),
                     "keep one of the two");
    if (found == nullptr) found = &entry;
    used_.insert(entry.key);
  }
  if (found == nullptr) return nullptr;
  reading_.places.put(field(key), found->place);
  return &found->value;
}

void FieldReader::slurm_only(SlurmOnlyOf of, const std::string& subject) {
  for (const Key& key : slurm_only_keys(of)) {
    const Value* given = scalar(key);
    if (given == nullptr || !given->is_scalar()) continue;
    const bool is_text = key.name == "Organization";
    if (!is_text && !means_unlimited(*given) &&
        given->text.find_first_not_of("0123456789.") != std::string::npos) {
      error(*given, key, fmt::format("'{}' is not a number", given->text));
      continue;
    }
    reading_.slurm_only[subject][std::string(key.name)] =
        is_text ? given->text : (means_unlimited(*given) ? "-1" : plain_number(given->text));
  }
}

const Value* FieldReader::scalar(const Key& key) {
  const Value* value = raw(key);
  if (value == nullptr || value->is_scalar()) return value;
  if (value->is_null())
    error(*value, key, "has no value", "give it one, or remove the key");
  else
    error(*value, key, fmt::format("is {}, one value belongs here", value->described()));
  return nullptr;
}

std::vector<Value> FieldReader::listed(const Key& key) {
  const Value* value = raw(key);
  std::vector<Value> out;
  if (value == nullptr) return out;
  if (value->is_scalar()) {
    std::string_view rest = value->text;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      std::string_view word = rest.substr(0, comma);
      while (word.starts_with(' ')) word.remove_prefix(1);
      while (word.ends_with(' ')) word.remove_suffix(1);
      out.push_back(Value::scalar(std::string(word)));
      out.back().place = value->place;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  } else if (value->is_list()) {
    for (const Value& item : value->items) {
      if (item.is_scalar())
        out.push_back(item);
      else
        error(item, key,
              fmt::format("has {} in its list, one word belongs there", item.described()));
    }
  } else {
    error(*value, key, fmt::format("is {}, a list belongs here", value->described()),
          "write [a, b]");
  }
  return out;
}

void FieldReader::finish() {
  for (const Entry& entry : map_.entries) {
    if (used_.contains(entry.key)) continue;
    reading_.error(entry.place, path_, fmt::format("'{}' is not a key here", entry.key),
                   allowed_words(entry.key, allowed_));
  }
}

void FieldReader::text(const Key& key, std::string& value) {
  if (const Value* given = scalar(key)) value = given->text;
}

void FieldReader::name(const Key& key, std::string& value, Refers to) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  if (!is_plain_name(given->text)) {
    error(*given, key, fmt::format("'{}' is not a name", given->text),
          "use letters, digits and _ . - + @");
    return;
  }
  value = given->text;
  if (to != Refers::kNothing)
    reading_.references.push_back({to, given->text, given->place, field(key)});
}

void FieldReader::names(const Key& key, std::vector<std::string>& value, Refers to) {
  if (raw(key) == nullptr) return;
  value.clear();
  for (const Value& given : listed(key)) {
    if (!is_plain_name(given.text)) {
      error(given, key, fmt::format("'{}' is not a name", given.text),
            "use letters, digits and _ . - + @");
      continue;
    }
    if (std::find(value.begin(), value.end(), given.text) != value.end()) continue;
    value.push_back(given.text);
    if (to != Refers::kNothing)
      reading_.references.push_back({to, given.text, given.place, field(key)});
  }
}

void FieldReader::flag(const Key& key, bool& value) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  const std::string word = folded(given->text);
  if (word == "yes" || word == "true" || word == "on" || word == "1")
    value = true;
  else if (word == "no" || word == "false" || word == "off" || word == "0")
    value = false;
  else
    error(*given, key, fmt::format("'{}' is neither yes nor no", given->text),
          "allowed: yes, no, true, false");
}

void FieldReader::whole(const Key& key, std::int64_t& value, Range range) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  const auto number = whole_number(given->text);
  if (!number || *number < range.least || *number > range.most)
    error(*given, key, fmt::format("'{}' is not a whole number", given->text),
          fmt::format("allowed: {} to {}", range.least, range.most));
  else
    value = *number;
}

void FieldReader::count(const Key& key, std::optional<std::int64_t>& value, Range range) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  if (means_unlimited(*given)) {
    value.reset();
    return;
  }
  const auto number = whole_number(given->text);
  if (!number || *number < range.least || *number > range.most)
    error(*given, key, fmt::format("'{}' is not a whole number", given->text),
          fmt::format("allowed: {} to {}, unlimited", range.least, range.most));
  else
    value = *number;
}

void FieldReader::qos(const Key& key, std::optional<QosId>& value) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  if (auto found = reading_.find_qos(given->text, given->place, field(key))) value = found;
}

void FieldReader::qos_list(const Key& key, std::vector<QosId>& value) {
  if (raw(key) == nullptr) return;
  value.clear();
  for (const Value& given : listed(key))
    if (auto found = reading_.find_qos(given.text, given.place, field(key)))
      if (std::find(value.begin(), value.end(), *found) == value.end()) value.push_back(*found);
}

void FieldReader::word(const Key& key, std::size_t& value, const Words& words) {
  const Value* given = scalar(key);
  if (given == nullptr) return;
  const std::string wanted = folded(after_slash(given->text));
  for (std::size_t i = 0; i < words.size(); ++i)
    if (folded(words[i]) == wanted) {
      value = i;
      return;
    }
  error(*given, key, fmt::format("'{}' is not one of its values", given->text),
        allowed_words(given->text, strings(words)));
}

void FieldReader::optional_word(const Key& key, std::optional<std::size_t>& value,
                                const Words& words) {
  const Value* given = raw(key);
  if (given == nullptr) return;
  if (given->is_scalar() && folded(given->text) == "cluster") {
    value.reset();
    return;
  }
  std::size_t index = words.size();
  word(key, index, words);
  if (index < words.size()) value = index;
}

void FieldReader::flags(const Key& key, std::vector<std::pair<std::string_view, bool*>> words) {
  if (raw(key) == nullptr) return;
  for (auto& [word, flag] : words) *flag = false;
  for (const Value& given : listed(key)) {
    const std::string wanted = folded(given.text);
    if (wanted == "none") continue;
    bool known = false;
    for (auto& [word, flag] : words)
      if (folded(word) == wanted) known = *flag = true;
    if (known) continue;
    std::vector<std::string> allowed;
    for (auto& [word, flag] : words) allowed.emplace_back(word);
    error(given, key, fmt::format("'{}' is not one of its words", given.text),
          allowed_words(given.text, allowed));
  }
}

}  // namespace sluice
