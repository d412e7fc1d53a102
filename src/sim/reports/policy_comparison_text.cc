// The comparison as a person reads it, and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/reports/policy_comparison.h"
#include "sim/reports/report_words.h"

namespace sluice {
namespace {

std::string interval_text(const Interval& interval, FigureUnit unit) {
  return fmt::format("{} to {}", difference_text(interval.low, unit),
                     difference_text(interval.high, unit));
}

class Text {
 public:
  explicit Text(const PolicyComparison& comparison) : c_(comparison) {}

  std::string write(std::optional<std::size_t> most_users) {
    line("{} ({}) under", c_.workload, plural(c_.jobs, "job"));
    line("  A  {}", c_.before);
    line("  B  {}", c_.after);
    if (!c_.people.empty()) line("{}", c_.people);
    for (const std::string& each : c_.unexercised) line("{}", each);
    line("");
    differences();
    if (!c_.why_nothing.empty()) {
      line("{}", c_.why_nothing);
      for (const std::string& each : c_.why_each) line("  {}", each);
      return fmt::to_string(out_);
    }
    line("{} of {} jobs start or end at another time{}.", count_text(c_.moved), count_text(c_.both),
         c_.settled > 0 ? fmt::format("; {} run under one policy alone", count_text(c_.settled))
                        : "");
    line("");
    line("  {:16} {:>10} {:>10} {:>10}  {}", "", "A", "B", "B - A", "95 % interval");
    for (const ComparedFigure& figure : c_.figures) {
      if (figure.before == 0 && figure.after == 0 && is_amount(figure.unit)) continue;
      line("  {:16} {:>10} {:>10} {:>10}  {}", figure.name, figure_text(figure.before, figure.unit),
           figure_text(figure.after, figure.unit),
           difference_text(figure.after - figure.before, figure.unit),
           figure.interval ? interval_text(*figure.interval, figure.unit) : "");
    }
    refusals();
    groups(most_users);
    line("");
    line("Waits are of the {} jobs that ran under both. Intervals: bootstrap over blocks of",
         count_text(c_.both));
    line("neighbouring jobs. unclear: the interval holds 0.");
    return fmt::to_string(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_.push_back('\n');
  }

  void differences() {
    if (c_.differences.empty() || !c_.why_each.empty()) return;
    line("The policies differ in {}:", plural(c_.differences.size(), "setting"));
    constexpr std::size_t kShown = 8;
    for (std::size_t i = 0; i < std::min(c_.differences.size(), kShown); ++i)
      line("  {}", c_.differences[i]);
    if (c_.differences.size() > kShown)
      line("  … and {} more (sluice policy diff A B)", c_.differences.size() - kShown);
    line("");
  }

  void refusals() {
    if (c_.refusals.empty()) return;
    constexpr std::size_t kShown = 5;
    line("");
    line("  {:16} {:>10} {:>10}", "refused with", "A", "B");
    for (std::size_t i = 0; i < std::min(c_.refusals.size(), kShown); ++i)
      line("  {:16} {:>10} {:>10}  {}", "", count_text(c_.refusals[i].before),
           count_text(c_.refusals[i].after), c_.refusals[i].what);
    if (c_.refusals.size() > kShown)
      line("  … and {} more messages", count_text(c_.refusals.size() - kShown));
  }

  void groups(std::optional<std::size_t> most_users) {
    std::string kind;
    std::size_t shown = 0;
    std::size_t hidden = 0;
    std::size_t width = 12;
    for (const ComparedGroup& group : c_.groups) width = std::max(width, group.name.size());
    for (const ComparedGroup& group : c_.groups) {
      if (group.kind != kind) {
        kind = group.kind;
        shown = 0;
        line("");
        line("  {:{}} {:>6} {:>8} {:>8}  {:21} {:>9}", kind, width, "jobs", "A wait", "B wait",
             "B - A, 95 % interval", "share");
      }
      if (kind == "user" && most_users && shown >= *most_users) {
        ++hidden;
        continue;
      }
      ++shown;
      std::string refused;
      if (group.refused_before != group.refused_after)
        refused = fmt::format(" ({} refused, now {})", count_text(group.refused_before),
                              count_text(group.refused_after));
      const bool any = group.jobs > 0;
      line("  {:{}} {:>6} {:>8} {:>8}  {:21} {:>3.0f} → {:>2.0f} %  {}{}", group.name, width,
           count_text(group.jobs), any ? span_text(group.wait_before) : "-",
           any ? span_text(group.wait_after) : "-",
           any ? interval_text(group.interval, FigureUnit::kSeconds) : "", 100 * group.share_before,
           100 * group.share_after, verdict_word(group.verdict), refused);
    }
    if (hidden > 0) line("  … and {} more (--users=all)", count_text(hidden));
  }

  const PolicyComparison& c_;
  fmt::memory_buffer out_;
};

std::string texts(const std::vector<std::string>& all) {
  std::string out = "[";
  for (const std::string& each : all) out += (out.size() > 1 ? ", " : "") + json_text(each);
  return out + "]";
}

std::string refusals_json(const std::vector<ComparedRefusal>& all) {
  std::string out = "[";
  for (const ComparedRefusal& each : all)
    out += fmt::format("{}{{\"what\": {}, \"before\": {}, \"after\": {}}}",
                       out.size() > 1 ? ", " : "", json_text(each.what), each.before, each.after);
  return out + "]";
}

std::string_view unit_word(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::kSeconds:
      return "seconds";
    case FigureUnit::kRatio:
      return "ratio";
    case FigureUnit::kPercent:
      return "fraction";
    case FigureUnit::kCount:
      return "count";
    case FigureUnit::kHours:
      return "hours";
  }
  return "";
}

}  // namespace

std::string figure_text(double value, FigureUnit unit) {
  switch (unit) {
    case FigureUnit::kSeconds:
      return span_text(value);
    case FigureUnit::kRatio:
      return fmt::format("{:.2f}", value);
    case FigureUnit::kPercent:
      return fmt::format("{:.1f} %", 100 * value);
    case FigureUnit::kCount:
      return (value < 0 ? "-" : "") + count_text(static_cast<std::uint64_t>(std::abs(value) + 0.5));
    case FigureUnit::kHours:
      return hours_text(value);
  }
  return "";
}

std::string difference_text(double value, FigureUnit unit) {
  // What is too little for its last digit is nothing, too.
  const std::string size = figure_text(std::abs(value), unit);
  if (size == figure_text(0, unit)) return "0";
  return (value > 0 ? "+" : "-") + size;
}

std::string comparison_text(const PolicyComparison& comparison,
                            std::optional<std::size_t> most_users) {
  return Text(comparison).write(most_users);
}

std::string comparison_json(const PolicyComparison& c) {
  std::string out = fmt::format(
      "{{\n  \"schema\": \"sluice.sim.compare/1\",\n  \"workload\": {},\n  \"before\": {},\n"
      "  \"after\": {},\n  \"jobs\": {},\n  \"ran_under_both\": {},\n  \"moved\": {},\n"
      "  \"ran_under_one\": {},\n  \"differences\": {},\n  \"unexercised\": {},\n"
      "  \"why_nothing\": {},\n  \"why_each\": {},\n  \"refusals\": {},\n  \"figures\": [",
      json_text(c.workload), json_text(c.before), json_text(c.after), c.jobs, c.both, c.moved,
      c.settled, texts(c.differences), texts(c.unexercised),
      c.why_nothing.empty() ? "null" : json_text(c.why_nothing), texts(c.why_each),
      refusals_json(c.refusals));
  const auto bounds = [](const Interval& interval) {
    return fmt::format("[{:.6f}, {:.6f}]", interval.low, interval.high);
  };
  for (std::size_t i = 0; i < c.figures.size(); ++i) {
    const ComparedFigure& each = c.figures[i];
    out += fmt::format(
        "{}\n    {{\"name\": {}, \"unit\": \"{}\", \"before\": {:.6f}, \"after\": {:.6f}, "
        "\"difference\": {:.6f}, \"interval\": {}}}",
        i > 0 ? "," : "", json_text(each.name), unit_word(each.unit), each.before, each.after,
        each.after - each.before, each.interval ? bounds(*each.interval) : "null");
  }
  out += "\n  ],\n  \"groups\": [";
  for (std::size_t i = 0; i < c.groups.size(); ++i) {
    const ComparedGroup& each = c.groups[i];
    const bool any = each.jobs > 0;
    out += fmt::format(
        "{}\n    {{\"kind\": {}, \"name\": {}, \"jobs\": {}, \"mean_wait_before\": {}, "
        "\"mean_wait_after\": {}, \"interval\": {}, \"refused_before\": {}, \"refused_after\": {}, "
        "\"share_before\": {:.6f}, \"share_after\": {:.6f}, \"verdict\": \"{}\"}}",
        i > 0 ? "," : "", json_text(each.kind), json_text(each.name), each.jobs,
        any ? fmt::format("{:.6f}", each.wait_before) : "null",
        any ? fmt::format("{:.6f}", each.wait_after) : "null", any ? bounds(each.interval) : "null",
        each.refused_before, each.refused_after, each.share_before, each.share_after,
        verdict_word(each.verdict));
  }
  return out + "\n  ]\n}\n";
}

}  // namespace sluice
