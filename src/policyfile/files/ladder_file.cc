// Levels, growth, and what to do about each way to fail.
#include "policyfile/files/ladder_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "policyfile/files/logging_section.h"
#include "policyfile/read/field_reader.h"
#include "policyfile/read/quantities.h"
#include "policyfile/read/yaml.h"
#include "text/constraint.h"
#include "text/gpus.h"
#include "text/signal.h"
#include "text/spelling.h"

namespace sluice {
namespace {

constexpr Range kLevels{1, 40};
constexpr Range kOften{0, 10'000};
constexpr Range kCpus{1, 65'535};
constexpr Range kExitCode{1, 255};
constexpr std::int64_t kMillion = 1'000'000;

// "2", "a100:2", {a100: 2}.
void read_gpus(FieldReader& fields, Level& level) {
  const Key key{"gpus", "", {"gpu"}};
  const Value* value = fields.raw(key);
  if (value == nullptr) return;
  std::string text = value->text;
  for (const Entry& entry : value->entries)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", entry.key, entry.value.text);
  if (text == "0") {
    level.gpus.emplace();
    return;
  }
  auto read = parse_gpus(text, GpusPer::kNode);
  if (value->is_list() || !read)
    fields.error(*value, key, fmt::format("{} names no GPUs", value->described()),
                 "write 2, a100:2 or {a100: 2}");
  else
    level.gpus = *std::move(read);
}

// What a level names beside partition, memory and time.
void read_kind(FieldReader& fields, Level& level) {
  read_gpus(fields, level);
  std::optional<std::int64_t> cpus;
  fields.count({"cpus", "", {"cpus_per_task"}}, cpus, kCpus);
  if (cpus) level.cpus = static_cast<std::int32_t>(*cpus);
  fields.text({"qos", ""}, level.qos);
  const Key key{"constraint", "", {"features"}};
  const Value* constraint = fields.scalar(key);
  if (constraint == nullptr) return;
  if (auto read = parse_constraint(constraint->text))
    level.constraint = *std::move(read);
  else
    fields.error(*constraint, key, read.error().what, "write it as --constraint takes it");
}

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
  read_kind(fields, level);
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
  static const std::vector<std::string> kWords = {"escalate", "no_retry", "again", "memory",
                                                  "time",     "both",     "gpu"};
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
    } else if (folded(entry.key) == "gpuoutofmemory") {
      if (const auto remedy = remedy_of(entry.value, Remedy::kOtherGpu, field, reading))
        handling.gpu_memory = *remedy;
    } else {
      const auto state = job_state_named(entry.key);
      if (!state || !has_ended(*state) || *state == JobState::kCompleted) {
        reading.error(entry.place, field, "is not a state in which a task fails",
                      "write OUT_OF_MEMORY, TIMEOUT, DEADLINE, PREEMPTED, NODE_FAIL, BOOT_FAIL, "
                      "FAILED, CANCELLED, GPU_OUT_OF_MEMORY, exit_codes, signals or stderr");
        continue;
      }
      if (const auto remedy = remedy_of(entry.value, natural_remedy(*state), field, reading))
        handling.states[*state] = *remedy;
    }
  }
}

void read_checkpoint(const Value& map, const CheckPattern& check, Reading& reading,
                     Ladder& ladder) {
  FieldReader fields(map, "checkpoint", reading);
  Checkpoint out;
  out.signal.batch_shell_only = true;
  std::string signal = "USR1";
  fields.text({"signal", ""}, signal);
  if (const auto number = signal_named(signal))
    out.signal.signal = *number;
  else
    reading.error(map.place, "checkpoint.signal", fmt::format("'{}' is not a signal", signal),
                  "write USR1, or another name or number");
  Duration before = minutes(5);
  fields.span({"before", ""}, before);
  if (before < seconds(1) || before > seconds(65'535))
    reading.error(map.place, "checkpoint.before", "is not from 1 second to 18 hours",
                  "write how long a task needs to save its work: before: 5m");
  out.signal.before_end = before;
  if (const Value* to = fields.scalar({"to", ""}); to != nullptr) {
    const std::string word = folded(to->text);
    out.signal.batch_shell_only = word != "steps";
    if (word != "steps" && word != "script")
      reading.error(to->place, "checkpoint.to", fmt::format("no '{}'", to->text),
                    "write script (the batch script alone) or steps (what srun started)");
  }
  fields.text({"progress", ""}, out.progress);
  if (const std::string problem = check ? check(out.progress) : ""; !problem.empty())
    reading.error(map.place, "checkpoint.progress",
                  fmt::format("cannot read the pattern '{}': {}", out.progress, problem),
                  "write a regular expression as RE2 takes it");
  std::int64_t exit_code = out.exit_code;
  fields.whole({"exit_code", ""}, exit_code, kExitCode);
  out.exit_code = static_cast<std::int32_t>(exit_code);
  std::int64_t most = out.most;
  fields.whole({"at_most", ""}, most, kOften);
  out.most = static_cast<std::uint32_t>(most);
  fields.finish();
  ladder.checkpoint = std::move(out);
}

// `memory: {ladder: [1G, 2G], max_level: 1}` and the same for time, each climbed by itself. Levels
// that are numbered from 0 there.
std::vector<Value> read_column(FieldReader& fields, const std::string& name, Reading& reading) {
  const Value* map = fields.raw({name, ""});
  if (map == nullptr) return {};
  FieldReader column(*map, name, reading);
  std::vector<Value> out = column.listed({"ladder", ""});
  std::optional<std::int64_t> last;
  column.count({"max_level", ""}, last, Range{0, 39});
  column.finish();
  if (out.empty())
    reading.error(map->place, name, "has no ladder",
                  fmt::format("write: {}: {{ladder: […]}}", name));
  if (last && static_cast<std::size_t>(*last) + 1 < out.size())
    out.resize(static_cast<std::size_t>(*last) + 1);
  return out;
}

void read_columns(FieldReader& fields, Reading& reading, Ladder& ladder) {
  const std::vector<Value> memory = read_column(fields, "memory", reading);
  const std::vector<Value> time = read_column(fields, "time", reading);
  if (memory.empty() && time.empty()) return;
  if (!ladder.levels.empty()) {
    const Value& at = memory.empty() ? time.front() : memory.front();
    reading.error(at.place, memory.empty() ? "time" : "memory", "stands beside levels",
                  "write levels, or one ladder for memory and one for time");
    return;
  }
  for (std::size_t i = 0; i < std::max(memory.size(), time.size()); ++i) {
    Value level = Value::map();
    const auto add = [&](const char* key, const std::vector<Value>& column) {
      if (column.empty()) return;
      const Value& value = column[std::min(i, column.size() - 1)];
      level.place = value.place;
      level.entries.push_back({key, value.place, value});
    };
    add("mem", memory);
    add("time", time);
    read_level(level, i, reading, ladder);
  }
}

// Sections of mem-escalate's configuration that need no setting here, and why.
constexpr std::array<std::pair<const char*, const char*>, 6> kNotNeeded = {{
    {"timeout", "the accounting is waited for as long as it takes"},
    {"tracker", "chains are kept in ~/.local/state/sluice/chains, or $SLUICE_HOME/chains"},
    {"retry", "--max-level, or max_level in this file, ends the ladder"},
    {"defaults", "name --partition, --output and --export when you submit"},
    {"failed_jobs", "every report shows them"},
    {"max_array_spec_len", "array specs are split at the length that sbatch takes"},
}};

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
  read_columns(fields, reading, ladder);
  if (const Value* checkpoint = fields.raw({"checkpoint", ""}); checkpoint != nullptr)
    read_checkpoint(*checkpoint, check, reading, ladder);
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
  for (const auto& [key, instead] : kNotNeeded)
    if (const Value* value = fields.raw({key, ""}); value != nullptr && notes != nullptr)
      notes->push_back(fmt::format("{}: {} has no effect: {}", value->place.text(), key, instead));
  fields.finish();
  if (!reading.errors.empty()) return tl::unexpected<Error>(reading.errors.front());
  if (ladder.levels.empty() && !ladder.growth) ladder.growth = Growth{};
  return ladder;
}

}  // namespace sluice
