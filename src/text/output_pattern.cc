// As slurmstepd fills patterns for a batch script, and for the tasks of a step.
#include "text/output_pattern.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

// Slurm pads to ten digits at most.
constexpr std::size_t kWidest = 10;
// What Slurm has for the task of a job that is no array.
constexpr std::uint32_t kNoTask = 0xfffffffe;

}  // namespace

std::string fill_pattern(std::string_view pattern, const PatternFacts& facts,
                         std::string_view folder) {
  std::string out;
  if (pattern.find('\\') != std::string_view::npos) {
    for (const char c : pattern) {
      if (c != '\\') out += c;
    }
  } else {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '%') {
        out += pattern[i];
        continue;
      }
      std::size_t width = 0;
      std::size_t at = i + 1;
      while (at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9') {
        width = std::min<std::size_t>(width * 10 + static_cast<std::size_t>(pattern[at] - '0'), 99);
        ++at;
      }
      width = std::min(width, kWidest);
      const auto number = [&](std::uint32_t value) { return fmt::format("{:0{}}", value, width); };
      const std::uint32_t job = facts.job.value();
      const bool of_array = facts.array.value() != 0;
      std::optional<std::string> text;
      switch (at < pattern.size() ? pattern[at] : '\0') {
        case '%':
          text = "%";
          break;
        case 'A':
          text = number(of_array ? facts.array.value() : job);
          break;
        case 'a':
          text = number(of_array ? facts.task : kNoTask);
          break;
        case 'j':
          text = number(job);
          break;
        case 'J':
          text = number(job) + (facts.step ? fmt::format(".{}", *facts.step) : "");
          break;
        case 's':
          text = facts.step ? number(*facts.step) : "batch";
          break;
        case 'n':
          text = number(facts.step_node);
          break;
        case 't':
          text = number(facts.step_task);
          break;
        case 'N':
          text = std::string(facts.first_node.substr(0, facts.first_node.find('.')));
          break;
        case 'u':
          text = std::string(facts.user);
          break;
        case 'x':
          text = std::string(facts.job_name);
          break;
        default:
          break;
      }
      if (text) {
        out += *text;
        i = at;
      } else {
        out += '%';
      }
    }
  }
  if (!out.empty() && out.front() != '/') out = fmt::format("{}/{}", folder, out);
  return out;
}

std::string shown_pattern(std::string_view pattern, const PatternFacts& facts,
                          std::string_view folder) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char letter = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    switch (letter) {
      case 'A':
      case 'a':
      case 'j':
      case 'u':
      case 'x':
        out += fill_pattern(pattern.substr(i, 2), facts, {}).substr(1);
        ++i;
        break;
      default:
        out += pattern[i];
    }
  }
  if (!out.empty() && out.front() != '/') out = fmt::format("{}/{}", folder, out);
  return out;
}

std::string_view default_output(const PatternFacts& facts) {
  return facts.array.value() != 0 ? "slurm-%A_%a.out" : "slurm-%j.out";
}

}  // namespace sluice
