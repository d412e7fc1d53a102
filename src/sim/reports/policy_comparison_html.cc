// The comparison as one page: figures with their intervals drawn, who gains, who loses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/reports/policy_comparison.h"
#include "sim/reports/report_words.h"

namespace sluice {
namespace {

constexpr std::string_view kStyle = R"PAGE(
:root{--bg:#f6f7f9;--card:#fff;--ink:#1c2430;--soft:#667085;--line:#e3e7ee;--warn:#fff6e0;--warnink:#7a4b00;--a:#64748b;--b:#2563eb;--good:#0f9d58;--bad:#d93025}
@media (prefers-color-scheme:dark){:root{--bg:#12161d;--card:#1a2029;--ink:#e6eaf1;--soft:#94a0b3;--line:#2b3442;--warn:#3a2f14;--warnink:#ffd98a;--a:#94a3b8;--b:#6ea0ff;--good:#4ade80;--bad:#f87171}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 20px 60px;overflow-wrap:anywhere}ul{margin:0;padding-left:20px}
@media (max-width:820px){main{padding:18px 12px 40px}.card{padding:12px}}h1{font-size:22px;margin:0 0 6px}h2{font-size:15px;margin:0 0 8px}
.soft,th{color:var(--soft)}.note{background:var(--warn);color:var(--warnink);border-radius:8px;padding:8px 14px;margin:0 0 8px}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;margin:0 0 14px;overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{text-align:right;padding:4px 8px;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:500;font-size:12px}th:first-child,td:first-child{text-align:left}tr:last-child td{border-bottom:0}
.gains{color:var(--good);font-weight:600}.loses{color:var(--bad);font-weight:600}svg{display:block}
.key i{display:inline-block;width:10px;height:10px;border-radius:2px;margin:0 5px 0 12px}
)PAGE";

std::string html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string interval_text(const Interval& interval, FigureUnit unit) {
  return html(difference_text(interval.low, unit) + " to " + difference_text(interval.high, unit));
}

// A dot for the difference and a line for its interval, around zero.
std::string whisker(double difference, const Interval& interval, double most) {
  if (most <= 0) return "";
  constexpr double kWidth = 220;
  const auto x = [&](double value) {
    return kWidth / 2 + std::clamp(value / most, -1.0, 1.0) * (kWidth / 2 - 6);
  };
  const char* colour = interval.holds_zero() ? "var(--soft)"
                       : difference < 0      ? "var(--good)"
                                             : "var(--bad)";
  return fmt::format(
      "<svg width=\"220\" height=\"16\" role=\"img\"><line x1=\"110\" x2=\"110\" y1=\"0\" "
      "y2=\"16\" stroke=\"var(--line)\"/><line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"8\" y2=\"8\" "
      "stroke=\"{}\" stroke-width=\"2\"/><circle cx=\"{:.1f}\" cy=\"8\" r=\"4\" "
      "fill=\"{}\"/></svg>",
      x(interval.low), x(interval.high), colour, x(difference), colour);
}

double widest(const Interval& interval) {
  return std::max(std::abs(interval.low), std::abs(interval.high));
}

// Two curves over the same time, each with its own steps.
std::string curves(const std::vector<double>& a, Duration step_a, const std::vector<double>& b,
                   Duration step_b) {
  constexpr double kWidth = 1000;
  constexpr double kHeight = 180;
  const double total =
      std::max(static_cast<double>(a.size()) * static_cast<double>(step_a.count()),
               static_cast<double>(b.size()) * static_cast<double>(step_b.count()));
  double most = 1;
  for (const auto* values : {&a, &b})
    for (const double value : *values) most = std::max(most, value);
  std::string out =
      fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" style=\"width:100%\">", kWidth, kHeight + 18);
  const auto path = [&](const std::vector<double>& values, Duration step, const char* colour) {
    std::string d;
    for (std::size_t i = 0; i < values.size(); ++i)
      d += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L',
                       kWidth * static_cast<double>(i) * static_cast<double>(step.count()) / total,
                       kHeight - (kHeight - 6) * values[i] / most);
    out +=
        fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>", d, colour);
  };
  path(a, step_a, "var(--a)");
  path(b, step_b, "var(--b)");
  out += fmt::format(
      "<text x=\"0\" y=\"12\" font-size=\"11\" fill=\"var(--soft)\">{:.0f}</text>"
      "<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"11\" text-anchor=\"end\" "
      "fill=\"var(--soft)\">{}</text></svg>",
      most, kWidth, kHeight + 14, span_text(total / 1000));
  return out;
}

std::string figures_table(const PolicyComparison& c) {
  std::string out =
      "<table><tr><th></th><th>A</th><th>B</th><th>B - A</th><th>95 % interval</th><th></th></tr>";
  for (const ComparedFigure& each : c.figures) {
    if (each.before == 0 && each.after == 0 && is_amount(each.unit)) continue;
    const double most =
        std::max({each.before, each.after, each.interval ? widest(*each.interval) : 0});
    out +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    html(each.name), html(figure_text(each.before, each.unit)),
                    html(figure_text(each.after, each.unit)),
                    html(difference_text(each.after - each.before, each.unit)),
                    each.interval ? interval_text(*each.interval, each.unit) : "",
                    each.interval ? whisker(each.after - each.before, *each.interval, most) : "");
  }
  return out + "</table>";
}

std::string groups_table(const PolicyComparison& c, std::string_view kind) {
  constexpr std::size_t kShown = 100;
  double most = 0;
  for (const ComparedGroup& each : c.groups)
    if (each.kind == kind && each.jobs > 0) most = std::max(most, widest(each.interval));
  std::string out = fmt::format(
      "<table><tr><th>{}</th><th>jobs</th><th>A: mean wait</th><th>B: mean wait</th><th>95 % "
      "interval of B - A</th><th></th><th>refused</th><th>share</th><th></th></tr>",
      kind);
  std::size_t shown = 0;
  for (const ComparedGroup& each : c.groups) {
    if (each.kind != kind || shown++ >= kShown) continue;
    const bool any = each.jobs > 0;
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{} → {}</td>"
        "<td>{:.1f} → {:.1f} %</td><td class=\"{}\">{}</td></tr>",
        html(each.name), count_text(each.jobs), any ? html(span_text(each.wait_before)) : "–",
        any ? html(span_text(each.wait_after)) : "–",
        any ? interval_text(each.interval, FigureUnit::kSeconds) : "",
        any ? whisker(each.wait_after - each.wait_before, each.interval, most) : "",
        count_text(each.refused_before), count_text(each.refused_after), 100 * each.share_before,
        100 * each.share_after, verdict_word(each.verdict), verdict_word(each.verdict));
  }
  return out + "</table>";
}

}  // namespace

