// Draws habits, then jobs, then spreads them over the days that give the load.
#include "sim/workloads/generated.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "sim/workloads/generated_parts.h"
#include "sim/workloads/lublin.h"
#include "sim/workloads/request_table.h"
#include "sim/workloads/splitmix.h"

namespace sluice {
namespace generated {
namespace {

constexpr std::int64_t kDay = 86'400;
// Submissions by hour of the day, in parts of 1,000 (Lublin and Feitelson 2003, rounded).
constexpr std::array<std::int64_t, 24> kHours = {21, 16, 13, 11, 10, 10, 12, 18, 34, 55, 66, 70,
                                                 66, 70, 74, 74, 71, 66, 56, 46, 41, 37, 34, 29};
constexpr std::int64_t kWholeDay = 1000;
// The second at which this share of all submissions has happened: `at` counts thousandths of days
// in which every hour is as busy as any other.
std::int64_t second_at(std::int64_t at, std::int64_t scale) {
  const std::int64_t day = at / (kWholeDay * scale);
  std::int64_t rest = at % (kWholeDay * scale);
  std::int64_t hour = 0;
  for (std::int64_t busy : kHours) {
    if (rest < busy * scale) return day * kDay + hour * 3600 + rest * 3600 / (busy * scale);
    rest -= busy * scale;
    ++hour;
  }
  return (day + 1) * kDay - 1;
}

}  // namespace

Duration draw_run(Draws& draws, Duration limit) {
  if (draws.below(8) == 0) return limit + minutes(1);
  const std::int64_t whole = to_seconds(limit);
  const auto halvings = static_cast<unsigned>(draws.below(7));
  const std::int64_t part = 512 + static_cast<std::int64_t>(draws.below(512));
  return seconds(std::max<std::int64_t>((whole >> halvings) * part / 1024, 1));
}

Duration roomy_limit(Duration run, Duration most) {
  for (const std::int64_t each : kLimits)
    if (minutes(each) >= 2 * run) return std::min(minutes(each), most);
  return most;
}

void draw_failures(const GeneratorSettings& settings, Workload& workload) {
  if (settings.fail_permille == 0) return;
  Draws draws(settings.seed, kFailStream);
  for (WorkItem& item : workload.items) {
    if (static_cast<std::int64_t>(draws.below(1000)) >= settings.fail_permille) continue;
    const bool mistake = draws.below(3) != 0;
    const auto part = static_cast<std::int64_t>(draws.below(mistake ? 64 : 512) + 1);
    item.ends = mistake ? JobState::kFailed : JobState::kOutOfMemory;
    const Duration whole = std::min(item.run, workload.request_of(item).limit);
    item.run = seconds(std::max<std::int64_t>(to_seconds(whole) * part / 512, 1));
  }
}

void add_neighbours(const std::vector<Neighbour>& neighbours, std::int64_t span,
                    RequestTable& requests, Workload& workload) {
  // As many as an array that people submit without a thought, and a queue that never runs dry.
  constexpr std::int64_t kBatch = 50;
  constexpr std::int64_t kMostOfOne = 200'000;
  for (const Neighbour& each : neighbours) {
    const std::int64_t limit = to_seconds(each.request.limit);
    const std::int64_t work = each.cpus * span;
    // As long as they may be, so that there are not many of them.
    const std::int64_t run = std::max<std::int64_t>(limit * 9 / 10, 1);
    const std::int64_t jobs =
        std::clamp<std::int64_t>(work / (run * each.request.cpus), kBatch, kMostOfOne);
    const std::uint32_t request = requests.number_of(each.request);
    for (std::int64_t i = 0; i < jobs; ++i) {
      WorkItem item;
      item.submit = instant_at(seconds(i / kBatch * kBatch * span / jobs));
      item.run = seconds(run);
      item.request = request;
      workload.items.push_back(item);
    }
  }
  if (neighbours.empty()) return;
  std::stable_sort(workload.items.begin(), workload.items.end(),
                   [](const WorkItem& a, const WorkItem& b) { return a.submit < b.submit; });
  std::uint32_t number = 0;
  for (WorkItem& item : workload.items) item.log_line = item.number = ++number;
}

void spread_over(std::int64_t span, const GeneratorSettings& settings, Workload& workload) {
  constexpr std::int64_t kScale = kDay;
  // As many thousandths of a day's submissions, each kScale fine, as the span has days.
  const auto end = static_cast<std::uint64_t>(span * kWholeDay);
  Draws draws(settings.seed, kArrivalStream);
  std::vector<std::int64_t> submits(workload.items.size());
  for (std::int64_t& submit : submits) {
    const auto at = static_cast<std::int64_t>(draws.below(end));
    submit = settings.daily ? second_at(at, kScale) : at / kWholeDay;
  }
  std::sort(submits.begin(), submits.end());
  for (std::size_t i = 0; i < submits.size(); ++i)
    workload.items[i].submit = instant_at(seconds(submits[i]));
}

}  // namespace generated

namespace {

using namespace generated;

std::vector<WorkRequest> draw_habits(const GeneratorSettings& settings, std::int64_t accounts) {
  Draws draws(settings.seed, kHabitStream);
  // No job asks for more than half of the machine.
  const auto sizes = static_cast<std::uint64_t>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(settings.cpus / 2, 1))));
  std::vector<WorkRequest> habits;
  habits.reserve(static_cast<std::size_t>(settings.users) * kHabits);
  for (std::int64_t user = 0; user < settings.users; ++user)
    for (std::uint64_t i = 0; i < kHabits; ++i) {
      WorkRequest habit;
      habit.user = static_cast<std::uint32_t>(user);
      habit.account = static_cast<std::uint32_t>(user % accounts);
      habit.cpus = static_cast<std::int32_t>(std::int64_t{1} << draws.below(sizes));
      habit.limit = minutes(kLimits[draws.below(kLimits.size())]);
      habits.push_back(habit);
    }
  return habits;
}

