// A chain's report as a page of its own: nothing on it comes from elsewhere, and nothing runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/begin_time.h"
#include "text/duration.h"
#include "views/chain_tables.h"

namespace sluice {
namespace {

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;--ink:#1a2230;--muted:#586377;--line:#dfe3ea;--ground:#f6f7f9;"
    "--card:#fff;--good:#2a8a57;--bad:#b82a2a;--memory:#c2571a;--time:#c99a17;--lost:#7a55b8;"
    "--off:#8a94a4;--run:#1766c2;--wait:#c3cad5}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e9f1;--muted:#9aa6b8;--line:#2a3340;"
    "--ground:#10141b;--card:#181e28;--good:#57c484;--bad:#f47d7d;--memory:#ef9a5e;--time:#e3c04f;"
    "--lost:#b698ec;--off:#7c8797;--run:#63aaf5;--wait:#4a5564}}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);"
    "max-width:62rem;margin:0 auto;padding:1.5rem 1rem}"
    "section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem "
    "1.2rem;margin:0 0 1rem;overflow-x:auto}h1{font-size:1.4rem;margin:.2rem 0}"
    "h1 small,p.since{color:var(--muted);font-weight:400;font-size:.9rem}"
    "h3{font-size:1rem;margin:0 0 .6rem}h4{font-size:.95rem;margin:1rem 0 .3rem}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "td,th{border-bottom:1px solid var(--line);padding:.25rem .9rem .25rem 0;text-align:left}"
    "th{color:var(--muted);font-weight:500;font-size:.85rem}"
    ".tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}"
    ".tiles div{background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:.5rem 1rem;color:var(--muted)}"
    ".tiles b{display:block;font-size:1.5rem;line-height:1.2;color:var(--ink)}"
    ".tiles .t-good{color:var(--good)}.tiles .t-bad{color:var(--bad)}.tiles "
    ".t-run{color:var(--run)}"
    "svg{max-width:100%;height:auto;display:block}section>svg{min-width:40rem}svg text{font:12px "
    "system-ui,sans-serif;"
    "fill:var(--muted)}figure{display:inline-block;margin:.8rem 2rem 0 0}"
    "figcaption{color:var(--muted);font-size:.85rem}"
    ".key span{margin-right:1.1rem;color:var(--muted);font-size:.85rem}"
    ".key i{display:inline-block;width:.7rem;height:.7rem;border-radius:3px;margin-right:.4rem}"
    ".good{fill:var(--good);background:var(--good)}.bad{fill:var(--bad);background:var(--bad)}"
    ".memory{fill:var(--memory);background:var(--memory)}.time{fill:var(--time);background:"
    "var(--time)}.lost{fill:var(--lost);background:var(--lost)}.off{fill:var(--off);background:"
    "var(--off)}.run{fill:var(--run);background:var(--run)}.wait{fill:var(--wait);background:"
    "var(--wait)}pre{background:var(--ground);border:1px solid var(--line);border-radius:6px;"
    "padding:.6rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}"
    "summary{cursor:pointer;color:var(--muted)}";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string html(const ReportTable& table) {
  std::string out = "<table><tr>";
  for (const std::string& name : table.head) out += fmt::format("<th>{}</th>", escaped(name));
  out += "</tr>\n";
  for (const ReportTable::Row& row : table.rows) {
    out += "<tr>";
    for (const std::string& one : row) out += fmt::format("<td>{}</td>", escaped(one));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

struct Part {
  std::string_view word;
  std::string_view colour;
  std::size_t ChainRow::*count;
};
constexpr std::array<Part, 8> kParts = {{{"done", "good", &ChainRow::done},
                                         {"out of memory", "memory", &ChainRow::out_of_memory},
                                         {"out of time", "time", &ChainRow::timeout},
                                         {"interrupted", "lost", &ChainRow::interrupted},
                                         {"cancelled", "off", &ChainRow::cancelled},
                                         {"failed", "bad", &ChainRow::failed},
                                         {"running", "run", &ChainRow::running},
                                         {"waiting", "wait", &ChainRow::waiting}}};

std::string_view colour_of(JobState state) {
  switch (state) {
    case JobState::kCompleted:
      return "good";
    case JobState::kOutOfMemory:
      return "memory";
    case JobState::kTimeout:
      return "time";
    case JobState::kPreempted:
    case JobState::kNodeFail:
      return "lost";
    case JobState::kCancelled:
      return "off";
    default:
      return "bad";
  }
}

std::string key(const ChainView& view) {
  std::string out = "<p class=\"key\">";
  for (const Part& part : kParts)
    for (const ChainRow& row : view.rows)
      if (row.*part.count > 0) {
        out += fmt::format("<span><i class=\"{}\"></i>{}</span>", part.colour, part.word);
        break;
      }
  return out + "</p>\n";
}

// One stacked bar for every array.
std::string plot(const ChainView& view) {
  constexpr int kWidth = 700;
  constexpr int kHeight = 20;
  std::string out =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Outcomes by round\">\n",
                  kWidth + 200, view.rows.size() * (kHeight + 8) + 4);
  std::size_t most = 1;
  for (const ChainRow& row : view.rows) most = std::max(most, row.tasks);
  int y = 2;
  for (const ChainRow& row : view.rows) {
    out += fmt::format("<text x=\"0\" y=\"{}\">Round {}{}{}</text>\n", y + 14, row.round,
                       row.memory.empty() ? "" : ", ", escaped(row.memory));
    double x = 130;
    for (const Part& part : kParts) {
      const std::size_t count = row.*part.count;
      const double width = static_cast<double>(count) * kWidth / static_cast<double>(most);
      if (count > 0)
        out += fmt::format(
            "<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"><title>{} "
            "{}</title></rect>\n",
            part.colour, x, y, width, kHeight, count, part.word);
      x += width;
    }
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\">{}</text>\n", x + 8, y + 14, row.tasks);
    y += kHeight + 8;
  }
  return out + "</svg>\n";
}

// Every run as a bar, or where these are too many, how many ran at each time.
std::string timeline(const ChainView& view) {
  if (view.runs.empty()) return "";
  constexpr int kWidth = 900;
  constexpr std::size_t kMostBars = 2000;
  constexpr std::size_t kMostLanes = 120;
  std::vector<const TaskSpan*> bars;
  for (const TaskSpan& run : view.runs) bars.push_back(&run);
  std::stable_sort(bars.begin(), bars.end(),
                   [](const TaskSpan* a, const TaskSpan* b) { return a->start < b->start; });
  const Instant from = bars.front()->start;
  Instant to = from + seconds(1);
  for (const TaskSpan* run : bars) to = std::max(to, run->end);
  const auto at = [&](Instant time) {
    return static_cast<double>((time - from).count()) * kWidth /
           static_cast<double>((to - from).count());
  };
  // Bars that overlap lie below each other.
  std::vector<Instant> free;
  std::vector<std::size_t> lanes;
  for (const TaskSpan* run : bars) {
    std::size_t lane = 0;
    while (lane < free.size() && free[lane] > run->start) ++lane;
    if (lane == free.size()) free.push_back(run->end);
    free[lane] = std::max(run->end, run->start + (to - from) / 400);
    lanes.push_back(lane);
    if (free.size() > kMostLanes || bars.size() > kMostBars) break;
  }
  std::string out;
  const auto label = [&](int height) {
    return fmt::format(
        "<text x=\"0\" y=\"{0}\">{1}</text><text x=\"{2}\" y=\"{0}\" "
        "text-anchor=\"end\">{3}</text></svg>\n",
        height, format_time(from), kWidth, format_time(to));
  };
  if (lanes.size() == bars.size()) {
    const int tall = free.size() > 40 ? 5 : 12;
    const int height = static_cast<int>(free.size()) * tall;
    out = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Runs over time\">\n",
                      kWidth, height + 22);
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const TaskSpan& run = *bars[i];
      out += fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" "
          "rx=\"1\"><title>task {}, round {}: {}, {}{}{}</title></rect>\n",
          colour_of(run.state), at(run.start), lanes[i] * static_cast<std::size_t>(tall),
          std::max(1.5, at(run.end) - at(run.start)), tall - 1, run.task, run.round,
          slurm_name(run.state), format_duration(run.end - run.start),
          run.node.empty() ? "" : " on ", escaped(run.node));
    }
    return out + label(height + 16);
  }
  constexpr std::size_t kColumns = 300;
  constexpr int kHeight = 120;
  std::array<std::size_t, kColumns> running{};
  for (const TaskSpan* run : bars) {
    const auto column = [&](Instant time) {
      return std::min(kColumns - 1, static_cast<std::size_t>(at(time) * kColumns / kWidth));
    };
    for (std::size_t i = column(run->start); i <= column(run->end); ++i) ++running[i];
  }
  const std::size_t most = *std::max_element(running.begin(), running.end());
  out = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Tasks running over time\">\n", kWidth,
      kHeight + 22);
  for (std::size_t i = 0; i < kColumns; ++i) {
    const double height = static_cast<double>(running[i] * kHeight) / static_cast<double>(most);
    if (running[i] > 0)
      out += fmt::format(
          "<rect class=\"run\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"3\" "
          "height=\"{:.1f}\"><title>{} tasks run</title></rect>\n",
          static_cast<double>(i) * 3, kHeight - height, height, running[i]);
  }
  return out + label(kHeight + 16);
}

