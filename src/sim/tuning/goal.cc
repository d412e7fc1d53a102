// Read word by word.
#include "sim/tuning/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

#include "sim/reports/report_words.h"
#include "text/duration.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms =
    "write one of: [mean|median|p95|p99|longest] wait [of NAME] <= 10m; slowdown [of NAME] <= 3; "
    "share of NAME >= 40%; refused [of NAME] <= 0; preemptions [of NAME] <= 10; utilisation [of "
    "GPUs] >= 80%";

bool is_wait(GoalFigure figure) { return figure <= GoalFigure::kLongestWait; }
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
      {"p95", GoalFigure::kP95Wait},
      {"p99", GoalFigure::kP99Wait},
      {"longest", GoalFigure::kLongestWait}};
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

GoalScope scope_named(const std::string& word) {
  static constexpr std::pair<std::string_view, GoalScope> kScopes[] = {
      {"account", GoalScope::kAccount},
      {"qos", GoalScope::kQos},
      {"user", GoalScope::kUser},
      {"partition", GoalScope::kPartition}};
  for (const auto& [name, scope] : kScopes)
    if (same_ignoring_case(name, word)) return scope;
  return GoalScope::kAny;
}

double wait_of(GoalFigure figure, const Distribution& wait) {
  switch (figure) {
    case GoalFigure::kMedianWait:
      return wait.median;
    case GoalFigure::kP95Wait:
      return wait.p95;
    case GoalFigure::kP99Wait:
      return wait.p99;
    case GoalFigure::kLongestWait:
      return wait.most;
    default:
      return wait.mean;
  }
}

std::optional<double> utilisation_of(const std::string& resource, const SimulationReport& report) {
  if (resource.empty()) return report.utilisation;
  for (const ResourceUse& use : report.resources)
    if (same_ignoring_case(use.name, resource)) return use.used;
  return std::nullopt;
}

}  // namespace

std::string_view scope_word(GoalScope scope) {
  switch (scope) {
    case GoalScope::kAccount:
      return "account";
    case GoalScope::kQos:
      return "QoS";
    case GoalScope::kUser:
      return "user";
    case GoalScope::kPartition:
      return "partition";
    case GoalScope::kResource:
      return "resource";
    case GoalScope::kAny:
      break;
  }
  return "name";
}

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
    ++at;
    // "of qos research", where a name of one word could be an account's too.
    if (at + 3 < words.size() && scope_named(words[at]) != GoalScope::kAny)
      out.scope = scope_named(words[at++]);
    out.of = words[at++];
  }
  if (out.figure == GoalFigure::kShare && out.of.empty()) return wrong();
  if (out.figure == GoalFigure::kUtilisation && !out.of.empty()) {
    constexpr std::string_view kResources[] = {"cpus", "gpus", "memory"};
    if (out.scope != GoalScope::kAny ||
        std::none_of(std::begin(kResources), std::end(kResources),
                     [&](std::string_view each) { return same_ignoring_case(each, out.of); }))
      return wrong();
    out.scope = GoalScope::kResource;
  }
  if (at + 2 != words.size() || (words[at] != "<=" && words[at] != ">=")) return wrong();
  out.at_least = words[at] == ">=";
  TRY(out.bound, read_bound(out.figure, words[at + 1]));
  return out;
}

std::optional<double> Goal::value_in(const SimulationReport& report) const {
  const auto count = [](std::size_t value) { return static_cast<double>(value); };
  if (figure == GoalFigure::kUtilisation) return utilisation_of(of, report);
  if (of.empty()) {
    if (figure == GoalFigure::kRefused) return count(report.refused);
    if (figure == GoalFigure::kPreemptions) return count(report.preemptions);
    if (report.ran == 0) return std::nullopt;
    return is_wait(figure) ? wait_of(figure, report.wait) : report.slowdown.mean;
  }
  const std::pair<GoalScope, const std::vector<ShareRow>*> kinds[] = {
      {GoalScope::kAccount, &report.accounts},
      {GoalScope::kQos, &report.qos},
      {GoalScope::kUser, &report.users},
      {GoalScope::kPartition, &report.partitions}};
  for (const auto& [kind, rows] : kinds)
    for (const ShareRow& row : *rows) {
      if (row.name != of || (scope != GoalScope::kAny && scope != kind)) continue;
      if (figure == GoalFigure::kShare) return row.share;
      if (figure == GoalFigure::kRefused) return count(row.refused);
      if (figure == GoalFigure::kPreemptions) return count(row.preemptions);
      if (row.jobs == 0) return std::nullopt;
      return is_wait(figure) ? wait_of(figure, row.wait) : row.mean_slowdown;
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
