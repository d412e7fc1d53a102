// One reader for each option; the names are found in one table.
#include "sim/stories/story_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/array_spec.h"
#include "text/constraint.h"
#include "text/duration.h"
#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/licenses.h"
#include "text/memory.h"
#include "text/node_count.h"
#include "text/reservation_words.h"
#include "text/scan.h"
#include "text/spelling.h"
#include "text/switches.h"

namespace sluice {
namespace {

struct Context {
  StorySubmit& submit;
  Instant at;
};

using ReadOption = Result<void> (*)(Context& context, std::string_view value);

enum class Takes : std::uint8_t { kValue, kNothing };

struct Option {
  std::vector<std::string_view> names;  // The first is shown in messages.
  Takes takes;
  ReadOption read;
};

Result<std::int32_t> positive(std::string_view text) {
  const auto number = whole_number(text);
  if (!number || *number < 1 || *number > INT32_MAX)
    return bad_input(fmt::format("{} is not a number above zero", quoted(text)));
  return static_cast<std::int32_t>(*number);
}

template <auto Field>
Result<void> read_count(Context& context, std::string_view value) {
  TRY(context.submit.request.*Field, positive(value));
  return {};
}

template <auto Field>
Result<void> read_flag(Context& context, std::string_view) {
  context.submit.request.*Field = true;
  return {};
}

template <auto Field>
Result<void> read_text(Context& context, std::string_view value) {
  context.submit.request.*Field = std::string(value);
  return {};
}

template <MemoryPer Per>
Result<void> read_memory(Context& context, std::string_view value) {
  TRY(const std::int64_t mb, parse_memory_mb(value));
  context.submit.request.memory = MemoryRequest{Per, mb};
  return {};
}

template <GpusPer Per>
Result<void> read_gpus(Context& context, std::string_view value) {
  TRY(auto gpus, parse_gpus(value, Per));
  auto& all = context.submit.request.gpus;
  all.insert(all.end(), gpus.begin(), gpus.end());
  return {};
}

Result<void> read_gres(Context& context, std::string_view value) {
  TRY(auto gpus, parse_gres(value));
  auto& all = context.submit.request.gpus;
  all.insert(all.end(), gpus.begin(), gpus.end());
  return {};
}

Result<void> read_nodes(Context& context, std::string_view value) {
  TRY(const NodeCount count, parse_node_count(value));
  context.submit.request.min_nodes = count.least;
  context.submit.request.max_nodes = count.most;
  return {};
}

Result<void> read_limit(Context& context, std::string_view value) {
  TRY(const TimeLimit limit, parse_job_time_limit(value));
  context.submit.request.time_limit = limit.duration;
  context.submit.request.no_time_limit = limit.unlimited();
  return {};
}

template <auto Field>
Result<void> read_hosts(Context& context, std::string_view value) {
  TRY(context.submit.request.*Field, expand_hostlist(value));
  return {};
}

Result<void> read_partitions(Context& context, std::string_view value) {
  context.submit.request.partitions.clear();
  for (std::string_view name : split(value, ','))
    context.submit.request.partitions.emplace_back(name);
  return {};
}

Result<void> read_array(Context& context, std::string_view value) {
  TRY(context.submit.request.array, parse_array_spec(value));
  return {};
}

// A time of the story, or +1:00 after this line.
Result<Instant> parse_moment(const Context& context, std::string_view value) {
  if (value.starts_with("now+")) value.remove_prefix(3);
  if (!value.starts_with('+')) {
    TRY(const Duration time, parse_story_time(value));
    return instant_at(time);
  }
  TRY(const Duration time, parse_story_time(value.substr(1)));
  return context.at + time;
}

Result<void> read_begin(Context& context, std::string_view value) {
  TRY(context.submit.request.begin, parse_moment(context, value));
  return {};
}

Result<void> read_deadline(Context& context, std::string_view value) {
  TRY(context.submit.request.deadline, parse_moment(context, value));
  return {};
}

Result<void> read_nice(Context& context, std::string_view value) {
  const auto nice = signed_number(value);
  if (!nice) return bad_input(fmt::format("{} is not a whole number", quoted(value)));
  context.submit.request.nice = *nice;
  return {};
}

Result<void> read_priority(Context& context, std::string_view value) {
  const auto priority = whole_number(value);
  if (!priority) return bad_input(fmt::format("{} is not a whole number", quoted(value)));
  context.submit.request.priority = *priority;
  return {};
}

Result<bool> yes_or_no(std::string_view value) {
  if (value.empty() || value == "yes") return true;
  if (value == "no") return false;
  return bad_input(fmt::format("{} is neither yes nor no", quoted(value)), "allowed: yes, no");
}

Result<void> read_requeue(Context& context, std::string_view value) {
  TRY(context.submit.request.requeue, yes_or_no(value));
  return {};
}

Result<void> read_no_requeue(Context& context, std::string_view) {
  context.submit.request.requeue = false;
  return {};
}

Result<void> read_kill_on_invalid(Context& context, std::string_view value) {
  TRY(context.submit.request.kill_on_invalid_dependency, yes_or_no(value));
  return {};
}

Result<void> read_hold(Context& context, std::string_view) {
  context.submit.request.hold = true;
  return {};
}

Result<void> read_exclusive(Context& context, std::string_view value) {
  if (!value.empty() && value != "user")
    return bad_input(fmt::format("{} is not possible here", quoted(value)),
                     "allowed: exclusive, exclusive=user");
  context.submit.request.sharing = value.empty() ? NodeSharing::kExclusive : NodeSharing::kUser;
  return {};
}

Result<void> read_oversubscribe(Context& context, std::string_view) {
  context.submit.request.sharing = NodeSharing::kOversubscribe;
  return {};
}

Result<void> read_constraint(Context& context, std::string_view value) {
  TRY(context.submit.request.constraint, parse_constraint(value));
  return {};
}

Result<void> read_prefer(Context& context, std::string_view value) {
  TRY(context.submit.request.prefer, parse_preference(value));
  return {};
}

Result<void> read_licenses(Context& context, std::string_view value) {
  TRY(LicenseList list, parse_licenses(value));
  context.submit.request.licenses = std::move(list.licenses);
  context.submit.request.any_license = list.any;
  return {};
}

// 1, or 1@10:00
Result<void> read_switches(Context& context, std::string_view value) {
  TRY(const AskedSwitches asked, parse_switches(value));
  context.submit.request.max_switches = asked.most;
  context.submit.request.switch_wait = asked.wait;
  return {};
}

// "A", "A[3]", "A+5": the delay is in minutes, as in Slurm.
Result<StoryDependency> parse_dependency(DependencyType type, std::string_view text) {
  StoryDependency out;
  out.type = type;
  if (const std::size_t plus = text.find('+'); plus != std::string_view::npos) {
    const auto delay = whole_number(text.substr(plus + 1));
    if (!delay || *delay > 1'000'000)
      return bad_input(fmt::format("{} is not a number of minutes", quoted(text.substr(plus + 1))));
    out.delay = minutes(*delay);
    text = text.substr(0, plus);
  }
  TRY(out.job, parse_story_job(text));
  if (out.job.tasks && out.job.tasks->size() != 1)
    return bad_input("a dependency is on one task or on the whole array", "write A[3] or A");
  return out;
}

template <DependencyType Type>
Result<void> read_after(Context& context, std::string_view value) {
  for (std::string_view name : split(value, ':')) {
    TRY(StoryDependency one, parse_dependency(Type, name));
    context.submit.dependencies.push_back(std::move(one));
  }
  return {};
}

struct DependencyWord {
  std::string_view word;
  DependencyType type;
};
constexpr DependencyWord kDependencyWords[] = {
    {"after", DependencyType::kAfter},         {"afterany", DependencyType::kAfterAny},
    {"afterok", DependencyType::kAfterOk},     {"afternotok", DependencyType::kAfterNotOk},
    {"aftercorr", DependencyType::kAfterCorr}, {"singleton", DependencyType::kSingleton},
};

// afterok:A:B,afterany:C — Slurm's form with the story's names for numbers.
Result<void> read_dependency(Context& context, std::string_view value) {
  const bool any = value.find('?') != std::string_view::npos;
  context.submit.any_dependency = any;
  for (std::string_view term : split(value, any ? '?' : ',')) {
    const std::size_t colon = std::min(term.find(':'), term.size());
    const std::string_view word = term.substr(0, colon);
    const auto* known = std::find_if(std::begin(kDependencyWords), std::end(kDependencyWords),
                                     [&](const DependencyWord& d) { return d.word == word; });
    if (known == std::end(kDependencyWords)) {
      std::vector<std::string> allowed;
      for (const DependencyWord& d : kDependencyWords) allowed.emplace_back(d.word);
      return bad_input(fmt::format("{} is not a kind of dependency", quoted(word)),
                       allowed_words(word, allowed));
    }
    if (known->type == DependencyType::kSingleton) {
      context.submit.dependencies.push_back({DependencyType::kSingleton, {}, Duration(0)});
      continue;
    }
    if (colon == term.size())
      return bad_input(fmt::format("{} names no job", quoted(term)), "write afterok:A");
    for (std::string_view name : split(term.substr(colon + 1), ':')) {
      TRY(StoryDependency one, parse_dependency(known->type, name));
      context.submit.dependencies.push_back(std::move(one));
    }
  }
  return {};
}

Result<void> read_singleton(Context& context, std::string_view) {
  context.submit.dependencies.push_back({DependencyType::kSingleton, {}, Duration(0)});
  return {};
}

// 3:00, forever, oom@1:00
Result<void> read_runs(Context& context, std::string_view value) {
  StoryFate& fate = context.submit.fate;
  if (value == "forever") {
    fate.run.reset();
    return {};
  }
  if (value.starts_with("oom@")) {
    TRY(fate.run, parse_story_time(value.substr(4)));
    fate.outcome = Outcome{.state = JobState::kOutOfMemory, .signal = 9};
    return {};
  }
  TRY(fate.run, parse_story_time(value));
  fate.outcome = Outcome{.state = JobState::kCompleted};
  return {};
}

// 1@0:30
Result<void> read_fails(Context& context, std::string_view value) {
  const std::size_t at = value.find('@');
  const auto code = whole_number(value.substr(0, at));
  if (at == std::string_view::npos || !code || *code < 1 || *code > 255)
    return bad_input(fmt::format("{} is not EXIT@TIME", quoted(value)),
                     "write fails=1@0:30: exit code 1 after thirty seconds");
  TRY(context.submit.fate.run, parse_story_time(value.substr(at + 1)));
  context.submit.fate.outcome =
      Outcome{.state = JobState::kFailed, .exit_code = static_cast<std::int32_t>(*code)};
  return {};
}

const std::vector<Option>& options() {
  static const std::vector<Option> table = {
      {{"nodes", "N"}, Takes::kValue, read_nodes},
      {{"tasks", "ntasks", "n"}, Takes::kValue, read_count<&JobSpec::tasks>},
      {{"tasks-per-node", "ntasks-per-node"}, Takes::kValue, read_count<&JobSpec::tasks_per_node>},
      {{"cpus", "cpus-per-task", "c"}, Takes::kValue, read_count<&JobSpec::cpus_per_task>},
      {{"cpus-per-gpu"}, Takes::kValue, read_count<&JobSpec::cpus_per_gpu>},
      {{"tasks-per-core", "ntasks-per-core"}, Takes::kValue, read_count<&JobSpec::tasks_per_core>},
      {{"tasks-per-socket", "ntasks-per-socket"},
       Takes::kValue,
       read_count<&JobSpec::tasks_per_socket>},
      {{"mincpus"}, Takes::kValue, read_count<&JobSpec::min_cpus_per_node>},
      {{"sockets-per-node"}, Takes::kValue, read_count<&JobSpec::min_sockets>},
      {{"cores-per-socket"}, Takes::kValue, read_count<&JobSpec::min_cores_per_socket>},
      {{"threads-per-core"}, Takes::kValue, read_count<&JobSpec::threads_per_core>},
      {{"overcommit", "O"}, Takes::kNothing, read_flag<&JobSpec::overcommit>},
      {{"contiguous"}, Takes::kNothing, read_flag<&JobSpec::contiguous>},
      {{"spread-job"}, Takes::kNothing, read_flag<&JobSpec::spread>},
      {{"use-min-nodes"}, Takes::kNothing, read_flag<&JobSpec::use_min_nodes>},
      {{"switches"}, Takes::kValue, read_switches},
      {{"mem"}, Takes::kValue, read_memory<MemoryPer::kNode>},
      {{"mem-per-cpu"}, Takes::kValue, read_memory<MemoryPer::kCpu>},
      {{"mem-per-gpu"}, Takes::kValue, read_memory<MemoryPer::kGpu>},
      {{"gpus", "G"}, Takes::kValue, read_gpus<GpusPer::kJob>},
      {{"gpus-per-node"}, Takes::kValue, read_gpus<GpusPer::kNode>},
      {{"gpus-per-task"}, Takes::kValue, read_gpus<GpusPer::kTask>},
      {{"gres"}, Takes::kValue, read_gres},
      {{"limit", "time", "t"}, Takes::kValue, read_limit},
      {{"account", "A"}, Takes::kValue, read_text<&JobSpec::account>},
      {{"qos", "q"}, Takes::kValue, read_text<&JobSpec::qos>},
      {{"partition", "p"}, Takes::kValue, read_partitions},
      {{"array", "a"}, Takes::kValue, read_array},
      {{"after"}, Takes::kValue, read_after<DependencyType::kAfter>},
      {{"after-ok"}, Takes::kValue, read_after<DependencyType::kAfterOk>},
      {{"after-any"}, Takes::kValue, read_after<DependencyType::kAfterAny>},
      {{"after-not-ok"}, Takes::kValue, read_after<DependencyType::kAfterNotOk>},
      {{"after-corr"}, Takes::kValue, read_after<DependencyType::kAfterCorr>},
      {{"dependency", "d"}, Takes::kValue, read_dependency},
      {{"singleton"}, Takes::kNothing, read_singleton},
      {{"kill-on-invalid-dep"}, Takes::kValue, read_kill_on_invalid},
      {{"begin", "b"}, Takes::kValue, read_begin},
      {{"deadline"}, Takes::kValue, read_deadline},
      {{"nice"}, Takes::kValue, read_nice},
      {{"priority"}, Takes::kValue, read_priority},
      {{"hold", "H"}, Takes::kNothing, read_hold},
      {{"requeue"}, Takes::kNothing, read_requeue},
      {{"no-requeue"}, Takes::kNothing, read_no_requeue},
      {{"exclusive"}, Takes::kNothing, read_exclusive},
      {{"oversubscribe", "s"}, Takes::kNothing, read_oversubscribe},
      {{"constraint", "C"}, Takes::kValue, read_constraint},
      {{"prefer"}, Takes::kValue, read_prefer},
      {{"licenses", "L"}, Takes::kValue, read_licenses},
      {{"nodelist", "w"}, Takes::kValue, read_hosts<&JobSpec::require_nodes>},
      {{"exclude", "x"}, Takes::kValue, read_hosts<&JobSpec::exclude_nodes>},
      {{"name", "job-name", "J"}, Takes::kValue, read_text<&JobSpec::name>},
      {{"comment"}, Takes::kValue, read_text<&JobSpec::comment>},
      {{"reservation"}, Takes::kValue, read_text<&JobSpec::reservation>},
      {{"runs"}, Takes::kValue, read_runs},
      {{"fails"}, Takes::kValue, read_fails},
  };
  return table;
}

// Without dashes the story's words and sbatch's long ones; with them also sbatch's letters.
const Option* find_option(std::string_view name) {
  for (const Option& option : options())
    for (std::string_view known : option.names)
      if (known == name) return &option;
  return nullptr;
}

Result<void> take(Context& context, const Place& place, std::string_view word, KeyValue pair) {
  const Option* option = find_option(pair.key);
  if (option == nullptr) {
    std::vector<std::string> allowed;
    for (const Option& known : options()) allowed.emplace_back(known.names.front());
    return story_error(place, word, fmt::format("there is no {}", quoted(pair.key)),
                       allowed_words(pair.key, allowed));
  }
  if (option->takes == Takes::kValue && !pair.value)
    return story_error(place, word, "has no value", fmt::format("write {}=…", pair.key));
  auto read = option->read(context, pair.value.value_or(""));
  if (!read) return story_error(place, word, read.error().what, read.error().hint);
  return {};
}

// "-c4", "-c 4", "--cpus-per-task=4", "--cpus-per-task 4"
Result<void> take_dashed(Context& context, const Place& place, std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.size() < 2 || word[0] != '-')
      return story_error(place, word, "is not an option",
                         "after -- come sbatch's own: --mem=2G -c4");
    KeyValue pair;
    if (word.starts_with("--")) {
      pair = split_key_value(word.substr(2));
    } else {
      pair.key = word.substr(1, 1);
      if (word.size() > 2) pair.value = std::string(word.substr(2));
    }
    const Option* option = find_option(pair.key);
    if (option != nullptr && option->takes == Takes::kValue && !pair.value && i + 1 < words.size())
      pair.value = words[++i];
    TRY_VOID(take(context, place, word, std::move(pair)));
  }
  return {};
}

}  // namespace