std::int64_t span_of(const GeneratorSettings& settings, const Workload& workload) {
  std::int64_t work = 0;
  for (const WorkItem& item : workload.items) {
    const WorkRequest& request = workload.request_of(item);
    work += to_seconds(std::min(item.run, request.limit)) * request.cpus;
  }
  return std::max<std::int64_t>(work / settings.cpus * 1000 / settings.load_permille, 1);
}

Result<std::int64_t> whole_number(std::string_view key, std::string_view text, std::int64_t least,
                                  std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return bad_input(fmt::format("--generate: {} is '{}'", key, text),
                     fmt::format("give a whole number from {} to {}", least, most));
  return value;
}

// "0.9", ".75", "1" in thousandths.
Result<std::int64_t> thousandths(std::string_view key, std::string_view text, std::int64_t least,
                                 std::int64_t most) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::string digits = "0";
  digits += text.substr(0, dot);
  for (std::size_t i = 1; i <= 3; ++i) digits += dot + i < text.size() ? text[dot + i] : '0';
  auto value = whole_number(key, digits, least, most);
  if (!value)
    return bad_input(fmt::format("--generate: {} is '{}'", key, text),
                     "give a fraction such as 0.9");
  return value;
}

}  // namespace

Result<GeneratorSettings> parse_generator(std::string_view text) {
  GeneratorSettings settings;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    if (key == "jobs") {
      TRY(settings.jobs, whole_number(key, value, 1, 100'000'000));
    } else if (key == "users") {
      TRY(settings.users, whole_number(key, value, 1, 1'000'000));
    } else if (key == "accounts") {
      TRY(settings.accounts, whole_number(key, value, 1, 1'000'000));
    } else if (key == "cpus") {
      TRY(settings.cpus, whole_number(key, value, 1, 100'000'000));
    } else if (key == "seed") {
      TRY(const std::int64_t seed, whole_number(key, value, 0, INT64_MAX));
      settings.seed = static_cast<std::uint64_t>(seed);
    } else if (key == "load") {
      TRY(settings.load_permille, thousandths(key, value, 1, 100'000));
    } else if (key == "gpus") {
      TRY(settings.gpu_permille, thousandths(key, value, 0, 1000));
    } else if (key == "neighbours") {
      TRY(settings.neighbours, whole_number(key, value, 0, 1000));
    } else if (key == "fail") {
      TRY(settings.fail_permille, thousandths(key, value, 0, 1000));
    } else if (key == "model") {
      if (value != "habits" && value != "lublin")
        return bad_input(fmt::format("--generate: model is '{}'", value), "give habits or lublin");
      settings.model = value == "lublin" ? WorkModel::kLublin : WorkModel::kHabits;
    } else if (key == "cycle") {
      if (value != "day" && value != "none")
        return bad_input(fmt::format("--generate: cycle is '{}'", value), "give day or none");
      settings.daily = value == "day";
    } else {
      return bad_input(fmt::format("--generate: unknown key '{}'", key),
                       "it takes jobs, users, accounts, cpus, load, gpus, fail, neighbours, model, "
                       "cycle and seed: --generate jobs=10000,load=0.9,seed=1");
    }
  }
  return settings;
}

Workload generate(const GeneratorSettings& asked) {
  GeneratorSettings settings = asked;
  if (settings.users == 0) settings.users = 100;
  if (settings.cpus == 0) settings.cpus = 1024;
  if (settings.load_permille == 0) settings.load_permille = 900;
  Workload workload;
  workload.name = fmt::format("generated-{}", settings.seed);
  workload.machine_cpus = static_cast<std::int32_t>(settings.cpus);
  const std::int64_t accounts = std::min(
      settings.users, settings.accounts > 0 ? settings.accounts : (settings.users + 9) / 10);
  for (std::int64_t i = 1; i <= settings.users; ++i)
    workload.users.push_back(fmt::format("u{}", i));
  for (std::int64_t i = 1; i <= accounts; ++i) workload.accounts.push_back(fmt::format("g{}", i));
  const std::vector<WorkRequest> habits = draw_habits(settings, accounts);
  RequestTable requests(workload.requests);
  Draws draws(settings.seed, kJobStream);
  workload.items.resize(static_cast<std::size_t>(settings.jobs));
  std::uint32_t number = 0;
  const auto largest = static_cast<std::int32_t>(std::max<std::int64_t>(settings.cpus / 2, 1));
  for (WorkItem& item : workload.items) {
    // The first users submit most: each one's share falls with the logarithm of its number.
    const std::uint64_t user =
        draws.below(1 + draws.below(static_cast<std::uint64_t>(settings.users)));
    WorkRequest request = habits[user * kHabits + draws.below(kHabits)];
    item.number = ++number;
    item.log_line = number;
    if (settings.model == WorkModel::kLublin) {
      request.cpus = lublin_size(draws, largest);
      item.run = lublin_run(draws, request.cpus);
      request.limit = roomy_limit(item.run, minutes(kLimits.back()));
    } else {
      item.run = draw_run(draws, request.limit);
    }
    item.request = requests.number_of(request);
  }
  draw_failures(settings, workload);
  const std::int64_t span = span_of(settings, workload);
  spread_over(span, settings, workload);
  std::vector<Neighbour> neighbours;
  for (std::int64_t i = 0; i < std::min(settings.neighbours, settings.users); ++i)
    neighbours.push_back(
        {habits[static_cast<std::size_t>(settings.users - 1 - i) * kHabits], settings.cpus});
  add_neighbours(neighbours, span, requests, workload);
  return workload;
}

}  // namespace sluice