// The same reason once, with its tasks and what the first of them wrote last.
std::string failures(const ChainView& view) {
  std::map<std::string, std::vector<const GivenUpRow*>> by_reason;
  for (const GivenUpRow& row : view.given_up)
    by_reason[fmt::format("{}, exit code {}{}: {}", row.state, row.exit_code,
                          row.signal != 0 ? fmt::format(", signal {}", row.signal) : "", row.why)]
        .push_back(&row);
  std::string out;
  for (const auto& [reason, rows] : by_reason) {
    out += fmt::format("<h4>{} {}: {}</h4>\n", rows.size(), rows.size() == 1 ? "task" : "tasks",
                       escaped(reason));
    for (const GivenUpRow* row : rows)
      out += fmt::format("<details{}><summary>task {}{}{}{}</summary><pre>{}</pre></details>\n",
                         row == rows.front() ? " open" : "", row->task,
                         row->node.empty() ? "" : " on " + escaped(row->node),
                         row->elapsed ? ", " + format_duration(*row->elapsed) : "",
                         row->job.empty() ? "" : ", job " + escaped(row->job),
                         row->last_lines.empty() ? "It wrote nothing that can be read."
                                                 : escaped(row->last_lines));
  }
  return out;
}

std::string tile(std::string_view name, std::string_view value, std::string_view colour) {
  return fmt::format("<div><b class=\"{}\">{}</b>{}</div>", colour, value, name);
}