Result<StoryJob> parse_story_job(std::string_view text) {
  StoryJob out;
  out.text = text;
  const std::size_t open = text.find('[');
  out.name = text.substr(0, open);
  const bool plain = !out.name.empty() && std::all_of(out.name.begin(), out.name.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  });
  if (!plain || is_digit(out.name[0]))
    return bad_input(fmt::format("{} is not a name of a job", quoted(text)),
                     "a name begins with a letter: A, train, A[3], A[0-3]");
  if (open == std::string_view::npos) return out;
  if (!text.ends_with(']'))
    return bad_input(fmt::format("{} lacks its closing bracket", quoted(text)), "write A[0-3]");
  TRY(const ArraySpec spec, parse_array_spec(text.substr(open + 1, text.size() - open - 2)));
  if (spec.throttle)
    return bad_input(fmt::format("{} has a throttle", quoted(text)), "write A[0-3]");
  out.tasks = spec.indices;
  return out;
}

Result<void> read_request(std::span<const std::string> words, const Place& place, Instant at,
                          StorySubmit& submit) {
  Context context{submit, at};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") return take_dashed(context, place, words.subspan(i + 1));
    const KeyValue pair = split_key_value(words[i]);
    if (pair.key.size() == 1)
      return story_error(place, words[i], "sbatch's letters stand behind --",
                         fmt::format("write the whole word, or -- -{}", pair.key));
    TRY_VOID(take(context, place, words[i], pair));
  }
  return {};
}

