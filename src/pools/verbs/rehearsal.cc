#include "pools/verbs/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

// The tenth of the tasks that needs eight minutes runs four at a time for every thousand tasks,
// after seven minutes at the levels before.
constexpr std::int64_t longest(std::uint32_t tasks) {
  const std::uint32_t at_once = 4 * std::max(1U, tasks / 1000);
  return 7 + 8 * ((tasks / 10 + at_once - 1) / at_once);
}

constexpr Rehearsal kRehearsals[] = {
    {"levels", 20, "", 0, longest(20), "every level of the ladder is needed"},
    {"quick", 100, "BEHAVIOUR=quick", 0, 3, "all complete at once, nothing climbs"},
    {"timeout", 100, "BEHAVIOUR=medium", 0, 14, "all run out of time once"},
    {"oom", 100, "BEHAVIOUR=memory", 0, 30, "all run out of memory once"},
    {"mixed", 1000, "", 0, longest(1000), "all of these"},
    {"mixed-fail", 30, "FAIL_MOD=5", 6, longest(30), "all of these, and 6 errors of the code"},
    {"fast", 500, "", 0, longest(500), "all of these, half as many"},
    {"large", 5000, "", 0, longest(5000), "all of these, many"},
    {"max", 10000, "", 0, longest(10000), "the largest array"},
};

std::string seconds_text(Duration minute, std::int64_t minutes) {
  const Duration limit = minute * minutes;
  return fmt::format("{}s", (limit.count() + 999) / 1000);
}

}  // namespace

std::span<const Rehearsal> rehearsals() { return kRehearsals; }

const Rehearsal* find_rehearsal(std::string_view name) {
  for (const Rehearsal& each : kRehearsals)
    if (each.name == name) return &each;
  return nullptr;
}

// A sixteenth of the memory that such tasks would have: they really fill it.
std::string rehearsal_ladder(Duration minute, std::string_view partitions) {
  constexpr std::string_view kPartitions[] = {"devel,day,week,pi_jetz", "day,week,pi_jetz",
                                              "week,pi_jetz", "pi_jetz"};
  std::string out = "levels:\n";
  for (std::int64_t level = 0; level < 4; ++level) {
    const std::string_view where =
        partitions == "here" ? kPartitions[static_cast<std::size_t>(level)] : partitions;
    out += fmt::format("  - {{mem: {}M, time: {}", 64 << level, seconds_text(minute, 1 << level));
    if (!where.empty()) out += fmt::format(", partition: \"{}\"", where);
    out += "}\n";
  }
  return out;
}

std::string rehearsal_policy(Duration minute, std::uint32_t tasks) {
  const std::uint32_t times = std::max(1U, tasks / 1000);
  const auto names = [&](char letter, std::uint32_t count) {
    return fmt::format("{}[1-{}]", letter, count * times);
  };
  return fmt::format(
      "cluster: rehearsal\n"
      "nodes:\n"
      "  - {{name: \"{0}\", cpus: 4, memory: 64M}}\n"
      "  - {{name: \"{1}\", cpus: 4, memory: 128M}}\n"
      "  - {{name: \"{2}\", cpus: 4, memory: 512M}}\n"
      "  - {{name: \"{3}\", cpus: 4, memory: 1G}}\n"
      "partitions:\n"
      "  devel: {{nodes: \"{0}\", max_time: {4}}}\n"
      "  day: {{nodes: \"{1}\", default: yes, max_time: {5}}}\n"
      "  week: {{nodes: \"{2}\", max_time: {6}}}\n"
      "  pi_jetz: {{nodes: \"{3}\", max_time: {7}}}\n"
      "jobs: {{max_array_size: 10001, max_job_count: 1000000, def_mem_per_cpu: 16M, "
      "kill_wait: 1s}}\n",
      names('d', 10), names('n', 5), names('w', 2), names('p', 1), seconds_text(minute, 1),
      seconds_text(minute, 2), seconds_text(minute, 4), seconds_text(minute, 8));
}

}  // namespace sluice
