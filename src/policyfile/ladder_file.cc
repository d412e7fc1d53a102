// Levels, growth, and what to do about each way to fail.
#include "policyfile/ladder_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "policyfile/field_reader.h"
#include "policyfile/logging_section.h"
#include "policyfile/quantities.h"
#include "policyfile/yaml.h"
#include "text/spelling.h"

namespace sluice {
namespace {

constexpr Range kLevels{1, 40};
constexpr Range kOften{0, 10'000};
constexpr std::int64_t kMillion = 1'000'000;

void read_level(const Value& item, std::size_t number, Reading& reading, Ladder& ladder) {
  FieldReader fields(item, fmt::format("levels[{}]", number + 1), reading);
  Level level;
  level.where = item.place.text();
  for (const Value& name : fields.listed({"partition", "", {"partitions"}}))
    level.partitions.push_back(name.text);
  std::optional<std::int64_t> memory;
  fields.memory_limit({"mem", "", {"memory"}}, memory);
  if (memory && *memory <= 0)
    reading.error(item.place, fmt::format("levels[{}].mem", number + 1), "is 0",
                  "write how much each task gets: mem: 1G");
  if (memory) level.memory = MemoryRequest{MemoryPer::kNode, *memory};
  fields.limit({"time", ""}, level.time);
  if (level.time && *level.time <= Duration(0))
    reading.error(item.place, fmt::format("levels[{}].time", number + 1), "is 0",
                  "write how long each task may take: time: 10m");
  fields.finish();
  ladder.levels.push_back(std::move(level));
}

// "×2", "x1.5", "2".
void read_factor(FieldReader& fields, const Key& key, std::int64_t& percent) {
  const Value* value = fields.scalar(key);
  if (value == nullptr) return;
  std::string_view text = value->text;
  for (const std::string_view mark : {"×", "x", "*"})
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
  const auto read = read_millionths(text);
  if (!read || *read < kMillion || *read > 100 * kMillion)
    fields.error(*value, key, fmt::format("'{}' is not a factor from 1 to 100", value->text),
                 "write ×2 or 1.5");
  else
    percent = *read / (kMillion / 100);
}

// "escalate" is what suits the state; the others say it outright.
std::optional<Remedy> remedy_of(const Value& value, Remedy natural, std::string_view field,
                                Reading& reading) {
  static const std::vector<std::string> kWords = {"escalate", "no_retry", "again",
                                                  "memory",   "time",     "both"};
  const std::string word = folded(value.text);
  if (value.is_scalar()) {
    if (word == "escalate") return natural;
    for (std::size_t i = 0; i < kRemedies; ++i)
      if (word == folded(remedy_word(static_cast<Remedy>(i)))) return static_cast<Remedy>(i);
  }
  reading.error(value.place, field, fmt::format("{} is not a remedy", value.described()),
                allowed_words(value.text, kWords));
  return std::nullopt;
}

void read_numbers(const Value& map, const std::string& field, std::int32_t most, Remedy natural,
                  Reading& reading, std::map<std::int32_t, Remedy>& table) {
  for (const Entry& entry : map.entries) {
    std::int32_t number = 0;
    const char* end = entry.key.data() + entry.key.size();
    const auto read = std::from_chars(entry.key.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < 1 || number > most) {
      reading.error(entry.place, field,
                    fmt::format("'{}' is not a number from 1 to {}", entry.key, most));
      continue;
    }
    if (const auto remedy = remedy_of(entry.value, natural, field, reading))
      table[number] = *remedy;
  }
}

void read_stderr(const Value& list, const CheckPattern& check, Reading& reading,
                 Handling& handling) {
  handling.stderr_rules.clear();
  for (const Value& item : list.items) {
    FieldReader fields(item, "state_handling.stderr", reading);
    StderrRule rule;
    fields.text({"match", ""}, rule.pattern);
    const Value* what = fields.raw({"do", ""});
    if (what != nullptr)
      if (const auto remedy =
              remedy_of(*what, Remedy::kMoreMemory, "state_handling.stderr", reading))
        rule.remedy = *remedy;
    fields.finish();
    if (rule.pattern.empty())
      reading.error(item.place, "state_handling.stderr", "matches nothing",
                    "write: {match: 'CUDA out of memory', do: memory}");
    else if (const std::string problem = check ? check(rule.pattern) : ""; !problem.empty())
      reading.error(item.place, "state_handling.stderr.match",
                    fmt::format("cannot read the pattern '{}': {}", rule.pattern, problem),
                    "write a regular expression as RE2 takes it");
    handling.stderr_rules.push_back(std::move(rule));
  }
}

void read_handling(const Value& map, const CheckPattern& check, Reading& reading,
                   Handling& handling) {
  for (const Entry& entry : map.entries) {
    const std::string field = "state_handling." + entry.key;
    if (folded(entry.key) == "exitcodes") {
      read_numbers(entry.value, field, 255, Remedy::kMoreMemory, reading, handling.exit_codes);
    } else if (folded(entry.key) == "signals") {
      read_numbers(entry.value, field, 64, Remedy::kMoreMemory, reading, handling.signals);
    } else if (folded(entry.key) == "stderr") {
      read_stderr(entry.value, check, reading, handling);
    } else {
      const auto state = job_state_named(entry.key);
      if (!state || !has_ended(*state) || *state == JobState::kCompleted) {
        reading.error(entry.place, field, "is not a state in which a task fails",
                      "write OUT_OF_MEMORY, TIMEOUT, DEADLINE, PREEMPTED, NODE_FAIL, BOOT_FAIL, "
                      "FAILED, CANCELLED, exit_codes, signals or stderr");
        continue;
      }
      if (const auto remedy = remedy_of(entry.value, natural_remedy(*state), field, reading))
        handling.states[*state] = *remedy;
    }
  }
}

}  // namespace

Result<Ladder> read_ladder_file(std::string_view text, std::string_view file_name,
                                const CheckPattern& check, std::vector<std::string>* notes) {
  TRY(const Value whole, parse_yaml(text, file_name));
  Ladder ladder;
  Reading reading;
  FieldReader fields(whole, "", reading);
  if (const Value* levels = fields.raw({"levels", ""}); levels != nullptr) {
    if (!levels->is_list())
      reading.error(levels->place, "levels", fmt::format("{} is not a list", levels->described()),
                    "write: levels: [{mem: 1G, time: 10m}, {mem: 2G, time: 20m}]");
    else if (levels->items.empty())
      reading.error(levels->place, "levels", "has no level",
                    "write: levels: [{mem: 1G, time: 10m}], or leave the key out");
    for (std::size_t i = 0; i < levels->items.size(); ++i)
      read_level(levels->items[i], i, reading, ladder);
  }
  if (const Value* grow = fields.raw({"grow", "", {"growth"}}); grow != nullptr) {
    FieldReader factors(*grow, "grow", reading);
    Growth growth{100, 100};
    read_factor(factors, {"mem", "", {"memory"}}, growth.memory_percent);
    read_factor(factors, {"time", ""}, growth.time_percent);
    factors.finish();
    ladder.growth = growth;
  }
  if (const Value* climb = fields.scalar({"climb", ""}); climb != nullptr) {
    const std::string word = folded(climb->text);
    if (word == "wholelevel")
      ladder.climb = Climb::kWholeLevel;
    else if (word != "bycause")
      reading.error(climb->place, "climb", fmt::format("no '{}'", climb->text),
                    "write by-cause or whole-level");
  }
  std::optional<std::int64_t> max_level;
  fields.count({"max-level", ""}, max_level, kLevels);
  if (max_level) ladder.max_level = static_cast<std::uint32_t>(*max_level);
  std::int64_t most_again = ladder.most_again;
  fields.whole({"max-again", ""}, most_again, kOften);
  ladder.most_again = static_cast<std::uint32_t>(most_again);
  if (const Value* handling = fields.raw({"state-handling", ""}); handling != nullptr)
    read_handling(*handling, check, reading, ladder.handling);
  // Which database is told of the chain too: see logging_section.h.
  if (const Value* logging = fields.raw({"logging", ""}); logging != nullptr) {
    const auto section = read_logging(*logging);
    if (!section) return tl::unexpected<Error>(section.error());
    if (notes != nullptr) notes->insert(notes->end(), section->notes.begin(), section->notes.end());
  }
  fields.finish();
  if (!reading.errors.empty()) return tl::unexpected<Error>(reading.errors.front());
  if (ladder.levels.empty() && !ladder.growth) ladder.growth = Growth{};
  return ladder;
}

}  // namespace sluice