Result<void> read_change(std::span<const std::string> words, const Place& place, Instant at,
                         StoryUpdate& update) {
  static constexpr std::string_view kAllowed[] = {
      "account",    "qos",      "partition", "limit",   "mem",        "mem-per-cpu", "nodes",
      "tasks",      "cpus",     "gpus",      "gres",    "nice",       "priority",    "begin",
      "dependency", "throttle", "name",      "comment", "reservation"};
  StorySubmit submit;
  Context context{submit, at};
  JobChange& change = update.change;
  for (const std::string& word : words) {
    const KeyValue pair = split_key_value(word);
    if (std::find(std::begin(kAllowed), std::end(kAllowed), pair.key) == std::end(kAllowed))
      return story_error(place, word, fmt::format("{} cannot be changed", quoted(pair.key)),
                         allowed_of(pair.key, kAllowed));
    if (pair.key == "throttle") {
      const auto number = whole_number(pair.value.value_or(""));
      if (!number || *number > UINT32_MAX)
        return story_error(place, word, "is not a number of tasks", "0 lifts the throttle");
      change.throttle = static_cast<std::uint32_t>(*number);
      continue;
    }
    TRY_VOID(take(context, place, word, pair));
    const JobSpec& spec = submit.request;
    if (pair.key == "account") change.account = spec.account;
    if (pair.key == "qos") change.qos = spec.qos;
    if (pair.key == "partition") change.partitions = spec.partitions;
    if (pair.key == "limit") change.time_limit = spec.time_limit;
    if (pair.key.starts_with("mem")) change.memory = spec.memory;
    if (pair.key == "nodes") {
      change.min_nodes = spec.min_nodes;
      change.max_nodes = spec.max_nodes;
    }
    if (pair.key == "tasks") change.tasks = spec.tasks;
    if (pair.key == "cpus") change.cpus_per_task = spec.cpus_per_task;
    if (pair.key == "gpus" || pair.key == "gres") change.gpus = spec.gpus;
    if (pair.key == "nice") change.nice = spec.nice;
    if (pair.key == "priority") change.priority = spec.priority;
    if (pair.key == "begin") change.begin = spec.begin;
    if (pair.key == "name") change.name = spec.name;
    if (pair.key == "comment") change.comment = spec.comment;
    if (pair.key == "reservation") change.reservation = spec.reservation;
    if (pair.key == "dependency") {
      update.dependencies = submit.dependencies;
      update.any_dependency = submit.any_dependency;
    }
  }
  return {};
}

Result<void> read_reservation(std::span<const std::string> words, const Place& place, Instant at,
                              StoryReservation& reservation) {
  StorySubmit none;
  const Context context{none, at};
  const ReadMoment moment = [&](std::string_view text) -> Result<ReservationMoment> {
    if (text == "now") return ReservationMoment{context.at, std::nullopt};
    TRY(const Instant time, parse_moment(context, text));
    return ReservationMoment{time, std::nullopt};
  };
  for (const std::string& word : words) {
    const KeyValue pair = split_key_value(word);
    if (!pair.value) return story_error(place, word, "is not KEY=VALUE");
    const auto read =
        reservation.verb == StoryReservation::Verb::kCreate
            ? read_reservation_word(pair.key, *pair.value, moment, reservation.request)
            : read_reservation_change(pair.key, *pair.value, moment, reservation.change);
    if (!read) return story_error(place, word, read.error().what, read.error().hint);
  }
  return {};
}

}  // namespace sluice
