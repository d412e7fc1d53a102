// Read word by word.
#include "sim/tuning/goal.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "sim/reports/report_words.h"
#include "text/duration.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms =
    "write one of: [mean|median|p95] wait [of NAME] <= 10m; slowdown [of NAME] <= 3; share of NAME "
    ">= 40%; refused [of NAME] <= 0; preemptions <= 10; utilisation >= 80%";

bool is_wait(GoalFigure figure) { return figure <= GoalFigure::kP95Wait; }
bool is_part(GoalFigure figure) {
  return figure == GoalFigure::kShare || figure == GoalFigure::kUtilisation;
}

Result<double> read_bound(GoalFigure figure, std::string text) {
  if (is_wait(figure)) {
    TRY(const TimeLimit limit, parse_friendly_duration(text));
    if (limit.unlimited()) return bad_input("a time belongs here", "write 10m, 2h or 3d");
    return static_cast<double>(limit.duration->count()) / 1000;
  }
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
      !(value >= 0 && value < 1e15))
    return bad_input(fmt::format("'{}' is not a number", text), kForms);
  if (percent != is_part(figure))
    return bad_input(fmt::format("'{}' {} a percentage", text, percent ? "must not be" : "must be"),
                     kForms);
  return percent ? value / 100 : value;
}

std::optional<GoalFigure> figure_named(const std::vector<std::string>& words, std::size_t& at) {
  static constexpr std::pair<std::string_view, GoalFigure> kWaits[] = {
      {"mean", GoalFigure::kMeanWait},
      {"median", GoalFigure::kMedianWait},
      {"p95", GoalFigure::kP95Wait}};
  for (const auto& [word, figure] : kWaits)
    if (words.size() > 1 && words[0] == word && words[1] == "wait") {
      at = 2;
      return figure;
    }
  static constexpr std::pair<std::string_view, GoalFigure> kOthers[] = {
      {"wait", GoalFigure::kMeanWait},
      {"slowdown", GoalFigure::kSlowdown},
      {"share", GoalFigure::kShare},
      {"refused", GoalFigure::kRefused},
      {"preemptions", GoalFigure::kPreemptions},
      {"utilisation", GoalFigure::kUtilisation}};
  for (const auto& [word, figure] : kOthers)
    if (!words.empty() && words[0] == word) {
      at = 1;
      return figure;
    }
  return std::nullopt;
}

}  // namespace

Result<Goal> parse_goal(std::string_view text) {
  Goal out;
  out.text = std::string(without_blanks_around(text));
  std::vector<std::string> words;
  for (const std::string_view word : split(out.text, ' '))
    if (!word.empty()) words.emplace_back(word);
  const auto wrong = [&] { return bad_input(fmt::format("'{}' is not a goal", out.text), kForms); };
  std::size_t at = 0;
  const auto figure = figure_named(words, at);
  if (!figure) return wrong();
  out.figure = *figure;
  if (at + 1 < words.size() && words[at] == "of") {
    out.of = words[at + 1];
    at += 2;
  }
  if (out.figure == GoalFigure::kShare && out.of.empty()) return wrong();
  if (!out.of.empty() &&
      (out.figure == GoalFigure::kPreemptions || out.figure == GoalFigure::kUtilisation))
    return wrong();
  if (at + 2 != words.size() || (words[at] != "<=" && words[at] != ">=")) return wrong();
  out.at_least = words[at] == ">=";
  TRY(out.bound, read_bound(out.figure, words[at + 1]));
  return out;
}

std::optional<double> Goal::value_in(const SimulationReport& report) const {
  const auto count = [](std::size_t value) { return static_cast<double>(value); };
  if (of.empty()) {
    if (figure == GoalFigure::kRefused) return count(report.refused);
    if (figure == GoalFigure::kPreemptions) return count(report.preemptions);
    if (figure == GoalFigure::kUtilisation) return report.utilisation;
    if (report.ran == 0) return std::nullopt;
    switch (figure) {
      case GoalFigure::kMeanWait:
        return report.wait.mean;
      case GoalFigure::kMedianWait:
        return report.wait.median;
      case GoalFigure::kP95Wait:
        return report.wait.p95;
      default:
        return report.slowdown.mean;
    }
  }
  for (const auto* rows : {&report.accounts, &report.qos, &report.users, &report.partitions})
    for (const ShareRow& row : *rows) {
      if (row.name != of) continue;
      if (figure == GoalFigure::kShare) return row.share;
      if (figure == GoalFigure::kRefused) return count(row.refused);
      if (row.jobs == 0) return std::nullopt;
      switch (figure) {
        case GoalFigure::kMeanWait:
          return row.mean_wait;
        case GoalFigure::kMedianWait:
          return row.median_wait;
        case GoalFigure::kP95Wait:
          return row.p95_wait;
        default:
          return row.mean_slowdown;
      }
    }
  return std::nullopt;
}

std::string Goal::value_text(double value) const {
  if (is_wait(figure)) return span_text(value);
  if (is_part(figure)) return fmt::format("{:.1f} %", 100 * value);
  return figure == GoalFigure::kSlowdown ? fmt::format("{:.2f}", value)
                                         : fmt::format("{:.0f}", value);
}

}  // namespace sluice