std::string comparison_html(const PolicyComparison& c, const SimulationReport& before,
                            const SimulationReport& after) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>sluice sim compare</title><style>{}</style></head>"
      "<body><main><h1>{}: two policies</h1><p class=\"soft\">{}. A is {}, B is {}. {}</p>",
      kStyle, html(c.workload), plural(c.jobs, "job"), html(c.before), html(c.after),
      html(c.people));
  for (const std::string& each : c.unexercised)
    out += fmt::format("<p class=\"note\">{}</p>", html(each));
  if (!c.why_nothing.empty()) out += fmt::format("<p class=\"note\">{}</p>", html(c.why_nothing));
  const auto card = [&](std::string_view title, const std::string& body) {
    out += fmt::format("<section class=\"card\"><h2>{}</h2>{}</section>\n", title, body);
  };
  if (!c.differences.empty()) {
    std::string list = "<ul>";
    for (const std::string& each : c.why_each.empty() ? c.differences : c.why_each)
      list += "<li>" + html(each) + "</li>";
    card("What the policies say differently", list + "</ul>");
  }
  card("Figures", figures_table(c));
  if (!c.refusals.empty()) {
    std::string table = "<table><tr><th>refused with</th><th>A</th><th>B</th></tr>";
    for (const ComparedRefusal& each : c.refusals)
      table +=
          fmt::format("<tr><td style=\"white-space:normal\">{}</td><td>{}</td><td>{}</td></tr>",
                      html(each.what), count_text(each.before), count_text(each.after));
    card("Jobs that are refused", table + "</table>");
  }
  for (const char* kind : {"account", "QoS", "user"}) {
    const bool any = std::any_of(c.groups.begin(), c.groups.end(),
                                 [&](const ComparedGroup& each) { return each.kind == kind; });
    if (any) card(fmt::format("Who gains and who loses, by {}", kind), groups_table(c, kind));
  }
  if (!before.timeline.pending.empty() && !after.timeline.pending.empty())
    card("Jobs waiting", curves(before.timeline.pending, before.timeline.step,
                                after.timeline.pending, after.timeline.step) +
                             "<p class=\"key soft\"><i style=\"background:var(--a)\"></i>A<i "
                             "style=\"background:var(--b)\"></i>B</p>");
  out += fmt::format(
      "<p class=\"soft\">Waits are of the {} jobs that ran under both policies; each is held "
      "against itself. Intervals are bootstrapped over blocks of neighbouring jobs; a dot is the "
      "difference, a line its interval, grey where it holds 0.</p></main></body></html>\n",
      count_text(c.both));
  return out;
}

}  // namespace sluice