std::string tiles(const ChainView& view) {
  std::string out = "<div class=\"tiles\">";
  out += tile("tasks", std::to_string(view.sum.tasks), "");
  out += tile("completed", std::to_string(view.sum.completed), "t-good");
  if (view.sum.running > 0) out += tile("running", std::to_string(view.sum.running), "t-run");
  if (view.sum.waiting > 0) out += tile("waiting", std::to_string(view.sum.waiting), "");
  out += tile("given up", std::to_string(view.sum.given_up), view.sum.given_up > 0 ? "t-bad" : "");
  out += tile("retries", std::to_string(view.waste.retries), "");
  if (const auto pace = pace_of(view)) {
    out += tile("tasks an hour", std::to_string(pace->tasks_per_hour), "");
    out += tile("left", format_short_duration(pace->left), "");
  }
  if (view.last_end)
    out += tile("from first to last", format_duration(*view.last_end - view.created), "");
  return out + "</div>\n";
}

// How many completed runs used how much of what they asked for.
std::string histogram(std::string_view title, const std::array<std::size_t, 10>& tenths) {
  constexpr int kBar = 30;
  constexpr int kHeight = 90;
  const std::size_t most = *std::max_element(tenths.begin(), tenths.end());
  if (most == 0) return "";
  std::string out = fmt::format(
      "<figure><figcaption>{}</figcaption><svg width=\"{}\" height=\"{}\" role=\"img\">\n", title,
      10 * (kBar + 4) + 20, kHeight + 34);
  for (std::size_t i = 0; i < tenths.size(); ++i) {
    const int x = static_cast<int>(i) * (kBar + 4);
    const int height = static_cast<int>(tenths[i] * kHeight / most);
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"run\"><title>{} runs</title>"
        "</rect>\n",
        x, kHeight - height + 14, kBar, height, tenths[i]);
    if (tenths[i] > 0)
      out +=
          fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, kHeight - height + 11, tenths[i]);
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}%</text>\n", x, kHeight + 28, i * 10);
  }
  return out + "</svg></figure>\n";
}

std::string section(std::string_view title, std::string_view inside) {
  if (inside.empty()) return "";
  return fmt::format("<section><h3>{}</h3>\n{}</section>\n", title, inside);
}

}  // namespace

std::string chain_html(std::span<const ChainView> views, ReportDetail detail) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{}</title>\n<style>{}</style></head><body>\n",
      views.size() == 1 ? escaped(views[0].name) + " – sluice report" : "sluice report", kStyle);
  for (const ChainView& view : views) {
    out += fmt::format("<h1>{} <small>{}</small></h1>\n<p class=\"since\">{}, since {}. {}</p>\n{}",
                       escaped(view.name), escaped(view.id), view.state, format_time(view.created),
                       summary(view, "<b>", "</b>"), tiles(view));
    std::string rounds = plot(view) + key(view) + html(rounds_of(view));
    for (const std::string& line : chain_move_lines(view))
      rounds += fmt::format("<p>{}</p>\n", escaped(line));
    if (detail == ReportDetail::kDetailed)
      for (const ChainRow& row : view.rows) {
        if (row.states.empty()) continue;
        rounds += fmt::format("<h4>{}</h4>\n{}<p>{}</p>\n{}", escaped(round_title(row)),
                              html(counts("Status", row.states)), escaped(runtime_line(row)),
                              html(counts("Node", row.nodes)));
      }
    out += section("Rounds", rounds);
    out += section("Runs over time", timeline(view));
    if (!view.given_up.empty())
      out += section(fmt::format("Given up: {}", view.sum.given_up), failures(view));
    out += section(
        "Asked and used",
        html(waste_of(view)) +
            histogram("Memory used of what was asked for, completed runs",
                      view.waste.memory_tenths) +
            histogram("Time used of what was asked for, completed runs", view.waste.time_tenths));
    if (view.sizing)
      out += section(
          "Learnt from the first tasks",
          fmt::format("{}<p>{}</p>\n", html(sizing_of(*view.sizing)), sizing_line(*view.sizing)));
  }
  return out + "</body></html>\n";
}

}  // namespace sluice
