// One value for each field, in the notation asked for.
#include "policyfile/write/field_writer.h"

#include <fmt/format.h>

#include "policyfile/read/quantities.h"
#include "text/duration.h"

namespace sluice {

void FieldWriter::put_list(const Key& key, const std::vector<std::string>& words) {
  if (notation_ == Notation::kSlurm) {
    put_plain(key, fmt::format("{}", fmt::join(words, ",")));
    return;
  }
  Value list = Value::list();
  for (const std::string& word : words) list.items.push_back(Value::quoted_text(word));
  for (Value& item : list.items) item.quoted = false;
  put(key, std::move(list));
}

void FieldWriter::text(const Key& key, std::string& value) { put(key, Value::quoted_text(value)); }

void FieldWriter::name(const Key& key, std::string& value, Refers) { put_plain(key, value); }

void FieldWriter::names(const Key& key, std::vector<std::string>& value, Refers) {
  put_list(key, value);
}

void FieldWriter::flag(const Key& key, bool& value) { put_plain(key, value ? "true" : "false"); }

void FieldWriter::whole(const Key& key, std::int64_t& value, Range) {
  put_plain(key, std::to_string(value));
}

void FieldWriter::count(const Key& key, std::optional<std::int64_t>& value, Range) {
  put_plain(key, value ? std::to_string(*value) : "unlimited");
}

void FieldWriter::factor(const Key& key, std::int64_t& millionths) {
  put_plain(key, print_millionths(millionths));
}

void FieldWriter::optional_factor(const Key& key, std::optional<std::int64_t>& millionths) {
  put_plain(key, millionths ? print_millionths(*millionths) : "unlimited");
}

void FieldWriter::span(const Key& key, Duration& value) {
  if (notation_ == Notation::kFile)
    put_plain(key, format_friendly_duration(value));
  else  // GraceTime, the only span of sacctmgr, is in seconds.
    put_plain(key, std::to_string(to_seconds(value)));
}

void FieldWriter::limit(const Key& key, std::optional<Duration>& value) {
  if (!value)
    put_plain(key, "unlimited");
  else
    put_plain(key, notation_ == Notation::kFile ? format_friendly_duration(*value)
                                                : format_duration(*value));
}

void FieldWriter::memory(const Key& key, std::int64_t& megabytes) {
  put_plain(key, print_memory(megabytes));
}

void FieldWriter::memory_limit(const Key& key, std::optional<std::int64_t>& megabytes) {
  put_plain(key, megabytes ? print_memory(*megabytes) : "unlimited");
}

void FieldWriter::tres(const Key& key, TresLimits& value) {
  Value map = Value::map();
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < policy_.tres.size(); ++i) {
    const TresIndex index(static_cast<std::uint8_t>(i));
    if (!value.has(index)) continue;
    const std::string& name = policy_.tres.name(index);
    map.add(name, Value::scalar(print_amount(index, value[index])));
    pairs.push_back(fmt::format("{}={}", name, value[index]));
  }
  if (notation_ == Notation::kFile)
    put(key, std::move(map));
  else
    put_plain(key, fmt::format("{}", fmt::join(pairs, ",")));
}

void FieldWriter::weights(const Key& key, TresWeights& value) {
  Value map = Value::map();
  std::vector<std::string> pairs;
  for (const TresWeight& weight : value) {
    const std::string& name = policy_.tres.name(weight.tres);
    map.add(name, Value::scalar(print_weight(weight)));
    pairs.push_back(fmt::format("{}={}", name, print_weight(weight)));
  }
  if (notation_ == Notation::kFile)
    put(key, std::move(map));
  else
    put_plain(key, fmt::format("{}", fmt::join(pairs, ",")));
}

void FieldWriter::qos(const Key& key, std::optional<QosId>& value) {
  put_plain(key, value ? policy_.qos[value->index()].name : "");
}

void FieldWriter::qos_list(const Key& key, std::vector<QosId>& value) {
  std::vector<std::string> words;
  for (QosId id : value) words.push_back(policy_.qos[id.index()].name);
  put_list(key, words);
}

void FieldWriter::word(const Key& key, std::size_t& value, const Words& words) {
  put_plain(key, std::string(words[value]));
}

void FieldWriter::optional_word(const Key& key, std::optional<std::size_t>& value,
                                const Words& words) {
  put_plain(key, value ? std::string(words[*value]) : "cluster");
}

void FieldWriter::flags(const Key& key, std::vector<std::pair<std::string_view, bool*>> words) {
  std::vector<std::string> set;
  for (auto& [word, flag] : words)
    if (*flag) set.emplace_back(word);
  put_list(key, set);
}

}  // namespace sluice
